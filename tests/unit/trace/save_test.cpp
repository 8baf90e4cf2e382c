#include "profiler/trace/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "profiler/events/driver_memory.h"
#include "profiler/trace/exporters/export.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

using timeline::Series;

std::shared_ptr<const timeline::View> SavedAndRead(const timeline::View& view) {
  const Scratch scratch;
  events::RunDescription description;
  description.title = "a run";
  const Status saved = SaveTide(view, description, scratch / "saved.tide");
  if (!saved) FAIL(saved.error().message);
  timeline::Builder builder;
  const auto summary = ReadTide(scratch / "saved.tide", [&](auto events) { builder.Append(events); });
  REQUIRE(summary.ok());
  CHECK(summary->complete);
  CHECK(summary->description.title == "a run");
  CHECK(summary->description.notes.size() == (view.first() > 0 ? 1 : 0));
  return builder.Publish();
}

uint64_t LostBy(const timeline::View& view, events::Source source) {
  const auto state = std::ranges::find(view.sources(), source, &timeline::SourceState::source);
  return state == view.sources().end() ? 0 : state->lost;
}

TEST_CASE("a saved view reads back as the same events and the same curves", "[save]") {
  const auto view = SampleRun().View();
  const auto again = SavedAndRead(*view);
  REQUIRE(again->end() == view->end());
  for (auto index = view->first(); index < view->end(); ++index) {
    CHECK(again->event(index) == view->event(index));
    CHECK(again->ValuesAt(index) == view->ValuesAt(index));
  }
}

TEST_CASE("kernels and copies are saved, and are slices of a stream's track in traces", "[save]") {
  Stream run;
  run.Name(1, "void gemm<float>(int)");
  run.Name(2, "host to device");
  run.Allocate(1 << 20, 1000, events::Category::kParameter);
  const auto work = [&run](events::EventKind kind, int64_t begin_ns, events::NameId name) {
    run.Add({.address = static_cast<uint64_t>(Stream::kBaseNs + begin_ns),
             .bytes = kind == events::EventKind::kKernel ? 0 : 4096,
             .rounded_bytes = 250,
             .stream = 7,
             .name = name,
             .kind = kind});
  };
  work(events::EventKind::kKernel, 5000, 1);
  work(events::EventKind::kMemoryCopy, 6000, 2);
  work(events::EventKind::kMemorySet, 7000, 0);
  const auto view = run.View();
  const auto again = SavedAndRead(*view);
  CHECK(again->end() == view->end());
  REQUIRE(again->device_work().size() == 1);
  CHECK(again->device_work()[0].counts == std::array<int64_t, timeline::kDeviceWorkKinds>{1, 1, 1});
  CHECK(again->device_work()[0].items[0].begin_ns == Stream::kBaseNs + 5000);

  const Scratch scratch;
  REQUIRE(Export(*view, {}, ExportFormat::kChrome, scratch / "run.json").ok());
  const std::string json = ReadFile(scratch / "run.json");
  CHECK(
      json.find(
          R"~("cat":"kernel","pid":1,"tid":1000000011,"ts":5.000,"dur":0.250,"name":"void gemm<float>(int)")~") !=
      std::string::npos);
  CHECK(json.find(R"("name":"memset","args":{"device":0,"stream":7,"bytes":4096})") != std::string::npos);
  REQUIRE(Export(*view, {}, ExportFormat::kPerfetto, scratch / "run.pftrace").ok());
  const std::string perfetto = ReadFile(scratch / "run.pftrace");
  for (const char* word : {"GPU 0 stream 7", "gemm", "host to device", "gpu_memcpy", "memset"})
    CHECK(perfetto.find(word) != std::string::npos);
  for (const ExportFormat format :
       {ExportFormat::kSqlite, ExportFormat::kArrow, ExportFormat::kCsv, ExportFormat::kPickle})
    CHECK(LeftOutBy(format, *view).back().find("kernels: 1; memory copies: 1; memsets: 1") !=
          std::string::npos);
  CHECK(LeftOutBy(ExportFormat::kChrome, *view).empty());
}

