// import(export(x)) = x for what a format can hold.
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "profiler/events/allocator_settings.h"
#include "profiler/trace/exporters/export.h"
#include "tests/support/catch.h"
#include "tests/unit/importers/pickles.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

ImportedRun Through(ExportFormat format, const timeline::View& view) {
  const Scratch scratch;
  REQUIRE(Export(view, {}, format, scratch / "out").ok());
  return ImportedBy([&](const auto& sink) { return Import(scratch / "out", sink); });
}

ImportedRun ThroughPickle(const timeline::View& view) { return Through(ExportFormat::kPickle, view); }

// Allocated, requested and reserved, and the microsecond of each change.
std::vector<std::array<int64_t, 4>> CurvesOf(const timeline::View& view) {
  std::vector<std::array<int64_t, 4>> curves;
  timeline::SeriesValues before{};
  for (timeline::EventIndex i = view.first(); i < view.end(); ++i) {
    const timeline::SeriesValues values = view.ValuesAt(i);
    const auto is_as_before = [&](Series series) {
      return ValueOf(values, series) == ValueOf(before, series);
    };
    before = values;
    if (is_as_before(Series::kAllocated) && is_as_before(Series::kRequested) &&
        is_as_before(Series::kReserved))
      continue;
    curves.push_back({view.TimeOf(i) / 1000, ValueOf(values, Series::kAllocated),
                      ValueOf(values, Series::kRequested), ValueOf(values, Series::kReserved)});
  }
  return curves;
}

std::vector<Event> MemoryEvents(const timeline::View& view) {
  std::vector<Event> found;
  for (timeline::EventIndex i = view.first(); i < view.end(); ++i) {
    if (view.event(i).kind <= EventKind::kSnapshot && view.event(i).kind != EventKind::kCategorize) {
      found.push_back(view.event(i));
    }
  }
  return found;
}

// What the stream of another run says, whatever ids its names have.
void CheckSame(const timeline::View& one, const timeline::View& other) {
  const std::vector<Event> expected = MemoryEvents(one);
  const std::vector<Event> found = MemoryEvents(other);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    REQUIRE(found[i].kind == expected[i].kind);
    CHECK(found[i].address == expected[i].address);
    CHECK(found[i].bytes == expected[i].bytes);
    CHECK(found[i].rounded_bytes == expected[i].rounded_bytes);
    CHECK(found[i].stream == expected[i].stream);
    CHECK(found[i].time_ns / 1000 == expected[i].time_ns / 1000);
    CHECK(found[i].device == expected[i].device);
    CHECK(other.name(found[i].op) == one.name(expected[i].op));
  }
}

// An allocator in small: segments, first fit, what PyTorch rounds.
class Program {
 public:
  explicit Program(uint32_t seed) : random_(seed) {
    stream_.Name(1, "forward (model.py:12) ← train (train.py:40)");
    stream_.Name(2, "aten::empty ← no place at all");
    stream_.Add({.address = kBase, .bytes = 64 << 20, .kind = EventKind::kSegmentAllocate});
  }

  Stream Run(int events) {
    stream_.Numbered(EventKind::kStepBegin, 0);
    stream_.Phase(events::Phase::kForward);
    for (int i = 0; i < events; ++i) {
      if (Pick(3) != 0 || live_.empty()) {
        Allocate();
      } else {
        Free();
      }
    }
    stream_.Phase(events::Phase::kIdle);
    stream_.Numbered(EventKind::kStepEnd, 0);
    return stream_;
  }

 private:
  static constexpr uint64_t kBase = 1 << 20;
  int Pick(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }

  // Each in a row after the other, so that each is split off what is free.
  void Allocate() {
    const int64_t bytes = 1 + Pick(4000);
    const int64_t rounded = (bytes + 511) / 512 * 512;
    stream_.Add({.address = next_,
                 .bytes = bytes,
                 .rounded_bytes = rounded,
                 .stream = static_cast<uint64_t>(Pick(2)) * 77,
                 .op = static_cast<events::NameId>(Pick(3)),
                 .kind = EventKind::kAllocate,
                 .category = static_cast<events::Category>(Pick(events::kCategoryCount))});
    live_.push_back(next_);
    next_ += static_cast<uint64_t>(rounded);
  }
  void Free() {
    const auto which = live_.begin() + Pick(static_cast<int>(live_.size()));
    stream_.Add({.address = *which, .kind = EventKind::kFreeRequested});
    if (Pick(4) != 0) stream_.Add({.address = *which, .kind = EventKind::kFreeCompleted});
    live_.erase(which);
  }

