// Traces of torch.profiler, memory timelines, and Trace Event JSON that we wrote ourselves.
#include <string>
#include <utility>
#include <vector>

#include "profiler/trace/exporters/export.h"
#include "profiler/trace/importers/json_parser.h"
#include "tests/support/catch.h"
#include "tests/unit/importers/pickles.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using events::Phase;
using timeline::Series;

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// As Kineto writes them.
std::string Memory(std::string_view at, int64_t bytes, uint64_t address, int64_t total, int64_t reserved,
                   int device = 0, int type = 1) {
  return R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": )" +
         std::string(at) + R"(, "args": {"Total Reserved": )" + std::to_string(reserved) +
         R"(, "Total Allocated": )" + std::to_string(total) + R"(, "Bytes": )" + std::to_string(bytes) +
         R"(, "Device Id": )" + std::to_string(device) + R"(, "Device Type": )" + std::to_string(type) +
         R"(, "Addr": )" + std::to_string(address) + R"(, "finished": false, "Ev Idx": 1}})";
}
std::string Slice(std::string_view category, std::string_view name, int at, int length,
                  std::string_view arguments = "", int thread = 9) {
  return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + std::string(name) +
         R"(", "pid": 9, "tid": )" + std::to_string(thread) + R"(, "ts": )" + std::to_string(at) +
         R"(, "dur": )" + std::to_string(length) + R"(, "args": {)" + std::string(arguments) + "}}";
}
std::string Trace(const std::vector<std::string>& events) {
  std::string text =
      R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 1000000}],
          "baseTimeNanoseconds": 1790857026000000000, "traceEvents": [)";
  for (const std::string& event : events) text += (text.back() == '[' ? "" : ",\n") + event;
  return text + R"(], "traceName": "x"})";
}

TEST_CASE("a trace of torch.profiler: what was alive before, what came, and by which operator",
          "[importers]") {
  const ImportedRun run = ImportedFrom(Trace({
      Slice("cpu_op", "aten::linear", 100, 50, R"("Sequence number": 0, "Fwd thread id": 0)"),
      Slice("cpu_op", "aten::addmm", 110, 20, R"("Sequence number": 1)"),
      Slice("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 200, 50,
            R"("Sequence number": 1)", 8),
      Slice("user_annotation", "Optimizer.step#Adam.step", 300, 50),
      Slice("python_function", "train.py(3): step", 90, 500),
      Memory("310.5", -512, 7000, 1536, 2048),  // from before
      Memory("112.345", 1024, 4096, 2048, 2048),
      Memory("500", 512, 9000, 2048, 4096),
  }));
  REQUIRE(run.error.empty());
  CHECK(run.summary.complete);
  CHECK(run.summary.warning.empty());
  CHECK(run.summary.description.device == "cuda:0");
  CHECK(run.summary.description.device_name == "NVIDIA H200");
  CHECK(run.summary.description.producer == "torch.profiler trace");
  CHECK_FALSE(run.summary.description.tells_pools);
  REQUIRE(run.summary.description.notes.size() == 1);
  CHECK(Has(run.summary.description.notes[0], "1 other events"));

  const std::vector<Event> made = run.Of(EventKind::kAllocate);
  REQUIRE(made.size() == 4);
  CHECK(made[0].address == 7000);
  CHECK(made[1].rounded_bytes == 512);  // 2048 - 1024, without the 512 that are freed in it
  CHECK(made[2].address == 4096);
  CHECK(made[2].time_ns == 1790857026000112345);
  CHECK(run.view->name(made[2].op) == "aten::addmm");
  CHECK(made[2].phase == Phase::kForward);
  CHECK(made[3].phase == Phase::kIdle);
  CHECK(run.Of(EventKind::kFreeCompleted)[0].phase == Phase::kOptimizer);
  CHECK(ValueOf(run.Last(), Series::kAllocated) == 2048);
  CHECK(ValueOf(run.Last(), Series::kReserved) == 4096);
  CHECK(run.view->steps().size() == 2);  // one ends with the optimizer's
  std::vector<Phase> phases;
  for (const Event& event : run.Of(EventKind::kPhase)) phases.push_back(event.phase);
  CHECK(phases == std::vector<Phase>{Phase::kForward, Phase::kBackward, Phase::kOptimizer, Phase::kIdle});
}

