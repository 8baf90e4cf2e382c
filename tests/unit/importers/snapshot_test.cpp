#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "profiler/events/stack.h"
#include "profiler/trace/importers/objects.h"
#include "tests/support/catch.h"
#include "tests/unit/importers/pickles.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using timeline::Series;

constexpr int64_t kBase = 1 << 20;

// Of SmallSnapshot, in any of its forms.
void CheckSmall(const ImportedRun& run) {
  REQUIRE(run.error.empty());
  CHECK(run.summary.complete);
  CHECK(run.summary.warning.empty());
  CHECK(run.summary.description.device == "cuda:0");
  CHECK(run.view->health().unmatched_frees == 0);
  CHECK(run.view->health().double_allocations == 0);
  const auto allocations = run.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 4);
  CHECK(allocations[0].address == kBase);  // alive before
  CHECK(allocations[0].rounded_bytes == 1024);
  CHECK(allocations[0].bytes == 1000);
  CHECK(allocations[1].address == kBase + 4096);  // freed before anything allocated it
  CHECK(allocations[1].rounded_bytes == 1024);
  CHECK(allocations[2].address == kBase + 1024);
  CHECK(allocations[2].rounded_bytes == 512);
  CHECK(allocations[2].time_ns == 11'000);
  CHECK(allocations[3].rounded_bytes == 5120);
  REQUIRE(run.view->markers().size() == 1);
  CHECK(run.view->markers()[0].text.starts_with("recording begins"));
  CHECK(run.view->sources().empty());
  REQUIRE(run.view->out_of_memory().size() == 1);
  CHECK(run.view->out_of_memory()[0].free_bytes == 77);
  const auto last = run.Last();
  CHECK(ValueOf(last, Series::kAllocated) == 1536);
  CHECK(ValueOf(last, Series::kRequested) == 1400);
  CHECK(ValueOf(last, Series::kReserved) == 2 << 20);
}

TEST_CASE("a snapshot: what was alive before, then its history", "[importers]") {
  CheckSmall(ImportedFrom(SmallSnapshot().Bytes()));
}

TEST_CASE("a snapshot packed by gzip", "[importers]") {
  CheckSmall(ImportedFrom(Gzipped(SmallSnapshot().Bytes())));
}

TEST_CASE("a snapshot packed by gzip in several members, the second longer than a buffer", "[importers]") {
  std::string text = R"({"noise": ")";
  std::mt19937 random(3);
  for (int i = 0; i < 600'000; ++i) text += static_cast<char>('a' + random() % 26);
  text +=
      R"(", "device_traces": [[{"action": "alloc", "addr": 1048576, "size": 700, "stream": 0, "time_us": 9}]]})";
  const std::string_view all = text;
  const ImportedRun run =
      ImportedFrom(Gzipped(all.substr(0, 1000)) + Gzipped(all.substr(1000)) + std::string(512, '\0'));
  REQUIRE(run.error.empty());
  CHECK(run.summary.complete);
  CHECK(run.Of(EventKind::kAllocate).size() == 1);
  const ImportedRun cut =
      ImportedFrom(Gzipped(all.substr(0, 1000)) + Gzipped(all.substr(1000)).substr(0, 300'000));
  CHECK((cut.error + cut.summary.warning).find("ends early") != std::string::npos);
}

TEST_CASE("a snapshot as JSON", "[importers]") {
  CheckSmall(
      ImportedFrom(R"( {"segments": [{"address": 1048576, "total_size": 2097152, "device": 0, "stream": 0,
    "unheard_of": {"a": [1, 2, {"b": null}]}, "blocks": [
      {"address": 1048576, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": []},
      {"address": 1049600, "size": 512, "requested_size": 400, "state": "active_allocated"},
      {"address": 1050112, "size": 2095616, "requested_size": 0, "state": "inactive"}]}],
    "device_traces": [[
      {"action": "free_requested", "addr": 1052672, "size": 700, "stream": 0, "time_us": 9},
      {"action": "free_completed", "addr": 1052672, "size": 700, "stream": 0, "time_us": 10},
      {"addr": 1049600, "size": 400, "stream": 0, "time_us": 11, "action": "alloc",
       "frames": [{"filename": "a/b.py", "line": 3, "name": "f"}]},
      {"action": "alloc", "addr": 1050112, "size": 5000, "stream": 0, "time_us": 12},
      {"action": "free_requested", "addr": 1050112, "size": 5000, "stream": 0, "time_us": 13},
      {"action": "free_completed", "addr": 1050112, "size": 5000, "stream": 0, "time_us": 14},
      {"action": "oom", "device_free": 77, "size": 1073741824, "stream": 0, "time_us": 15}]]})"));
}