  std::mt19937 random_;
  Stream stream_;
  uint64_t next_ = kBase;
  std::vector<uint64_t> live_;
};

TEST_CASE("runs through a snapshot's pickle and back are the same", "[importers][property]") {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    INFO(seed);
    const auto view = Program(seed).Run(1 + static_cast<int>(seed) * 8).View();
    const ImportedRun again = ThroughPickle(*view);
    REQUIRE(again.error.empty());
    CHECK(again.summary.warning.empty());
    CHECK(again.Last() == view->ValuesAt(view->end() - 1));
    CheckSame(*view, *again.view);
    REQUIRE(again.view->steps().size() == 1);
    CHECK(again.view->steps()[0].complete);
    REQUIRE(again.view->phases().size() == view->phases().size());
    for (size_t i = 0; i < view->phases().size(); ++i) {
      CHECK(again.view->phases()[i].phase == view->phases()[i].phase);
    }
    CheckSame(*again.view, *ThroughPickle(*again.view).view);
  }
}

TEST_CASE("a run goes from each format that reads back to the next one, and its curves stay",
          "[importers][property]") {
  constexpr std::array kFormats = {ExportFormat::kChrome, ExportFormat::kPerfetto, ExportFormat::kSqlite};
  for (uint32_t seed = 0; seed < 3; ++seed) {
    const auto view = Program(seed).Run(20 + static_cast<int>(seed) * 60).View();
    const auto curves = CurvesOf(*view);
    for (const ExportFormat first : kFormats) {
      const ImportedRun once = Through(first, *view);
      INFO(seed << ", format " << static_cast<int>(first) << ": " << once.error);
      REQUIRE(once.error.empty());
      CHECK(CurvesOf(*once.view) == curves);
      for (const ExportFormat second : kFormats) {
        INFO("then format " << static_cast<int>(second));
        CHECK(CurvesOf(*Through(second, *once.view).view) == curves);
      }
    }
  }
}

// Everything that an event says, but the thread that began a step or a phase, and who told of memory.
using Told = std::tuple<EventKind, int64_t, uint64_t, int64_t, int64_t, std::string, std::string, std::string,
                        int, int, int, int, uint64_t, int, int>;

std::vector<Told> AllOf(const timeline::View& view) {
  std::vector<Told> all;
  for (timeline::EventIndex i = view.first(); i < view.end(); ++i) {
    const Event event = view.event(i);
    if (event.kind == EventKind::kName) continue;
    const bool has_thread = event.kind != EventKind::kPhase && event.kind != EventKind::kStepBegin &&
                            event.kind != EventKind::kStepEnd && event.kind != EventKind::kMicroBatchBegin &&
                            event.kind != EventKind::kLoss;
    all.emplace_back(
        event.kind, event.time_ns, event.address, event.bytes, event.rounded_bytes,
        std::string(view.name(event.layer)), std::string(view.name(event.op)),
        std::string(view.name(event.name)), static_cast<int>(event.category), static_cast<int>(event.phase),
        static_cast<int>(event.level) + 10 * event.recompute + 100 * event.pool,
        has_thread ? static_cast<int>(event.thread) : 0, event.stream, static_cast<int>(event.device),
        event.kind > EventKind::kSnapshot ? static_cast<int>(event.source) : 0);
  }
  return all;
}