TEST_CASE("a trace that tells only how much is reserved does not tell that segments grow", "[importers]") {
  const ImportedRun run =
      ImportedFrom(Trace({Memory("1", 512, 1024, 512, 2048), Memory("2", 512, 4096, 1024, 8192),
                          Memory("3", -512, 4096, 512, 3072)}));
  const auto most = run.view->PeakIn(Series::kReserved, run.view->first(), run.view->end());
  CHECK(ValueOf(most.values, Series::kReserved) == 8192);
  CHECK(ValueOf(run.Last(), Series::kReserved) == 3072);
  const auto segments = run.view->StateAt(run.view->end() - 1).segments;
  REQUIRE(segments.size() == 2);
  for (const timeline::Segment& segment : segments) CHECK_FALSE(segment.expandable);
}

TEST_CASE("a trace of several devices, and of the CPU", "[importers]") {
  const std::vector<std::string> events = {Memory("1", 100, 64, 100, 0, -1, 0),
                                           Memory("2", 512, 1024, 512, 0, 0),
                                           Memory("3", 1024, 8192, 1024, 0, 1)};
  const ImportedRun cards = ImportedFrom(Trace(events));
  CHECK(cards.summary.description.device == "cuda:0, cuda:1");
  CHECK(ValueOf(cards.Last(), Series::kAllocated) == 1536);
  CHECK(cards.Of(EventKind::kAllocate)[1].device == 1);
  CHECK(Has(cards.summary.warning, "1 allocations and frees of the CPU's memory are left out"));
  const ImportedRun cpu = ImportedFrom(Trace({events[0]}));
  CHECK(cpu.summary.description.device == "cpu");
  CHECK(cpu.summary.description.device_name.empty());
  CHECK(ValueOf(cpu.Last(), Series::kAllocated) == 100);
}

TEST_CASE("of a machine's cards a trace names the one that was used", "[importers]") {
  const auto with_cards = [](const std::vector<std::string>& events) {
    std::string text = Trace(events);
    const std::string_view one = R"([{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 1000000}])";
    return text.replace(text.find(one), one.size(),
                        R"([{"id": 0, "name": "NVIDIA T4", "totalGlobalMem": 1000},
                            {"id": 1, "name": "NVIDIA H200", "totalGlobalMem": 1000000},
                            {"id": 2, "name": "NVIDIA H200", "totalGlobalMem": 1000000}])");
  };
  const std::string first = Memory("1", 512, 1024, 512, 0, 0);
  const std::string second = Memory("2", 512, 4096, 512, 0, 1);
  const std::string third = Memory("3", 512, 8192, 512, 0, 2);
  const auto named = [&](const std::vector<std::string>& events) {
    return ImportedFrom(with_cards(events)).summary.description.device_name;
  };
  CHECK(named({first}) == "NVIDIA T4");
  CHECK(named({second}) == "NVIDIA H200");
  CHECK(named({second, third}) == "NVIDIA H200");
  CHECK(named({first, second}).empty());
  CHECK(ImportedFrom(with_cards({second})).summary.description.device_bytes == 1'000'000);
}

TEST_CASE("a trace tells when memory ran out", "[importers]") {
  std::string failure = Memory("7", 1 << 30, 0, 512, 2048);
  failure.replace(failure.find("[memory]"), 8, "[OutOfMemory]");
  const ImportedRun run = ImportedFrom(Trace({Memory("2", 512, 1024, 512, 2048), failure}));
  REQUIRE(run.view->out_of_memory().size() == 1);
  CHECK(run.view->out_of_memory()[0].requested_bytes == 1 << 30);
  CHECK(run.view->out_of_memory()[0].free_bytes == 1'000'000 - 2048);
  REQUIRE(run.summary.description.notes.size() == 1);
  CHECK(Has(run.summary.description.notes[0], "the trace does not tell"));
  CHECK(ValueOf(run.Last(), Series::kAllocated) == 512);
}