TEST_CASE("protocol 0, whose dictionaries are filled key by key", "[importers]") {
  const ImportedRun run = ImportedFrom(
      "(dp0\nVdevice_traces\np1\n(lp2\n(lp3\n("
      "dp4\nVaddr\np5\nL1048576L\nsVaction\np6\nValloc\np7\nsVsize\np8\nI100\n"
      "sVframes\np9\n(lp10\n(dp11\nVfilename\np12\nS'x/"
      "model.py'\np13\nsVname\np14\nVforward\np15\nsVline\np16\nI12\n"
      "sasVtime_us\np17\nF5.0\nsaasVsegments\np18\n(lp19\ns.");
  REQUIRE(run.error.empty());
  const auto allocations = run.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 1);
  CHECK(allocations[0].bytes == 100);
  CHECK(allocations[0].time_ns == 5000);
  CHECK(run.view->name(allocations[0].op) == "forward (model.py:12)");
}

// As _record_memory_history() records them unless it is told otherwise.
TEST_CASE("LibTorch's C++ in stacks is told by its operators and nodes of backward", "[importers]") {
  const auto run_with = [](const std::vector<std::array<std::string, 2>>& frames) {
    std::string json;
    for (const auto& [file, function] : frames)
      json += fmt::format(R"({}{{"filename": "{}", "line": 7, "name": "{}"}})", json.empty() ? "" : ",", file,
                          function);
    return ImportedFrom(
        R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 512, "size": 512, "time_us": 1,
            "frames": [)" +
        json + "]}]]}");
  };
  const auto stack_of = [&](const std::vector<std::array<std::string, 2>>& frames) {
    const ImportedRun run = run_with(frames);
    REQUIRE(run.error.empty());
    return std::string(run.view->name(run.Of(EventKind::kAllocate).at(0).op));
  };
  const std::array<std::string, 2> allocator = {
      "CUDACachingAllocator.cpp",
      "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long, CUstream_st*)"};
  CHECK(stack_of({{"??", "torch::unwind::unwind()"},
                  allocator,
                  {"??", "at::_ops::empty_strided::call(c10::ArrayRef<c10::SymInt>)"},
                  {"??", "at::_ops::_to_copy::redispatch(c10::DispatchKeySet, at::Tensor const&)"},
                  {"", "at::Tensor c10::Dispatcher::callWithDispatchKeySlowPath<at::Tensor>(int)"},
                  {"??", "at::_ops::_to_copy::call(at::Tensor const&)"},
                  {"", "std::function<at::Tensor ()>::operator()() const"},
                  {"Objects/descrobject.c", "method_vectorcall_VARARGS_KEYWORDS"},
                  {"/x/net.py", "forward"},
                  {"/x/net.py", "forward"}}) == "aten::_to_copy ← forward (net.py:7) ← forward (net.py:7)");
  CHECK(stack_of(
            {allocator,
             {"??", "at::_ops::mm::call(at::Tensor const&)"},
             {"Functions.cpp", "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)"},
             {"clone3.S", "clone3"}}) == "aten::mm ← MmBackward0");
  // A program's own C++ keeps its names, and what is all LibTorch's is told as it is.
  for (const std::string own : {"at::Tensor mine::fused<float>(at::Tensor const&)",
                                "std::vector<at::Tensor, std::allocator<at::Tensor> > mine::multi<int>(int)",
                                "void mine::kernel<at::Half>(float*)", "mine::at::run()"}) {
    CHECK(stack_of({allocator, {"x.so", own}}) == own + " (x.so)");
  }
  for (const std::string own : {"start_threads", "on_train_start"})
    CHECK(stack_of({allocator, {"/x/loader.py", own}, {"??", "_start"}}) == own + " (loader.py:7)");
  CHECK(stack_of({allocator, {"/x/train.cpp", "train(at::Tensor const&)"}}) ==
        "train(at::Tensor const&) (train.cpp:7)");
  CHECK(stack_of({{"??", "at::somewhere()"}}) == "at::somewhere()");
  // Where no source is at hand PyTorch tells the library and how far in it: no line of anybody's.
  CHECK(stack_of({{"/x/torch/lib/libc10_cuda.so", "??"},
                  {"/x/torch/lib/libtorch_cpu.so", "at::_ops::mm::call(at::Tensor const&)"},
                  {"/usr/lib/libstdc++.so.6", "??"},
                  {"/opt/mine/libmine.so.2", "mine::step()"},
                  {"/x/train.py", "<module>"},
                  {"/usr/bin/python3.11", "PyNumber_Add"},
                  {"/usr/lib/libpython3.11.so.1.0", "Py_RunMain"}}) ==
        "aten::mm ← mine::step() (libmine.so.2) ← <module> (train.py:7) ← PyNumber_Add (python3.11)");
}