TEST_CASE("shapes go through a snapshot, of what is alive at its end and of what is not", "[importers]") {
  Stream run;
  run.Name(1, "float16 [64, 128]");
  run.Name(2, "int64 [8]");
  run.Add({.address = 0x10000000, .bytes = 2 << 20, .kind = EventKind::kSegmentAllocate});
  const auto allocate = [&](uint64_t address, events::NameId shape) {
    run.Allocate(address, 1000, events::Category::kActivation);
    run.events.back().layer = run.events.back().op = 0;
    if (shape != 0) run.Add({.address = address, .name = shape, .kind = EventKind::kTensorShape});
  };
  allocate(0x10000000, 1);
  allocate(0x10001000, 2);
  allocate(0x10002000, 0);
  run.Free(0x10000000);
  const auto shapes_of = [](const timeline::View& view) {
    std::vector<std::string> shapes;
    for (timeline::EventIndex i = view.first(); i < view.end(); ++i) {
      if (view.event(i).kind == EventKind::kAllocate) shapes.emplace_back(view.name(view.ShapeOf(i)));
    }
    return shapes;
  };
  const std::vector<std::string> expected = {"float16 [64, 128]", "int64 [8]", ""};
  const auto view = run.View();
  REQUIRE(shapes_of(*view) == expected);
  const ImportedRun again = ThroughPickle(*view);
  CHECK(again.view->health().unmatched_tensors == 0);
  CHECK(shapes_of(*again.view) == expected);
}

TEST_CASE("private pools go through a snapshot, those of segments that are gone at its end, too",
          "[importers]") {
  Stream run;
  run.Name(1, "private pool (0, 3)");
  const auto segment = [&](EventKind kind, uint64_t address, uint8_t pool) {
    run.Add({.address = address, .bytes = 2 << 20, .kind = kind, .pool = pool});
  };
  constexpr uint64_t kGone = 0x10000000;
  constexpr uint64_t kKept = 0x20000000;
  constexpr uint64_t kOther = 0x30000000;
  segment(EventKind::kSegmentAllocate, kOther, 1);  // by address it is the last
  segment(EventKind::kSegmentAllocate, kKept, 2);
  segment(EventKind::kSegmentAllocate, kGone, 2);
  for (const auto& [address, pool] : {std::pair(kOther, 1), std::pair(kKept, 2), std::pair(kGone, 2)}) {
    run.Allocate(address, 1000, events::Category::kActivation);
    run.events.back().pool = static_cast<uint8_t>(pool);
  }
  run.events[1].name = 1;
  run.Free(kGone);
  for (size_t i = run.events.size() - 2; i < run.events.size(); ++i) run.events[i].pool = 2;
  segment(EventKind::kSegmentFree, kGone, 2);
  const auto view = run.View();
  const auto again = ThroughPickle(*view).view;
  const std::vector<Event> expected = MemoryEvents(*view);
  const std::vector<Event> found = MemoryEvents(*again);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    CHECK(int{found[i].pool} == int{expected[i].pool});
  }
  const timeline::State end = again->StateAt(again->end() - 1);
  REQUIRE(end.segments.size() == 2);
  CHECK(again->name(end.segments[0].pool_name) == "private pool (2, 0)");  // whose name nobody told
  CHECK(again->name(end.segments[1].pool_name) == "private pool (0, 3)");
}

TEST_CASE("that nobody told which pool a failed request was of goes through a snapshot", "[importers]") {
  const uint8_t told = GENERATE(uint8_t{0}, uint8_t{2}, events::kManyPools);
  Stream run;
  for (const uint8_t pool : {uint8_t{0}, uint8_t{1}, uint8_t{2}}) {
    run.Add({.address = 0x10000000 + 0x1000000 * uint64_t{pool},
             .bytes = 2 << 20,
             .kind = EventKind::kSegmentAllocate,
             .pool = pool});
  }
  run.Add({.bytes = 4 << 20, .kind = EventKind::kOutOfMemory, .pool = told});
  const auto again = ThroughPickle(*run.View()).view;
  CHECK(int{MemoryEvents(*again).back().pool} == int{told});
}