TEST_CASE("a list of events alone is a trace; one of segments is a snapshot", "[importers]") {
  const std::string event = Memory("2", 512, 1024, 512, 0);
  CHECK(ValueOf(ImportedFrom("[" + event + "]").Last(), Series::kAllocated) == 512);
  const ImportedRun segments = ImportedFrom(
      R"([{"address": 512, "total_size": 2048, "blocks": [{"size": 512, "state": "active_allocated"}]}])");
  CHECK(segments.summary.description.producer == "PyTorch memory snapshot");
  CHECK(segments.summary.description.tells_pools);
  CHECK(ValueOf(segments.Last(), Series::kAllocated) == 512);
  CHECK(Has(ImportedFrom("[{}]").error, "no memory snapshot"));
  CHECK(Has(ImportedFrom("[1, 2]").error, "no memory snapshot"));
}

TEST_CASE("a trace without memory says how to record one", "[importers]") {
  const std::string error = ImportedFrom(Trace({Slice("cpu_op", "aten::linear", 1, 2)})).error;
  CHECK(Has(error, "tells nothing of memory"));
  CHECK(Has(error, "profile_memory=True"));
}

TEST_CASE("records that are missing, or say less than they should, are told", "[importers]") {
  const ImportedRun gap =
      ImportedFrom(Trace({Memory("1", 512, 1024, 512, 0), Memory("2", 512, 4096, 2048, 0)}));
  CHECK(Has(gap.summary.warning, "At 1 places the trace's own total differs"));
  const ImportedRun bare = ImportedFrom(
      Trace({Memory("1", 512, 1024, 512, 0), R"({"ph": "i", "name": "[memory]", "ts": 3, "args": {}})"}));
  CHECK(Has(bare.summary.warning, "1 records of memory lack"));
}

TEST_CASE("sizes that add up to more than 64 bits stop at the most there is", "[importers]") {
  constexpr int64_t kMost = INT64_MAX;
  const ImportedRun run =
      ImportedFrom(Trace({Memory("1", kMost, 1024, kMost, 0), Memory("2", 512, 4096, kMost, 0),
                          Memory("3", -512, 4096, kMost - 512, 0)}));
  CHECK(run.error.empty());
  CHECK_FALSE(Has(run.summary.warning, "own total differs"));
  CHECK(ImportedFrom(Trace({Memory("1", -kMost, 1024, kMost, 0), Memory("2", -kMost, 2048, kMost, kMost)}))
            .error.empty());
}

TEST_CASE("a trace that is cut off at any byte keeps what came before", "[importers]") {
  const std::string whole = Trace({Memory("1", 512, 1024, 512, 0), Slice("cpu_op", "aten::linear", 1, 2),
                                   Memory("2", 512, 4096, 1024, 0)});
  size_t most = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const ImportedRun run = ImportedFrom(whole.substr(0, size));
    INFO(size);
    if (!run.error.empty()) continue;
    CHECK_FALSE(run.summary.complete);
    CHECK(Has(run.summary.warning, "is cut short or damaged: at byte"));
    CHECK(run.view->end() >= most);
    most = run.view->end();
  }
  CHECK(most >= 4);
}

TEST_CASE("our own Trace Event JSON reads back: curves, steps, phases, layers", "[importers]") {
  const auto view = SampleRun().View();
  events::RunDescription description;
  description.device = "phantom";
  description.device_name = "NVIDIA H200";
  description.producer = "us";
  const Scratch scratch;
  REQUIRE(Export(*view, description, ExportFormat::kChrome, scratch / "out").ok());
  const ImportedRun run = ImportedFrom(ReadFile(scratch / "out"));
  REQUIRE(run.error.empty());
  CHECK(run.summary.description.producer == "us");
  CHECK(run.summary.description.device == "phantom");
  CHECK(run.summary.warning.empty());
  const auto peak = view->PeakIn(Series::kAllocated, view->first(), view->end());
  const auto found = run.view->PeakIn(Series::kAllocated, run.view->first(), run.view->end());
  CHECK(ValueOf(found.values, Series::kAllocated) == ValueOf(peak.values, Series::kAllocated));
  CHECK(ValueOf(found.values, Series::kRequested) == ValueOf(peak.values, Series::kRequested));
  CHECK(ValueOf(found.values, Series::kReserved) == ValueOf(peak.values, Series::kReserved));
  CHECK(ValueOf(found.values, timeline::SeriesOf(events::Category::kActivation)) == 5120);
  CHECK(run.view->TimeOf(found.index) == view->TimeOf(peak.index));
  REQUIRE(run.view->steps().size() == 2);
  CHECK(run.view->steps()[1].complete);
  CHECK(run.Of(EventKind::kMicroBatchBegin).size() == 4);
  const Event block = run.view->event(found.index);
  CHECK(block.phase == Phase::kForward);
  CHECK(run.view->name(block.layer) == "conv1");
  CHECK(run.view->name(block.op) == "aten::convolution");
  REQUIRE(run.view->out_of_memory().size() == 1);
  CHECK(run.view->out_of_memory()[0].requested_bytes == 1 << 30);
  CHECK(run.view->out_of_memory()[0].free_bytes == 99);
}