TEST_CASE("kernels of two cards are on tracks of their own, those before the first event are there",
          "[save]") {
  Stream run;
  run.Name(1, "gemm");
  run.Allocate(1 << 20, 1000, events::Category::kParameter);
  for (const uint8_t device : {uint8_t{0}, uint8_t{1}}) {
    run.Add({.address = static_cast<uint64_t>(Stream::kBaseNs - 4000 + device),
             .rounded_bytes = 250,
             .stream = 7,
             .name = 1,
             .kind = events::EventKind::kKernel,
             .device = device});
  }
  const auto view = run.View();
  const Scratch scratch;
  std::vector<double> shares;
  const auto cancel_at_end = [&shares](double share) {
    shares.push_back(share);
    return share < 1;
  };
  const Status cancelled = Export(*view, {}, ExportFormat::kChrome, scratch / "run.json", cancel_at_end);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().message.find("cancelled") != std::string::npos);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0] == Approx(0.5));  // two events, two kernels
  REQUIRE(Export(*view, {}, ExportFormat::kChrome, scratch / "run.json").ok());
  const std::string json = ReadFile(scratch / "run.json");
  for (const char* words :
       {R"("tid":1000000011,"ts":0.000,"dur":0.250)", R"("tid":1000065547,"ts":0.001,"dur":0.250)",
        R"("name":"GPU 0 stream 7")", R"("name":"GPU 1 stream 7")"})
    CHECK(json.find(words) != std::string::npos);
  CHECK(json.find(fmt::format(R"("baseTimeNanoseconds": {})", Stream::kBaseNs - 4000)) != std::string::npos);
  REQUIRE(Export(*view, {}, ExportFormat::kPerfetto, scratch / "run.pftrace").ok());
  const std::string perfetto = ReadFile(scratch / "run.pftrace");
  CHECK(perfetto.find("GPU 0 stream 7") != std::string::npos);
  CHECK(perfetto.find("GPU 1 stream 7") != std::string::npos);
}