TEST_CASE("stacks are shared, machinery is left out, metadata and categories are kept", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List().EndList().Text("device_traces").List().List();
  const auto entry = [&](int64_t address) -> PickleWriter& {
    return pickle.Dictionary()
        .Key("action", "alloc")
        .Key("addr", address)
        .Key("size", 512)
        .Key("time_us", address);
  };
  entry(512).Text("frames").List();
  pickle.Dictionary().Key("filename", "??").Key("line", 0).Key("name", "PyEval_EvalFrame").EndDictionary();
  pickle.Dictionary().Key("filename", "/x/net.py").Key("line", 7).Key("name", "forward").EndDictionary();
  pickle.Dictionary().Key("filename", "/x/main.py").Key("line", 1).Key("name", "<module>").EndDictionary();
  pickle.EndList().Raw("q\x05").Key("category", "OPTIMIZER_STATE").EndDictionary();
  entry(1024)
      .Text("frames")
      .Raw("h\x05")
      .Key("user_metadata", "layer 3")
      .Key("compile_context", "N/A")
      .EndDictionary();
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const auto allocations = run.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 2);
  CHECK(run.view->name(allocations[0].op) == "forward (net.py:7) ← <module> (main.py:1)");
  CHECK(allocations[1].op == allocations[0].op);
  CHECK(allocations[0].category == events::Category::kOptimizerState);
  CHECK(run.view->name(allocations[1].layer) == "layer 3");
}

TEST_CASE("the line of code of a stack is the program's own", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List().EndList().Text("device_traces").List().List();
  pickle.Dictionary().Key("action", "alloc").Key("addr", 512).Key("size", 512).Key("time_us", 1);
  pickle.Text("frames").List();
  const auto frame = [&pickle](const char* file, int line, const char* name) {
    pickle.Dictionary().Key("filename", file).Key("line", line).Key("name", name).EndDictionary();
  };
  const std::string deep = "/x/lib/python3.12/site-packages/torch/" + std::string(150, 'h') + "/linear.py";
  frame("/pytorch/aten/src/ATen/EmptyTensor.cpp", 23, "at::detail::empty_cuda");
  frame("/x/lib/python3.12/site-packages/torch/nn/modules/linear.py", 134, "forward");
  frame(deep.c_str(), 9, "deeper");
  frame("<eval_with_key>.0", 5, "forward");
  frame("/x/lib/python3.12/runpy.py", 88, "_run_code");
  frame("/x/net.py", 7, "forward");
  frame("/x/train.py", 40, "main");
  pickle.EndList().EndDictionary().EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const std::string_view stack = run.view->name(run.Of(EventKind::kAllocate).at(0).op);
  CHECK(events::InnermostLine(stack) == "forward (net.py:7)");
  CHECK(events::FramesOf(stack).at(0) == "forward (torch/nn/modules/linear.py:134)");
  CHECK(events::FramesOf(stack).at(1) == "deeper (torch/" + std::string(150, 'h') + "/lin:9)");
  CHECK(events::InnermostLine("f (<string>:1)") == "f (<string>:1)");
  // What stands between a program and its modules with --amp or --checkpoint is no line of the program.
  CHECK(events::NameOfFile("/opt/share/tidemark/python/tidemark_techniques.py") ==
        "tidemark/python/tidemark_techniques.py");
  CHECK(events::NameOfFile("/x/tidemark/python/train.py") == "train.py");
  CHECK(events::InnermostLine("f (torch/x.py:1) ← g (<stdin>:2)") == "g (<stdin>:2)");
}