TEST_CASE("our own Perfetto traces read back, whole and cut off at any byte", "[importers]") {
  const auto view = SampleRun().View();
  events::RunDescription description;
  description.device = "phantom";
  description.producer = "us";
  const Scratch scratch;
  REQUIRE(Export(*view, description, ExportFormat::kPerfetto, scratch / "out").ok());
  const std::string whole = ReadFile(scratch / "out");
  const ImportedRun run = ImportedFrom(whole);
  REQUIRE(run.error.empty());
  CHECK(run.summary.complete);
  CHECK(run.summary.warning.empty());
  CHECK(run.summary.description.producer == "us");
  const auto peak = view->PeakIn(Series::kAllocated, view->first(), view->end());
  const auto found = run.view->PeakIn(Series::kAllocated, run.view->first(), run.view->end());
  CHECK(ValueOf(found.values, Series::kAllocated) == ValueOf(peak.values, Series::kAllocated));
  CHECK(ValueOf(found.values, Series::kRequested) == ValueOf(peak.values, Series::kRequested));
  CHECK(ValueOf(found.values, Series::kReserved) == ValueOf(peak.values, Series::kReserved));
  CHECK(run.view->TimeOf(found.index) == view->TimeOf(peak.index));
  CHECK(run.view->steps().size() == 2);
  CHECK(run.Of(EventKind::kMicroBatchBegin).size() == 4);
  const Event block = run.view->event(found.index);
  CHECK(block.phase == Phase::kForward);
  CHECK(block.thread == 77);
  CHECK(run.view->name(block.layer) == "conv1");
  CHECK(run.view->name(block.op) == "aten::convolution");
  CHECK(run.view->out_of_memory()[0].free_bytes == 99);
  CHECK(ImportedFrom(Gzipped(whole)).view->end() == run.view->end());
  for (size_t size = 1; size < whole.size(); size += 7) {
    const ImportedRun cut = ImportedFrom(whole.substr(0, size));
    INFO(size);
    const std::string told = cut.error + cut.summary.warning;
    CHECK((told.empty() || Has(told, "ends early") || Has(told, "without a run")));
  }
}

TEST_CASE("a Perfetto trace of somebody else's, or none", "[importers]") {
  CHECK(Has(ImportedFrom(std::string("\x0a\x02\x40\x05", 4)).error,
            "Perfetto trace without a run of Tidemark's"));
  CHECK(Has(ImportedFrom("\nhello").error, "ends early"));
  CHECK(Has(ImportedFrom(std::string("\x0a\x00\x7f", 3)).error, "at byte 3, there is no packet"));
  CHECK(Has(ImportedFrom("\x0a\xff\xff\xff\xff\x7f").error, "a length that none has"));
}

// [nanoseconds, action, bytes, category]; actions: 1 was there, 2 made, 3 new version, 4 gone.
TEST_CASE("a raw memory timeline", "[importers]") {
  const ImportedRun run = ImportedFrom(
      "[[-1, 1, 4096, 0], [1000, 2, 512, 7], [2000, 3, -512, 7], [2000, 3, 512, 5], [3000, 2, 512, 6],"
      " [4000, 4, -512, 5], [5000, 4, -512, 1], [1, 2], [6000, 3, -9, 0], [6000, 3, 9, 0]]");
  REQUIRE(run.error.empty());
  CHECK(run.summary.description.producer == "torch.profiler memory timeline");
  CHECK_FALSE(run.summary.description.tells_pools);
  CHECK(run.view->start_ns() == 1000);
  CHECK(ValueOf(run.Last(), timeline::SeriesOf(events::Category::kParameter)) == 4096 + 9);
  CHECK(ValueOf(run.Last(), timeline::SeriesOf(events::Category::kTemporary)) == 512);
  CHECK(ValueOf(run.Last(), timeline::SeriesOf(events::Category::kGradient)) == 0);
  REQUIRE(run.Of(EventKind::kCategorize).size() == 1);
  CHECK(run.Of(EventKind::kCategorize)[0].category == events::Category::kGradient);
  CHECK(Has(run.summary.warning, "3 records of memory lack their size, their time or what they free"));
}