TEST_CASE("a trace of ours brings every event back", "[importers]") {
  Stream run = SampleRun();
  AddTheRest(run);
  const auto view = run.View();
  for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
    INFO("format " << static_cast<int>(format));
    const ImportedRun again = Through(format, *view);
    REQUIRE(again.error.empty());
    CHECK(again.summary.warning.empty());
    const std::vector<Told> expected = AllOf(*view);
    const std::vector<Told> found = AllOf(*again.view);
    for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      INFO(i << " of " << expected.size() << ": " << NameOf(std::get<0>(expected[i])) << " became "
             << NameOf(std::get<0>(found[i])));
      REQUIRE(found[i] == expected[i]);
    }
    CHECK(found.size() == expected.size());
    CHECK(again.Last() == view->ValuesAt(view->end() - 1));
    CHECK(again.view->steps().size() == view->steps().size());
    CHECK(again.view->health().lost == view->health().lost);
    CHECK(LeftOutBy(format, *view).empty());
  }
}

TEST_CASE("a trace of ours of two cards comes back", "[importers]") {
  Stream run;
  for (const uint8_t device : {uint8_t{0}, uint8_t{1}}) {
    const uint64_t address = (uint64_t{device} + 1) << 30;
    run.Add({.address = address, .bytes = 2 << 20, .kind = EventKind::kSegmentAllocate, .device = device});
    run.Allocate(address, 1000 * (1 + device), events::Category::kParameter);
    run.events.back().device = device;
  }
  run.Free(uint64_t{1} << 30);
  const auto view = run.View();
  for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
    const ImportedRun again = Through(format, *view);
    REQUIRE(again.error.empty());
    CHECK(again.summary.warning.empty());
    CHECK(AllOf(*again.view) == AllOf(*view));
  }
}

TEST_CASE("steps that were one come back as one", "[importers]") {
  Stream stream;
  stream.Numbered(EventKind::kStepBegin, 0);
  stream.Add({.address = 1 << 20, .bytes = 512, .rounded_bytes = 512, .kind = EventKind::kAllocate});
  stream.Numbered(EventKind::kStepEnd, 0);
  stream.Numbered(EventKind::kStepBegin, 1);
  stream.Add({.address = 2 << 20, .bytes = 512, .rounded_bytes = 512, .kind = EventKind::kAllocate});
  stream.Numbered(EventKind::kStepEnd, 0);
  stream.Numbered(EventKind::kStepBegin, 1);
  stream.Numbered(EventKind::kStepEnd, 1);
  const auto view = stream.View();
  REQUIRE(view->steps().size() == 2);
  for (const ExportFormat format :
       {ExportFormat::kPerfetto, ExportFormat::kChrome, ExportFormat::kPickle, ExportFormat::kSqlite}) {
    INFO(static_cast<int>(format));
    const ImportedRun run = Through(format, *view);
    REQUIRE(run.view->steps().size() == 2);
    for (size_t i = 0; i < 2; ++i) {
      CHECK(run.view->steps()[i].number == view->steps()[i].number);
      CHECK(ValueOf(run.view->steps()[i].at_peak, Series::kAllocated) ==
            ValueOf(view->steps()[i].at_peak, Series::kAllocated));
    }
  }
}

TEST_CASE("steps that were not one after all come back with their own numbers", "[importers]") {
  Stream stream;
  for (const auto& [begin, end] : {std::pair{0, 0}, {1, 1}, {2, 0}, {1, 3}, {4, 4}}) {
    stream.Numbered(EventKind::kStepBegin, begin);
    stream.Allocate(uint64_t{1} << 20, 512, events::Category::kActivation);
    stream.Free(uint64_t{1} << 20);
    stream.Numbered(EventKind::kStepEnd, end);
  }
  const auto view = stream.View();
  REQUIRE(view->steps().size() == 5);
  for (const ExportFormat format :
       {ExportFormat::kPerfetto, ExportFormat::kChrome, ExportFormat::kPickle, ExportFormat::kSqlite}) {
    INFO(static_cast<int>(format));
    const ImportedRun run = Through(format, *view);
    REQUIRE(run.view->steps().size() == 5);
    for (size_t i = 0; i < 5; ++i) CHECK(run.view->steps()[i].number == static_cast<int64_t>(i));
  }
}