TEST_CASE("a segment that is older than the history and freed in it is of the card whose history it is in",
          "[importers]") {
  const bool expandable = GENERATE(false, true);
  constexpr int64_t kOld = kBase + (8 << 20);
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(kBase, 2 << 20).EndDictionary();
  pickle.EndList().Text("device_traces").List().List().EndList().List();
  pickle.Entry("alloc", kOld, 1000, 10).Entry("free_requested", kOld, 1000, 20);
  pickle.Entry("free_completed", kOld, 1000, 21);
  pickle.Entry(expandable ? "segment_unmap" : "segment_free", kOld, 4 << 20, 30);
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  REQUIRE(run.view->devices().size() == 2);
  CHECK(run.view->devices()[0].reserved_bytes == 2 << 20);
  CHECK(run.view->devices()[1].reserved_bytes == 4 << 20);
  CHECK(run.view->devices()[1].allocated_bytes == 1024);
}

TEST_CASE("private pools, expandable segments, several devices, annotations", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(kBase, 2 << 20)
      .Key("is_expandable", 1)
      .Text("segment_pool_id")
      .Number(1)
      .Number(2)
      .Raw("\x86")
      .EndDictionary();
  pickle.EndList().Text("device_traces").List();
  pickle.List().Entry("segment_map", kBase + (1 << 20), 1 << 20, 5).Entry("alloc", kBase, 100, 30).EndList();
  pickle.List().Entry("segment_alloc", 64 << 20, 2 << 20, 10).Entry("alloc", 64 << 20, 100, 20).EndList();
  pickle.EndList().Text("external_annotations").List();
  const auto annotation = [&](std::string_view name, std::string_view stage, int64_t time_us) {
    pickle.Dictionary()
        .Key("name", name)
        .Key("stage", stage)
        .Key("device", 0)
        .Key("time_us", time_us)
        .EndDictionary();
  };
  annotation("ProfilerStep#3", "START", 6);
  annotation("ProfilerStep#3", "END", 25);
  annotation("data", "START", 7);
  annotation("data", "END", 8);
  annotation("Optimizer.step#SGD.step", "START", 21);
  annotation("Optimizer.step#SGD.step", "END", 22);
  pickle.EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  CHECK(run.summary.description.device == "cuda:0, cuda:1");
  CHECK(run.summary.warning.empty());
  const auto maps = run.Of(EventKind::kSegmentMap);
  REQUIRE(maps.size() == 2);
  CHECK(run.view->name(maps[0].name) == "private pool (1, 2)");
  CHECK(maps[0].bytes == 1 << 20);  // half of it was mapped before
  const auto allocations = run.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 2);
  CHECK(allocations[0].device == 1);  // by time
  CHECK(allocations[1].device == 0);
  CHECK(int{maps[0].pool} == 1);
  CHECK(int{allocations[0].pool} == 0);
  CHECK(int{allocations[1].pool} == 1);  // in the segment of one
  const auto segments = run.view->StateAt(run.view->end() - 1).segments;
  REQUIRE(segments.size() == 2);
  CHECK(int{segments[0].pool} == 1);
  CHECK(int{segments[1].pool} == 0);
  REQUIRE(run.view->steps().size() == 1);
  CHECK(run.view->steps()[0].number == 3);
  CHECK(run.view->steps()[0].complete);
  CHECK(run.Of(EventKind::kPhase).size() == 2);
  CHECK(run.view->name(run.Of(EventKind::kScopeBegin).at(0).op) == "data");
  CHECK(ValueOf(run.Last(), Series::kReserved) == 4 << 20);
}

TEST_CASE("a segment from before the history that is freed in it is of the stream that its end tells",
          "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("device_traces").List().List().Entry("alloc", kBase, 512, 1);
  pickle.Dictionary().Key("action", "segment_free").Key("addr", kBase << 4).Key("size", 2 << 20);
  pickle.Key("stream", 7).Key("time_us", 2).EndDictionary();
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const auto reserved = run.Of(EventKind::kSegmentAllocate);
  REQUIRE(reserved.size() == 1);
  CHECK(reserved[0].stream == 7);
}