TEST_CASE("a memory timeline of sums by category", "[importers]") {
  const ImportedRun run = ImportedFrom(
      "[[10, 20, 30, 40], [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 0, 0, 0, 0, 7, 0, 0],"
      " [0, 100, 0, 0, 0, 0, 40, 0, 0], [0, 100, 0, 0, 0, 0, 5, 0, 3]]]");
  REQUIRE(run.error.empty());
  CHECK(run.summary.warning.empty());
  const auto gradient = timeline::SeriesOf(events::Category::kGradient);
  CHECK(ValueOf(run.view->PeakIn(gradient, 0, run.view->end()).values, gradient) == 40);
  CHECK(ValueOf(run.Last(), gradient) == 5);
  CHECK(ValueOf(run.Last(), timeline::SeriesOf(events::Category::kUnknown)) == 3);
  CHECK(ValueOf(run.Last(), Series::kAllocated) == 108);
  CHECK(run.view->start_ns() == 10'000);
}

// Everything that is told, on a line.
class Spoken final : public JsonHandler {
 public:
  bool Null() override { return Say("null"); }
  bool Number(int64_t number) override { return Say(std::to_string(number)); }
  bool Real(double, std::string_view written) override { return Say("r" + std::string(written)); }
  bool Text(std::string_view text) override { return Say("'" + std::string(text) + "'"); }
  bool BeginObject() override { return Say("{"); }
  bool Key(std::string_view key) override {
    skip_next_ = key == "skip";
    return Say(std::string(key) + ":");
  }
  bool EndObject() override { return Say("}"); }
  bool BeginList() override { return Say("["); }
  bool EndList() override { return Say("]"); }
  bool Wants() override { return !std::exchange(skip_next_, false); }
  std::string said;

 private:
  bool Say(const std::string& word) {
    said += word + " ";
    return true;
  }
  bool skip_next_ = false;
};

std::string Parsed(std::string_view json) {
  ByteSource source = ByteSource::Of(json);
  Spoken spoken;
  const std::string damage = ParseJson(source, spoken);
  return spoken.said + damage;
}

TEST_CASE("JSON is read as it is written", "[importers]") {
  CHECK(Parsed(R"( {"a": [1, -2.5e3, true, null, "x"], "b": {}} )") ==
        "{ a: [ 1 r-2.5e3 1 null 'x' ] b: { } } ");
  CHECK(Parsed(R"(["\"\\\/\n\u00e9\u20ac\ud83d\ude00", "\ud83dx\udc00"])") ==
        "[ '\"\\/\n\u00e9\u20ac\U0001F600' '\ufffdx\ufffd' ] ");
  CHECK(
      Parsed(
          R"({"skip": {"a": ["]", "\"}"]}, "skip": -1.5, "c": [9223372036854775807, 18446744073709551615]})") ==
      "{ skip: skip: c: [ 9223372036854775807 -1 ] } ");
  CHECK(Parsed("[NaN, Infinity, -inf, 1e999]") == "[ rNaN rInfinity r-inf r1e999 ] ");
}

TEST_CASE("JSON that is none says where", "[importers]") {
  CHECK(Parsed("[1 2]") == "[ 1 at byte 4, there is no JSON");
  CHECK(Parsed("[1,]") == "[ 1 at byte 4, there is no JSON");
  CHECK(Parsed("{\"a\" 1}") == "{ a: at byte 6, there is no JSON");
  CHECK(Parsed("[1]x") == "[ 1 ] at byte 4, something follows its end");
  CHECK(Parsed("[tru]") == "[ at byte 4, there is no JSON");
  CHECK(Parsed("[\"a") == "[ at byte 3, the file ends early");
  CHECK(Parsed("[\"\\u12g4\"]") == "[ at byte 7, there is no JSON");
}

}  // namespace
}  // namespace tidemark::trace