TEST_CASE("kernels, copies and memsets of a trace come back", "[importers]") {
  Stream run;
  run.Name(1, "gemm");
  run.Name(2, "host to device");
  run.Allocate(1 << 20, 1000, events::Category::kParameter);
  const auto work = [&run](EventKind kind, int64_t begin_ns, int64_t bytes, events::NameId name,
                           uint8_t device) {
    run.Add({.address = static_cast<uint64_t>(Stream::kBaseNs + begin_ns),
             .bytes = bytes,
             .rounded_bytes = 500,
             .stream = 7,
             .name = name,
             .kind = kind,
             .device = device});
  };
  work(EventKind::kKernel, -100, 0, 1, 0);
  work(EventKind::kMemoryCopy, 1000, 4096, 2, 1);
  work(EventKind::kMemorySet, 2000, 64, 0, 0);
  const auto view = run.View();
  for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
    const ImportedRun again = Through(format, *view);
    REQUIRE(again.error.empty());
    REQUIRE(again.view->device_work().size() == 1);
    const timeline::DeviceWorkPage& page = again.view->device_work()[0];
    REQUIRE(page.count == 3);
    for (size_t i = 0; i < page.count; ++i) {
      const timeline::DeviceWork& expected = view->device_work()[0].items[i];
      const timeline::DeviceWork& found = page.items[i];
      CHECK(found.begin_ns == expected.begin_ns);
      CHECK(found.duration_ns == expected.duration_ns);
      CHECK(found.bytes == expected.bytes);
      CHECK(found.stream == expected.stream);
      CHECK(found.device == expected.device);
      CHECK(found.kind == expected.kind);
      CHECK(again.view->name(found.name) == view->name(expected.name));
    }
  }
}

TEST_CASE("a trace of ours holds the run's description and bookmarks", "[importers]") {
  const auto view = SampleRun().View();
  events::RunDescription description;
  description.title = "SimpleConvNet, batch 64";
  description.device = "phantom";
  description.producer = "us";
  description.settings_json = R"({"batch": 64})";
  description.allocator_settings = "expandable_segments:True";
  description.notes = {"one", "two"};
  const std::vector<Bookmark> bookmarks = {{view->TimeOf(view->first()) + 5000, "here"},
                                           {view->TimeOf(view->end() - 1), "and \"there\""}};
  for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
    const Scratch scratch;
    REQUIRE(Export(*view, description, format, scratch / "out", {}, bookmarks).ok());
    const TideSummary again = ImportedFrom(ReadFile(scratch / "out")).summary;
    CHECK(again.bookmarks == bookmarks);
    CHECK(again.description.title == description.title);
    CHECK(again.description.settings_json == description.settings_json);
    CHECK(again.description.allocator_settings == description.allocator_settings);
    CHECK(again.description.notes == description.notes);
  }
}

TEST_CASE("a trace of ours opens whatever length its first packet has", "[importers]") {
  const auto view = SampleRun().View();
  events::RunDescription description;
  for (int letters = 0; letters < 300; ++letters) {
    description.title = std::string(static_cast<size_t>(letters), 't');
    const Scratch scratch;
    REQUIRE(Export(*view, description, ExportFormat::kPerfetto, scratch / "out").ok());
    const ImportedRun again = ImportedFrom(ReadFile(scratch / "out"));
    INFO(letters);
    REQUIRE(again.error.empty());
    CHECK(again.summary.complete);
    CHECK(again.view->end() == view->end());
  }
}

// What went before the first event that is kept is known by its totals alone.
TEST_CASE("a trace of the end of a run has its totals", "[importers]") {
  Stream run;
  run.Add({.address = 1 << 21, .bytes = 8 << 20, .kind = EventKind::kSegmentAllocate});
  run.Allocate(1 << 21, 1 << 20, events::Category::kParameter);
  for (int i = 0; i < 30'000; ++i) {
    run.Allocate((1 << 21) + (4 << 20), 512, events::Category::kTemporary);
    run.Free((1 << 21) + (4 << 20));
  }
  run.Add({.address = 1 << 28, .bytes = 2 << 20, .kind = EventKind::kSegmentAllocate});
  run.Allocate(1 << 28, 2 << 20, events::Category::kTemporary);
  const auto view = run.View(1 << 16);
  REQUIRE(view->first() > 0);
  for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
    const ImportedRun again = Through(format, *view);
    REQUIRE(again.error.empty());
    for (const Series series : {Series::kAllocated, Series::kReserved})
      CHECK(ValueOf(again.Last(), series) == ValueOf(view->ValuesAt(view->end() - 1), series));
  }
}