TEST_CASE("what is unmapped from the middle of a pool's segment is the pool's no more", "[importers]") {
  constexpr int64_t kPiece = 2 << 20;
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  for (const int64_t piece : {0, 1, 2}) {
    pickle.Segment(kBase + piece * kPiece, kPiece).Key("is_expandable", piece == 1 ? 0 : 1);
    pickle.Text("segment_pool_id").Number(0).Number(piece == 1 ? 0 : 2).Raw("\x86").EndDictionary();
  }
  pickle.EndList().Text("device_traces").List().List();
  pickle.Entry("segment_map", kBase, 3 * kPiece, 1)
      .Entry("segment_unmap", kBase + kPiece, kPiece, 2)
      .Entry("segment_alloc", kBase + kPiece, kPiece, 3);
  for (const int64_t piece : {0, 1, 2}) pickle.Entry("alloc", kBase + piece * kPiece, 512, 4 + piece);
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const auto allocations = run.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 3);
  CHECK(int{allocations[0].pool} == 1);
  CHECK(int{allocations[1].pool} == 0);
  CHECK(int{allocations[2].pool} == 1);
}

TEST_CASE("a piece of a pool's segment that is unmapped before the end is the pool's, too", "[importers]") {
  constexpr int64_t kPiece = 20 << 20;
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(kBase, kPiece).Key("is_expandable", 1);
  pickle.Text("segment_pool_id").Number(1).Number(0).Raw("\x86").EndDictionary();
  pickle.EndList().Text("device_traces").List().List();
  pickle.Entry("segment_map", kBase, kPiece, 1)
      .Entry("segment_map", kBase + kPiece, kPiece, 2)
      .Entry("segment_map", kBase + 2 * kPiece, kPiece, 3)
      .Entry("segment_alloc", kBase + 3 * kPiece, kPiece, 4)
      .Entry("alloc", kBase + 2 * kPiece, 512, 5)
      .Entry("free_requested", kBase + 2 * kPiece, 512, 6)
      .Entry("free_completed", kBase + 2 * kPiece, 512, 7)
      .Entry("segment_free", kBase + 3 * kPiece, kPiece, 8)
      .Entry("segment_unmap", kBase + kPiece, 2 * kPiece, 9);
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  for (const events::Event& piece : run.Of(EventKind::kSegmentMap)) {
    CHECK(int{piece.pool} == 1);
    CHECK(run.view->name(piece.name) == "private pool (1, 0)");
  }
  CHECK(int{run.Of(EventKind::kAllocate).at(0).pool} == 1);
  CHECK(int{run.Of(EventKind::kSegmentAllocate).at(0).pool} == 0);
}

// Of an expandable segment of 40 MiB at 0x1000000, begun at first.py: the stack of what the history begins
// with and at which address that lies.
std::pair<uint64_t, std::string> StartWith(const std::string& trace) {
  const ImportedRun run = ImportedFrom(
      R"({"segments": [{"address": 16777216, "total_size": 41943040, "device": 0, "stream": 0,
          "is_expandable": 1, "frames": [{"filename": "first.py", "line": 1, "name": "f"}], "blocks": []}],
          "device_traces": [[)" +
      trace + "]]}");
  REQUIRE(run.error.empty());
  const events::Event start = run.Of(EventKind::kSegmentMap).at(0);
  return {start.address, std::string(run.view->name(start.op))};
}

TEST_CASE(
    "what is there of an expandable segment before the history has the segment's stack, wherever it begins",
    "[importers]") {
  const auto map = [](const std::string& file) {
    return R"({"action": "segment_map", "addr": 16777216, "size": 20971520, "stream": 0, "time_us": 2,
               "frames": [{"filename": ")" +
           file + R"(", "line": 1, "name": "f"}]})";
  };
  const std::string unmap =
      R"({"action": "segment_unmap", "addr": 16777216, "size": 20971520, "stream": 0, "time_us": 1})";
  const std::string none = R"({"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 1})";
  using Start = std::pair<uint64_t, std::string>;
  CHECK(StartWith(none) == Start{16'777'216, "f (first.py:1)"});
  CHECK(StartWith(unmap + "," + map("again.py")) == Start{16'777'216, "f (first.py:1)"});
  CHECK(StartWith(map("again.py")) == Start{37'748'736, "f (first.py:1)"});
  CHECK(StartWith(map("first.py")) == Start{37'748'736, ""});  // then the stack is that of the history
}