TEST_CASE("a view whose oldest events were let go is saved with what is still known of them", "[save]") {
  Stream run;
  run.Name(1, "settings");
  run.Name(2, R"({"batch": 64})");
  run.Name(10, "conv1");
  run.Name(11, "aten::convolution");
  run.Add({.op = 2, .name = 1, .kind = events::EventKind::kMarker});
  run.Add({.bytes = 7, .kind = events::EventKind::kLoss, .source = events::Source::kDriver});
  run.Add({.bytes = 5, .kind = events::EventKind::kLoss, .source = events::Source::kAllocator});
  run.Name(12, std::string(events::kCuptiMemory));
  run.Add({.bytes = 9'600'000,
           .name = 12,
           .kind = events::EventKind::kCounter,
           .source = events::Source::kDriver});
  run.Add({.address = 1 << 20, .bytes = 2 << 20, .kind = events::EventKind::kSegmentAllocate});
  run.Allocate(1 << 20, 1000, events::Category::kParameter);
  run.Allocate((1 << 20) + 4096, 5000, events::Category::kGradient);
  run.Name(13, "float32 [5, 250]");
  run.Add({.address = (1 << 20) + 4096, .name = 13, .kind = events::EventKind::kTensorShape});
  run.Add({.address = 1 << 24, .bytes = 2 << 20, .kind = events::EventKind::kSegmentAllocate, .device = 1});
  run.Add({.address = 1 << 24, .bytes = 3000, .rounded_bytes = 3072, .device = 1});
  for (int step = 0; step < 20'000; ++step) {
    run.Numbered(events::EventKind::kStepBegin, step);
    run.Phase(events::Phase::kForward);
    run.Allocate((1 << 20) + 16384, 2000, events::Category::kActivation);
    run.Free((1 << 20) + 16384);
    run.Numbered(events::EventKind::kStepEnd, step);
  }
  const auto view = run.View(32'768);
  REQUIRE(view->first() > 0);
  const auto again = SavedAndRead(*view);

  // From the second event on, everything is the same, only the indices differ.
  const auto offset = (again->end() - view->end());
  for (auto index = view->first() + 1; index < view->end(); index += 7) {
    REQUIRE(again->event(index + offset) == view->event(index));
    REQUIRE(again->ValuesAt(index + offset) == view->ValuesAt(index));
  }
  CHECK(again->name(11) == "aten::convolution");
  CHECK(again->health().lost == 7 + 5);
  CHECK(LostBy(*again, events::Source::kDriver) == 7);
  CHECK(LostBy(*again, events::Source::kAllocator) == 5);
  CHECK(again->cupti_bytes() == 9'600'000);
  CHECK(again->health().unmatched_frees == 0);
  CHECK(again->health().double_allocations == 0);
  const timeline::State state = again->StateAt(again->end() - 1);
  REQUIRE(state.blocks.size() == 3);
  CHECK(again->name(state.blocks[1].shape) == "float32 [5, 250]");
  CHECK(state.blocks[0].shape == 0);
  REQUIRE(again->devices().size() == 2);
  CHECK(again->devices()[1].allocated_bytes == 3072);
  CHECK(again->devices()[1].reserved_bytes == 2 << 20);
  CHECK(state.blocks[1].category == events::Category::kGradient);
  CHECK(again->name(state.blocks[1].layer) == "conv1");
  REQUIRE(again->settings().size() == 1);
  CHECK(again->settings()[0] == R"({"batch": 64})");
  CHECK(again->steps().back().settings == 0);
}

std::vector<int64_t> NumbersOf(const timeline::Sequence<timeline::Step>& steps) {
  std::vector<int64_t> numbers;
  for (const timeline::Step& step : steps) numbers.push_back(step.number);
  return numbers;
}

TEST_CASE("a view that begins anywhere in a step is saved with its steps, and misses none", "[save]") {
  const int shift = GENERATE(range(0, 6));  // each event of a step is the first of the view once
  Stream run;
  for (int i = 0; i < shift; ++i) run.Phase(events::Phase::kIdle);
  for (int step = 0; step < 20'000; ++step) {
    run.Numbered(events::EventKind::kStepBegin, step);
    run.Phase(events::Phase::kForward);
    run.Allocate(1 << 20, 2000, events::Category::kActivation);
    run.Free(1 << 20);
    run.Numbered(events::EventKind::kStepEnd, step);
  }
  const auto view = run.View(32'768);
  REQUIRE(view->first() > 0);
  const auto again = SavedAndRead(*view);
  CHECK(NumbersOf(again->steps()) == NumbersOf(view->steps()));
  CHECK(again->steps().front().complete);
  CHECK(again->health().unmatched_steps == 0);
  CHECK(again->health().unmatched_frees == 0);
  const Scratch scratch;
  REQUIRE(Export(*again, {}, ExportFormat::kChrome, scratch / "run.json").ok());
  CHECK(ReadFile(scratch / "run.json").find(fmt::format(R"("step {}")", view->steps().front().number - 1)) ==
        std::string::npos);
  const auto twice = SavedAndRead(*again);
  CHECK(NumbersOf(twice->steps()) == NumbersOf(view->steps()));
}

TEST_CASE("a step that goes on beyond all that a view holds is saved as begun, and no other", "[save]") {
  Stream run;
  const auto begun = [&run] {
    std::vector<int64_t> numbers;
    for (const events::Event& event : PrologueOf(*run.View(16'384)))
      if (event.kind == events::EventKind::kStepBegin) numbers.push_back(event.bytes);
    return numbers;
  };
  const auto go_on = [&run] {
    for (int i = 0; i < 40'000; ++i) run.Phase(events::Phase::kForward);
  };
  go_on();
  CHECK(begun().empty());
  run.Numbered(events::EventKind::kStepBegin, 7);
  go_on();
  CHECK(begun() == std::vector<int64_t>{7});
  run.Numbered(events::EventKind::kStepEnd, 7);
  CHECK(begun() == std::vector<int64_t>{7});
  run.Numbered(events::EventKind::kStepBegin, 8);
  CHECK(begun() == std::vector<int64_t>{7});
  go_on();
  CHECK(begun() == std::vector<int64_t>{8});
  run.Numbered(events::EventKind::kStepEnd, 8);
  go_on();
  CHECK(begun().empty());
}

TEST_CASE("what stands at the beginning of a view whose oldest events were let go is saved", "[save]") {
  constexpr events::NameId kText = 1;
  const auto [kind, seen] = GENERATE(table<events::EventKind, size_t>({
      {events::EventKind::kMarker, 1},
      {events::EventKind::kOutOfMemory, 1},
      {events::EventKind::kLoss, 0},
  }));
  Stream run;
  run.Name(kText, "fp16 on");
  while (run.events.size() < 32'768) run.Phase(events::Phase::kForward);
  const size_t at = run.events.size();
  run.Add({.bytes = 7, .name = kText, .kind = kind});
  while (run.events.size() < at + 20'000) run.Phase(events::Phase::kForward);
  const auto view = run.View(16'384);
  REQUIRE(view->first() == at);
  const auto again = SavedAndRead(*view);
  CHECK(again->markers().size() == (kind == events::EventKind::kMarker ? seen : 0));
  CHECK(again->out_of_memory().size() == (kind == events::EventKind::kOutOfMemory ? seen : 0));
  CHECK(again->health().lost == view->health().lost);  // and no loss is told twice
}

TEST_CASE("a segment that grows still does in what is saved without its beginning", "[save]") {
  constexpr uint64_t kBegin = 1 << 30;
  constexpr int64_t kPiece = 2 << 20;
  Stream run;
  run.Add({.address = kBegin, .bytes = kPiece, .kind = events::EventKind::kSegmentMap});
  run.Add({.address = 1 << 20,
           .bytes = kPiece,
           .stream = 0x5555,
           .kind = events::EventKind::kSegmentAllocate,
           .pool = 2});
  for (int i = 0; i < 40'000; ++i) {
    run.Allocate(kBegin, 2000, events::Category::kActivation);
    run.Free(kBegin);
  }
  run.Add({.address = kBegin + kPiece, .bytes = kPiece, .kind = events::EventKind::kSegmentMap});
  const auto view = run.View(32'768);
  REQUIRE(view->first() > 0);
  const auto again = SavedAndRead(*view);
  const timeline::State state = again->StateAt(again->end() - 1);
  REQUIRE(state.segments.size() == 2);
  CHECK_FALSE(state.segments[0].expandable);
  CHECK(int{state.segments[0].pool} == 2);
  CHECK(state.segments[0].stream == 0x5555);
  CHECK(state.segments[1].expandable);
  CHECK(state.segments[1].bytes == 2 * kPiece);
}

TEST_CASE("a recording that is just being written is nothing to save or export over, and goes on", "[save]") {
  const Scratch scratch;
  const Stream run = SampleRun();
  Result<TideWriter> recording = TideWriter::Create(scratch / "run.tide", {});
  REQUIRE(recording.ok());
  const Status saved = SaveTide(*run.View(), {}, scratch / "run.tide");
  const Status exported = Export(*run.View(), {}, ExportFormat::kCsv, scratch / "run.tide");
  REQUIRE_FALSE(saved.ok());
  REQUIRE_FALSE(exported.ok());
  CHECK(saved.error().message.find("run.tide is being recorded right now") != std::string::npos);
  CHECK(exported.error().message == saved.error().message);
  CHECK(scratch.FileCount() == 1);
  CHECK(recording->Append(run.events).ok());
  CHECK(recording->Close().ok());
  CHECK(SaveTide(*run.View(), {}, scratch / "run.tide").ok());
}

TEST_CASE("a save that fails keeps the file that was there, and names the file that was asked for",
          "[save]") {
  const Scratch scratch;
  const auto view = SampleRun().View();
  std::vector<double> told;
  const Status cancelled = SaveTide(*view, {}, scratch / "kept.tide", [&](double share) {
    told.push_back(share);
    return false;
  });
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().message.find("cancelled") != std::string::npos);
  CHECK(told == std::vector<double>{1});
  CHECK_FALSE(std::filesystem::exists(scratch / "kept.tide"));
  const Status nowhere = SaveTide(*view, {}, scratch / "no/such/run.tide");
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().message.find((scratch / "no/such/run.tide").string()) != std::string::npos);
  const Status full = SaveTide(*view, {}, "/dev/full");
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().message.find("/dev/full cannot be written") != std::string::npos);
  CHECK(scratch.FileCount() == 0);
}

TEST_CASE("a part of a view is saved as it is in it, with what was alive before, and nothing besides",
          "[save]") {
  Stream run;
  run.Name(10, "conv1");
  run.Name(11, "aten::convolution");
  run.Add({.bytes = 5, .kind = events::EventKind::kLoss, .source = events::Source::kAllocator});
  run.Allocate(1 << 20, 1000, events::Category::kParameter);
  for (int step = 0; step < 100; ++step) {
    run.Numbered(events::EventKind::kStepBegin, step);
    run.Allocate((1 << 20) + 4096, 2000 + step, events::Category::kActivation);
    if (step == 42)
      run.Add({.bytes = 2, .kind = events::EventKind::kLoss, .source = events::Source::kAllocator});
    run.Free((1 << 20) + 4096);
    run.Add({.address = static_cast<uint64_t>(run.events.back().time_ns),
             .rounded_bytes = 250,
             .kind = events::EventKind::kKernel});
    run.Numbered(events::EventKind::kStepEnd, step);
  }
  const auto view = run.View();
  const timeline::Step& first = view->steps()[40];
  const timeline::Step& last = view->steps()[44];
  const Part part{first.begin, last.end + 1};
  const Scratch scratch;
  REQUIRE(SavePart(*view, part, {}, scratch / "part.tide").ok());
  timeline::Builder builder;
  REQUIRE(ReadTide(scratch / "part.tide", [&](auto events) { builder.Append(events); }).ok());
  const auto again = builder.Publish();
  REQUIRE(again->steps().size() == 5);
  CHECK(again->steps().front().number == 40);
  CHECK(again->steps().back().complete);
  const auto offset = again->end() - part.end;
  for (auto index = part.begin + 1; index < part.end; ++index) {
    CHECK(again->event(index + offset) == view->event(index));
    CHECK(again->ValuesAt(index + offset) == view->ValuesAt(index));
  }
  CHECK(again->StateAt(again->steps().front().begin).blocks.size() == 1);
  CHECK(LostBy(*again, events::Source::kAllocator) == 5 + 2);
  CHECK(again->health().unmatched_steps + again->health().unmatched_frees == 0);
  REQUIRE(again->device_work().size() == 1);
  CHECK(again->device_work()[0].count == 5);
}

}  // namespace
}  // namespace tidemark::trace