TEST_CASE("a snapshot that PyTorch might have written goes through its own format and back", "[importers]") {
  const ImportedRun run = ImportedFrom(SmallSnapshot().Bytes());
  const ImportedRun again = ThroughPickle(*run.view);
  REQUIRE(again.error.empty());
  CheckSame(*run.view, *again.view);
  CHECK(again.Last() == run.Last());
}

// The block is gone at the end, so its size follows from the settings alone.
TEST_CASE("how PyTorch's allocator was set up goes with the snapshot", "[importers]") {
  constexpr uint64_t kAddress = 1 << 21;
  Stream run;
  run.Add({.address = kAddress, .bytes = 20 << 20, .kind = EventKind::kSegmentAllocate});
  run.Add(
      {.address = kAddress, .bytes = 1'100'000, .rounded_bytes = 1'310'720, .kind = EventKind::kAllocate});
  run.Free(kAddress);
  const auto view = run.View();
  const Scratch scratch;
  events::RunDescription description;
  description.allocator_settings = "max_split_size_mb: 64, roundup_power2_divisions: 4";
  REQUIRE(Export(*view, description, ExportFormat::kPickle, scratch / "out").ok());
  const ImportedRun again = ImportedFrom(ReadFile(scratch / "out"));
  REQUIRE(again.error.empty());
  CheckSame(*view, *again.view);
  CHECK(again.summary.description.allocator_settings == description.allocator_settings);
}