TEST_CASE("a request that failed was of the pool that alone has its stream", "[importers]") {
  const auto [pool_beside, told] = GENERATE(table<int, int>({{1, 1}, {0, events::kManyPools}}));
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  for (const auto& [address, pool] : {std::pair(kBase, 1), std::pair(kBase << 4, pool_beside)}) {
    pickle.Segment(address, 2 << 20).Text("segment_pool_id");
    pickle.Number(pool).Number(0).Raw("\x86").EndDictionary();
  }
  pickle.EndList().Text("device_traces").List().List();
  for (const int stream : {0, 7}) {
    pickle.Dictionary().Key("action", "oom").Key("device_free", 77).Key("size", 1 << 20);
    pickle.Key("stream", stream).Key("time_us", 1).EndDictionary();
  }
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const std::vector<events::Event> failures = run.Of(EventKind::kOutOfMemory);
  REQUIRE(failures.size() == 2);
  CHECK(int{failures[0].pool} == told);
  CHECK(int{failures[1].pool} == 0);  // of a stream without memory
}

TEST_CASE("a segment that is gone before the end is not of the pool that has its address then",
          "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(kBase, 2 << 20).Text("segment_pool_id").Number(0).Number(1).Raw("\x86").EndDictionary();
  pickle.EndList().Text("device_traces").List().List();
  pickle.Entry("segment_alloc", kBase, 2 << 20, 1).Entry("alloc", kBase, 512, 2);
  pickle.Entry("free_requested", kBase, 512, 3).Entry("free_completed", kBase, 512, 4);
  pickle.Entry("segment_free", kBase, 2 << 20, 5);
  pickle.Entry("segment_alloc", kBase, 2 << 20, 6).Entry("alloc", kBase, 512, 7);
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  for (const EventKind kind : {EventKind::kSegmentAllocate, EventKind::kAllocate}) {
    REQUIRE(run.Of(kind).size() == 2);
    CHECK(int{run.Of(kind)[0].pool} == 0);
    CHECK(int{run.Of(kind)[1].pool} == 1);
  }
}

TEST_CASE("what an entry tells of its pool goes before what the end of the history tells", "[importers]") {
  constexpr int64_t kGone = kBase << 4;
  PickleWriter pickle;
  const auto entry = [&](std::string_view action, int64_t address, int pool, int64_t time_us) {
    pickle.Dictionary().Key("action", action).Key("addr", address);
    pickle.Key("size", 2 << 20).Key("stream", 0).Key("time_us", time_us);
    pickle.Text("pool_id").Number(pool).Number(0).Raw("\x86").EndDictionary();
  };
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(kBase, 2 << 20).Text("segment_pool_id").Number(0).Number(0).Raw("\x86").EndDictionary();
  pickle.EndList().Text("device_traces").List().List();
  entry("segment_alloc", kBase, 3, 1);  // another than the one that lies there at the end
  entry("alloc", kBase, 3, 2);
  entry("free_requested", kBase, 3, 3);
  entry("free_completed", kBase, 3, 4);
  entry("segment_free", kBase, 3, 5);
  entry("segment_free", kGone, 4, 6);  // there from before, and no more
  entry("segment_alloc", kBase, 0, 7);
  pickle.Dictionary().Key("action", "oom").Key("device_free", 77).Key("size", 1 << 20);
  pickle.Key("stream", 0).Key("time_us", 8);
  pickle.Text("pool_id").Number(4).Number(0).Raw("\x86").EndDictionary();
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const auto reserved = run.Of(EventKind::kSegmentAllocate);
  REQUIRE(reserved.size() == 3);
  CHECK(reserved[0].address == static_cast<uint64_t>(kGone));
  CHECK(run.view->name(reserved[0].name) == "private pool (4, 0)");
  CHECK(run.view->name(reserved[1].name) == "private pool (3, 0)");
  CHECK(run.view->name(reserved[2].name) == "");
  CHECK(int{reserved[0].pool} == 1);
  CHECK(int{reserved[1].pool} == 2);
  CHECK(int{reserved[2].pool} == 0);
  CHECK(int{run.Of(EventKind::kAllocate).at(0).pool} == 2);
  CHECK(int{run.Of(EventKind::kFreeCompleted).at(0).pool} == 2);
  CHECK(int{run.Of(EventKind::kOutOfMemory).at(0).pool} == 1);
}

TEST_CASE("without a profiler's steps, an optimizer's end them", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List().EndList().Text("device_traces").List().List();
  pickle.Entry("alloc", 512, 100, 1)
      .Entry("alloc", 1024, 100, 9)
      .EndList()
      .EndList()
      .Text("external_annotations")
      .List();
  for (const auto& [stage, time_us] : {std::pair{"START", 3}, std::pair{"END", 5}}) {
    pickle.Dictionary()
        .Key("name", "Optimizer.step#Adam.step")
        .Key("stage", stage)
        .Key("time_us", time_us)
        .EndDictionary();
  }
  const ImportedRun run = ImportedFrom(pickle.EndList().EndDictionary().Bytes());
  REQUIRE(run.view->steps().size() == 2);
  CHECK(run.view->steps()[0].complete);
  CHECK_FALSE(run.view->steps()[1].complete);
}

// Of optimizer steps that end at 5, 15 and 25, of which the history holds what comes after `first_us`.
ImportedRun SnapshotFrom(int64_t first_us, bool alive_before) {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  if (alive_before) {
    pickle.Segment(kBase, 2 << 20).Text("blocks").List();
    pickle.Dictionary().Key("size", 2 << 20).Key("state", "active_allocated").EndDictionary();
    pickle.EndList().EndDictionary();
  }
  pickle.EndList().Text("device_traces").List().List();
  for (int64_t at = first_us; at < 30; at += 2) pickle.Entry("alloc", 512 * at, 100, at);
  pickle.EndList().EndList().Text("external_annotations").List();
  for (const int64_t end : {5, 15, 25}) {
    for (const auto& [stage, time_us] : {std::pair{"START", end - 2}, std::pair{"END", end}}) {
      pickle.Dictionary()
          .Key("name", "Optimizer.step#Adam.step")
          .Key("stage", stage)
          .Key("time_us", time_us)
          .EndDictionary();
    }
  }
  return ImportedFrom(pickle.EndList().EndDictionary().Bytes());
}

TEST_CASE("of a history whose oldest entries are gone only steps count that it holds from their beginning",
          "[importers]") {
  const ImportedRun cut = SnapshotFrom(8, true);
  REQUIRE(cut.error.empty());
  REQUIRE(cut.view->steps().size() == 2);
  CHECK(cut.view->steps()[0].number == 2);  // 0 ended before, 1 is there in part
  CHECK(cut.view->event(cut.view->steps()[0].begin).time_ns == 15'000);
  CHECK(cut.view->steps()[0].complete);
  CHECK(cut.summary.warning.find("holds the last 11 entries only: 1 step ended before") != std::string::npos);
  CHECK(cut.summary.warning.find("raise max_entries") != std::string::npos);

  const ImportedRun in_the_optimizer = SnapshotFrom(4, true);
  REQUIRE(in_the_optimizer.view->steps().size() == 3);
  CHECK(in_the_optimizer.view->steps()[0].number == 1);
  CHECK(in_the_optimizer.view->phases().front().phase == events::Phase::kOptimizer);
  CHECK(in_the_optimizer.summary.warning.find("only: the step in which it begins is missing in part") !=
        std::string::npos);

  const ImportedRun whole = SnapshotFrom(2, true);  // it began between two steps
  REQUIRE(whole.view->steps().size() == 4);
  CHECK(whole.view->steps()[0].number == 0);
  CHECK(whole.summary.warning.empty());
  CHECK(SnapshotFrom(8, false).summary.warning.empty());  // nothing was alive: nothing had been asked for
}

TEST_CASE("PyTorch's oldest snapshots: segments alone, blocks without addresses, histories without times",
          "[importers]") {
  PickleWriter pickle;
  pickle.List().Segment(kBase, 2 << 20).Text("blocks").List();
  pickle.Dictionary().Key("size", 512).Key("state", "inactive").EndDictionary();
  pickle.Dictionary().Key("size", 1024).Key("state", "active_awaiting_free").EndDictionary();
  const ImportedRun alone = ImportedFrom(pickle.EndList().EndDictionary().EndList().Bytes());
  REQUIRE(alone.error.empty());
  REQUIRE(alone.Of(EventKind::kAllocate).size() == 1);
  CHECK(alone.Of(EventKind::kAllocate)[0].address == kBase + 512);
  CHECK(alone.Of(EventKind::kFreeRequested).size() == 1);
  PickleWriter timeless;
  timeless.Dictionary().Text("device_traces").List().List();
  timeless.Entry("alloc", 512, 1, 0).Entry("alloc", 1024, 1, 0).EndList().EndList().EndDictionary();
  const auto allocations = ImportedFrom(timeless.Bytes()).Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 2);
  CHECK(allocations[1].time_ns > allocations[0].time_ns);
}