TEST_CASE("PyTorch's allocator settings say how sizes are rounded", "[importers]") {
  using events::RulesOf;
  CHECK(events::IsAsyncAllocator("max_split_size_mb:64, backend : cudaMallocAsync"));
  CHECK_FALSE(events::IsAsyncAllocator("backend:native,my_backend:cudaMallocAsync"));
  CHECK_FALSE(events::IsAsyncAllocator(""));
  CHECK(RulesOf("").max_split_bytes == -1);
  CHECK(RulesOf("expandable_segments:True,max_split_size_mb:128").max_split_bytes == 128 << 20);
  CHECK(RulesOf("my_max_split_size_mb:128").max_split_bytes == -1);
  CHECK(RulesOf("max_split_size_mb:99999999999999999999").max_split_bytes == -1);
  const auto divisions = RulesOf("roundup_power2_divisions:[4:1,16:2,>:8],max_split_size_mb:1");
  CHECK(divisions.max_split_bytes == 1 << 20);
  const std::array<int64_t, 16> expected = {1, 1, 1, 0, 2, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
  CHECK(divisions.roundup_power2_divisions == expected);
  for (const char* odd : {"roundup_power2_divisions:[", "roundup_power2_divisions:[:,>",
                          "roundup_power2_divisions:[0:3]", "roundup_power2_divisions:x"}) {
    CHECK(RulesOf(odd).roundup_power2_divisions == std::array<int64_t, 16>{});
  }
}

TEST_CASE("a run with everything: what a snapshot cannot hold is told", "[importers]") {
  const auto view = SampleRun().View();
  const ImportedRun again = ThroughPickle(*view);
  REQUIRE(again.error.empty());
  CHECK(again.view->steps().size() == 2);
  CHECK(again.Last() == view->ValuesAt(view->end() - 1));
  const auto left_out = LeftOutBy(ExportFormat::kPickle, *view);
  REQUIRE(left_out.size() == 1);
  CHECK(left_out[0].find("markers: 1") != std::string::npos);
  CHECK(LeftOutBy(ExportFormat::kSqlite, *view).empty());
  CHECK(LeftOutBy(ExportFormat::kCsv, *view).front().find("settings") != std::string::npos);
  CHECK(LeftOutBy(ExportFormat::kPerfetto, *view).empty());
}

TEST_CASE("a pickle of a run whose oldest events were let go has what they had left, each on its card",
          "[importers]") {
  constexpr uint64_t kFirst = 1 << 20;
  constexpr uint64_t kSecond = uint64_t{1} << 40;
  Stream run;
  const auto reserve = [&run](uint64_t address, uint8_t device, uint64_t stream) {
    run.Add({.address = address,
             .bytes = 2 << 20,
             .stream = stream,
             .kind = EventKind::kSegmentAllocate,
             .device = device});
  };
  reserve(kFirst, 0, 0);
  reserve(kSecond, 1, 7);
  run.Add({.address = kSecond, .bytes = 3000, .rounded_bytes = 3072, .device = 1});
  run.Add({.address = kFirst + 8192, .bytes = 5000, .rounded_bytes = 5120});
  run.Add({.address = kFirst + 8192, .kind = EventKind::kFreeRequested});
  for (int i = 0; i < 40'000; ++i) {
    run.Allocate(kFirst, 2000, events::Category::kActivation);
    run.Free(kFirst);
  }
  reserve(kFirst + (4 << 20), 0, 5);
  const auto view = run.View(32'768);
  REQUIRE(view->first() > 0);
  const ImportedRun again = ThroughPickle(*view);
  REQUIRE(again.error.empty());
  CHECK(again.view->health().double_allocations == 0);
  CHECK(again.view->health().unmatched_frees == 0);
  CHECK(again.Last() == view->ValuesAt(view->end() - 1));
  REQUIRE(again.view->devices().size() == 2);
  CHECK(again.view->devices()[1].allocated_bytes == 3072);
  CHECK(again.view->devices()[1].reserved_bytes == 2 << 20);
  const timeline::State state = again.view->StateAt(again.view->end() - 1);
  const timeline::State before = view->StateAt(view->end() - 1);
  REQUIRE(state.blocks.size() == before.blocks.size());
  CHECK(std::ranges::count(state.blocks, true, &timeline::LiveBlock::pending_free) == 1);
  REQUIRE(state.segments.size() == 3);
  CHECK(again.Of(EventKind::kSegmentAllocate).at(1).stream == 7);
  CHECK(state.segments[1].stream == 5);
  CHECK(state.segments[2].stream == 7);
}

TEST_CASE("a pickle's block whose free was lost keeps its category", "[importers]") {
  Stream run;
  run.Allocate(1 << 20, 1000, events::Category::kActivation);
  run.Allocate(1 << 20, 1000, events::Category::kGradient);
  const ImportedRun again = ThroughPickle(*run.View());
  REQUIRE(again.error.empty());
  const auto allocations = again.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 2);
  CHECK(allocations[0].category == events::Category::kActivation);
  CHECK(allocations[1].category == events::Category::kGradient);
}

TEST_CASE("an empty run, odd names and a second device become valid pickles", "[importers]") {
  CHECK(ThroughPickle(*Stream().View()).error.empty());
  Stream run;
  run.Name(1, "bad \xff utf-8 \xed\xa0\x80 (x:y) ← (:1)");
  run.Add({.address = 512, .bytes = 100, .rounded_bytes = 512, .op = 1, .kind = EventKind::kAllocate});
  run.Add({.address = ~uint64_t{0} - 511,
           .bytes = 100,
           .rounded_bytes = 512,
           .op = 1,
           .kind = EventKind::kAllocate,
           .device = 2});
  run.Add({.address = 4096, .bytes = 100, .rounded_bytes = 512, .op = 1, .kind = EventKind::kAllocate});
  const ImportedRun again = ThroughPickle(*run.View());
  REQUIRE(again.error.empty());
  const auto allocations = again.Of(EventKind::kAllocate);
  REQUIRE(allocations.size() == 3);
  CHECK(allocations[1].device == 2);
  CHECK(allocations[1].address == ~uint64_t{0} - 511);
}

}  // namespace
}  // namespace tidemark::trace