TEST_CASE("what stands among entries and is none is counted, and takes none of them along", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("device_traces").List().List();
  pickle.Entry("alloc", 1 << 20, 1000, 10);
  pickle.Dictionary().Key("no", "entry").EndDictionary();
  pickle.Entry("alloc", 2 << 20, 2000, 11);
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  CHECK(run.Of(events::EventKind::kAllocate).size() == 2);
  CHECK(run.summary.warning.starts_with("1 entries of its history were left out"));
}

TEST_CASE("histories of more devices than there are numbers for are counted", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("device_traces").List();
  for (int device = 0; device < 257; ++device) {
    pickle.List().Entry("alloc", (device + 1) << 20, 1000, device).EndList();
  }
  pickle.EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  CHECK(run.Of(events::EventKind::kAllocate).size() == 255);
  CHECK(run.summary.warning.starts_with("2 entries of its history were left out"));
}

// PyTorch gives every entry a list of frames of its own, and few of these lists differ.
TEST_CASE("equal stacks are held once", "[importers]") {
  Objects objects;
  const auto list_of_frames = [&objects] {
    const Value frame = objects.NewDictionary();
    objects.Set(frame, objects.Text("filename"), objects.Text("train.py"));
    objects.Set(frame, objects.Text("name"), objects.Text("forward"));
    objects.Complete(frame);
    const Value list = objects.NewList();
    objects.Append(list, frame);
    objects.Append(list, frame);
    return list;
  };
  const Value one = list_of_frames();
  const Value other = list_of_frames();
  CHECK(objects.ItemsOf(one).size() == 2);
  const StackId stack = objects.StackOf(one);
  CHECK(objects.StackOf(other) == stack);
  CHECK(objects.FramesOf(stack).size() == 2);
  CHECK(objects.ItemsOf(one).capacity() == 0);
  objects.Append(one, Value::Number(1));  // too late
  CHECK(objects.StackOf(one) == stack);
  CHECK(objects.ItemsOf(one).empty());
}

TEST_CASE("the two numbers of a pool, of which every entry brings a list of its own, are held once",
          "[importers]") {
  Objects objects;
  const auto list_of = [&](int64_t first, int64_t second) {
    const Value list = objects.NewList();
    objects.Append(list, Value::Number(first));
    objects.Append(list, Value::Number(second));
    return list;
  };
  const Value one = list_of(1, 0);
  const PoolIndex pool = objects.PoolOf(one);
  CHECK(objects.PoolName(pool) == "private pool (1, 0)");
  CHECK(objects.ItemsOf(one).empty());
  CHECK(objects.PoolOf(one) == pool);  // another entry may refer to it
  CHECK(objects.PoolOf(list_of(1, 0)) == pool);
  CHECK(objects.PoolOf(list_of(0, 0)) == Objects::kDefaultPool);
  const Value no_pool = list_of(1, 0);
  objects.Append(no_pool, Value::Number(0));
  CHECK(objects.PoolOf(no_pool) == 0);
  CHECK(objects.ItemsOf(no_pool).size() == 3);
}

TEST_CASE("a segment from before the history has its own stack, not that of what lies there at the end",
          "[importers]") {
  PickleWriter pickle;
  const auto frames = [&](std::string_view function) {
    pickle.Text("frames").List().Dictionary();
    pickle.Key("filename", "train.py").Key("line", 1).Key("name", function).EndDictionary().EndList();
  };
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(kBase, 2 << 20);
  frames("later");
  pickle.EndDictionary();
  pickle.Segment(kBase << 4, 2 << 20);
  frames("stays");
  pickle.EndDictionary();
  pickle.EndList().Text("device_traces").List().List();
  pickle.Entry("segment_free", kBase, 2 << 20, 1).Entry("segment_alloc", kBase, 2 << 20, 2);
  pickle.EndList().EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  REQUIRE(run.error.empty());
  const auto reserved = run.Of(EventKind::kSegmentAllocate);
  REQUIRE(reserved.size() == 3);
  CHECK(reserved[0].address == static_cast<uint64_t>(kBase));
  CHECK(run.view->name(reserved[0].op).empty());
  CHECK(run.view->name(reserved[1].op) == "stays (train.py:1)");
}

TEST_CASE("entries of kinds that are not known are counted", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary()
      .Text("device_traces")
      .List()
      .List()
      .Entry("teleport", 512, 1, 1)
      .EndList()
      .EndList()
      .EndDictionary();
  CHECK(ImportedFrom(pickle.Bytes()).summary.warning.find("1 entries are of kinds") == 0);
}

}  // namespace
}  // namespace tidemark::trace
