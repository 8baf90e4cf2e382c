#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/scene/learning.h"
#include "app/gui/scene/scene.h"
#include "app/gui/view/panel_table.h"
#include "profiler/events/driver_memory.h"
#include "tests/gui/asked_of.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

// The rows under Capture, by their names.
class CaptureRows {
 public:
  CaptureRows(timeline::Stream& stream, bool live) : asked_(stream) {
    SceneInput input = asked_.input;
    input.live = live;
    ViewState state;
    state.unit = ByteUnit::kMegabytes;
    Estimates estimates(&asked_.networks);
    lines_ = Scene().Prepare(input, state, estimates).run_controls.capture;
  }
  const CaptureLine& operator[](std::string_view name) const {
    const auto found = std::ranges::find(lines_, name, &CaptureLine::name);
    REQUIRE(found != lines_.end());
    return *found;
  }
  bool Has(std::string_view name) const {
    return std::ranges::find(lines_, name, &CaptureLine::name) != lines_.end();
  }

 private:
  AskedOf asked_;
  std::vector<CaptureLine> lines_;
};

void Say(timeline::Stream& stream, events::Source source, const std::string& text) {
  const events::NameId name = stream.Name(text);
  events::Event& state = stream.Add(events::EventKind::kMarker);
  state.source = source;
  state.name = name;
}

void Lose(timeline::Stream& stream, events::Source source, int64_t count, int64_t after_ns) {
  events::Event& loss = stream.Add(events::EventKind::kLoss, 0, count);
  loss.source = source;
  loss.time_ns = timeline::Stream::kStartNs + after_ns;
}

void HoldFromDriver(timeline::Stream& stream, const char* library, int64_t bytes) {
  const events::NameId name = stream.Name(events::DriverMemoryCounter(library));
  events::Event& held = stream.Add(events::EventKind::kCounter, 0, bytes);
  held.source = events::Source::kDriver;
  held.name = name;
}

}  // namespace

TEST_CASE(
    "A lesson's question veils the page's own run, and what is told of its settings, but no other run") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  HoldFromDriver(stream, "libc10_cuda.so", 2'000'000);
  AskedOf asked(stream);
  asked.book = LoadLessonBook();
  ViewState state;
  state.unit = ByteUnit::kMegabytes;
  state.learning = true;
  state.lessons.lesson = "three-times-the-textbook";
  REQUIRE(AwaitsPrediction(asked.book.lessons, state.lessons));
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto held = [&] {
    const auto& lines = scene.Prepare(asked.input, state, estimates).run_controls.capture;
    return *std::ranges::find(lines, "libc10_cuda.so", &CaptureLine::name);
  };
  const auto is_veiled = [&](const char* panel) {
    const Frame& frame = scene.Prepare(asked.input, state, estimates);
    return !WhyVeiled(Panels()[IndexOfPanel(panel)], frame).empty();
  };
  CHECK(is_veiled("timeline"));
  CHECK(is_veiled("batch"));
  CHECK_FALSE(is_veiled("lessons"));
  CHECK(held().status == "?");
  CHECK(held().help.find("2.0") == std::string::npos);
  SECTION("a recording is somebody's own; the settings may still be the page's") {
    asked.input.origin = RunOrigin::kOpened;
    CHECK_FALSE(is_veiled("timeline"));
    CHECK_FALSE(is_veiled("breakdown"));
    CHECK(held().status == "2.0 MB");
    CHECK(is_veiled("batch"));
    CHECK(is_veiled("checkpointing"));
  }
  SECTION("so is a program") {
    asked.input.description.title = "train.py on phantom NVIDIA T4";
    CHECK_FALSE(is_veiled("timeline"));
  }
  SECTION("nothing, once it is answered") {
    state.lessons.predictions[PageKey(state.lessons.lesson, 0)] = 1;
    CHECK_FALSE(is_veiled("timeline"));
    CHECK_FALSE(is_veiled("batch"));
  }
}

TEST_CASE("Nothing below a control moves when what it costs is told after a lesson's question") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  AskedOf asked(stream);
  asked.book = LoadLessonBook();
  const Result<networks::Network> network = networks::FindNetwork(networks::TrainingSettings().network);
  REQUIRE(network);
  asked.networks = {*network};
  ViewState state;
  state.learning = true;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto told = [&] { return scene.Prepare(asked.input, state, estimates).run_controls.consequences; };
  const auto lines = [](const std::string& text) {
    return text.empty() ? 0 : 1 + std::ranges::count(text, '\n');
  };
  const presenters::Consequences before = told();
  REQUIRE(lines(before.accumulate) == 1);
  state.lessons.lesson = "three-times-the-textbook";
  const presenters::Consequences veiled = told();
  CHECK(veiled.accumulate != before.accumulate);
  CHECK(lines(veiled.accumulate) == 1);
  CHECK(lines(veiled.optimizer) == lines(before.optimizer));
  CHECK(lines(veiled.checkpoint) == lines(before.checkpoint));
}

TEST_CASE(
    "A recording is somebody's own: of it is told what a lesson asks of later, and it answers no question") {
  ViewState state;
  state.learning = true;
  state.lessons.lesson = "where-memory-goes";
  state.lessons.page = 1;
  const LessonBook book = LoadLessonBook();
  const auto& prediction = PageOf(book.lessons, state.lessons).page->prediction;
  REQUIRE(prediction);
  timeline::Stream stream;
  stream.Mark(stream.Name("on"), stream.Name(networks::ToJson(prediction->situation.settings)));
  for (const uint64_t step : {0, 1}) {
    stream.BeginStep(static_cast<int64_t>(step));
    stream.Allocate((1 + step) << 20, 512);
    stream.EndStep(static_cast<int64_t>(step));
  }
  AskedOf asked(stream);
  asked.book = book;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto asked_later = [&] {
    return scene.Prepare(asked.input, state, estimates).breakdown.asked.size();
  };
  const auto measured = [&] { return scene.Prepare(asked.input, state, estimates).lessons.figures.measured; };
  CHECK(asked_later() == 3);  // gradients, activations, and temporaries, which would tell these
  CHECK(measured().has_value());
  asked.input.origin = RunOrigin::kOpened;
  CHECK(asked_later() == 0);
  CHECK_FALSE(measured().has_value());
}

TEST_CASE("A recording that has the settings a page asks about is veiled until that is answered, no other") {
  ViewState state;
  state.learning = true;
  state.lessons.lesson = "three-times-the-textbook";
  const LessonBook book = LoadLessonBook();
  const auto& prediction = PageOf(book.lessons, state.lessons).page->prediction;
  REQUIRE(prediction);
  networks::TrainingSettings others = prediction->situation.settings;
  others.batch *= 2;
  std::string change_to_own;
  const auto is_veiled = [&](const networks::TrainingSettings& recorded) {
    timeline::Stream stream;
    stream.Mark(stream.Name("on"), stream.Name(networks::ToJson(recorded)));
    stream.Allocate(1 << 20, 512);
    AskedOf asked(stream);
    asked.book = book;
    asked.input.origin = RunOrigin::kOpened;
    asked.input.change_to_own = change_to_own;
    Estimates estimates(&asked.networks);
    Scene scene;
    const Frame& frame = scene.Prepare(asked.input, state, estimates);
    return !WhyVeiled(Panels()[IndexOfPanel("timeline")], frame).empty();
  };
  CHECK(is_veiled(prediction->situation.settings));
  CHECK_FALSE(is_veiled(others));
  state.learning = false;
  CHECK_FALSE(is_veiled(prediction->situation.settings));
  change_to_own = "batch 64 → 48";  // the lesson's settings are chosen yet
  CHECK(is_veiled(prediction->situation.settings));
  CHECK_FALSE(is_veiled(others));
  state.lessons.predictions[PageKey(state.lessons.lesson, 0)] = 1;
  CHECK_FALSE(is_veiled(prediction->situation.settings));
}

TEST_CASE("A source in trouble is told in whole, and which libraries hold the driver's memory") {
  timeline::Stream stream;
  const std::string blocked = "blocked by Nsight Systems: CUPTI serves one tool at a time.";
  Say(stream, events::Source::kDriver, blocked);
  Say(stream, events::Source::kDevice, "live (NVML)");
  HoldFromDriver(stream, "libc10_cuda.so", 2'000'000);
  const bool live = GENERATE(true, false);
  const CaptureRows rows(stream, live);
  CHECK(rows["CUDA driver"].lamp == LampState::kTrouble);
  CHECK(rows["CUDA driver"].status == "blocked by Nsight Systems");
  CHECK(rows["CUDA driver"].help == blocked);
  CHECK(rows["CUDA driver"].is_written_out);
  CHECK(rows["Card"].lamp == (live ? LampState::kLive : LampState::kOff));
  CHECK(rows["Card"].status == (live ? "live" : "ended"));
  CHECK_FALSE(rows["Card"].is_written_out);
  CHECK(rows["libc10_cuda.so"].status == "2.0 MB");
}

TEST_CASE("Nothing is said to be live of which nothing has come") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kPhase).phase = events::Phase::kIdle;  // so every program begins
  stream.Add(events::EventKind::kCounter, 0, 3 << 20).level = events::Level::kDriver;
  {
    const CaptureRows rows(stream, true);
    CHECK(rows["Allocator"].status == "waiting");
    CHECK(rows["Allocator"].lamp == LampState::kOff);
    CHECK(rows["Training"].status == "waiting");
    CHECK(rows["Training"].lamp == LampState::kOff);
    CHECK_FALSE(rows.Has("CUDA driver"));
    CHECK_FALSE(rows.Has("Card"));
  }
  CHECK(CaptureRows(stream, false)["Training"].status == "told nothing");
  stream.Allocate(1 << 20, 512);
  stream.Add(events::EventKind::kStepBegin);
  stream.Add(events::EventKind::kPhase).phase = events::Phase::kForward;
  {
    const CaptureRows rows(stream, true);
    CHECK(rows["Allocator"].status == "live");
    CHECK(rows["Allocator"].lamp == LampState::kLive);
    CHECK(rows["Training"].status == "steps, phases");
    CHECK(rows["Training"].lamp == LampState::kLive);
  }
  const events::NameId op = stream.Name("aten::relu");
  stream.Add(events::EventKind::kScopeBegin).op = op;
  stream.Add(events::EventKind::kScopeBegin).layer = op;
  CHECK(CaptureRows(stream, false)["Training"].status == "steps, phases, layers, scopes");
  CHECK(CaptureRows(stream, false)["Allocator"].status == "ended");
}

TEST_CASE("What a program's allocator says of itself stands in its row") {
  timeline::Stream stream;
  Say(stream, events::Source::kAllocator, "waiting: PyTorch has told of no block yet");
  CHECK(CaptureRows(stream, true)["Allocator"].status == "waiting");
  CHECK_FALSE(CaptureRows(stream, true)["Allocator"].is_written_out);
  CHECK(CaptureRows(stream, false)["Allocator"].status == "told nothing");
  Say(stream, events::Source::kAllocator, "absent: there is no PyTorch in this process");
  CHECK(CaptureRows(stream, true)["Allocator"].status == "absent");
  CHECK(CaptureRows(stream, true)["Allocator"].lamp == LampState::kTrouble);
  CHECK(CaptureRows(stream, true)["Allocator"].is_written_out);
  Say(stream, events::Source::kAllocator, "live, but only of the CPU's tensors");
  CHECK(CaptureRows(stream, true)["Allocator"].status == "in part");
  Say(stream, events::Source::kAllocator, "live (blocks as PyTorch sets them aside)");
  CHECK(CaptureRows(stream, true)["Allocator"].status == "live");
  CHECK(CaptureRows(stream, true)["Allocator"].help == "live (blocks as PyTorch sets them aside)");
}

TEST_CASE("Losses stand in the row of the source that had them, with their first moment") {
  timeline::Stream stream;
  Say(stream, events::Source::kDriver, "live (CUPTI 13.0)");
  Lose(stream, events::Source::kDriver, 12, 300'000'000);
  Lose(stream, events::Source::kTrainer, 1, 400'000'000);
  Lose(stream, events::Source::kDevice, 2'000, 1'500'000'000);  // which never told anything else
  Lose(stream, events::Source::kDriver, 3, 1'600'000'000);
  stream.Allocate(1 << 20, 512);
  const CaptureRows rows(stream, true);
  CHECK(rows["CUDA driver"].status == "lost 15 events since 300.00 ms");
  CHECK(rows["CUDA driver"].lamp == LampState::kLost);
  CHECK(rows["CUDA driver"].help.starts_with("live (CUPTI 13.0) Lost are events that the ring could not"));
  CHECK(rows["Training"].status == "lost 1 event since 400.00 ms");
  CHECK(rows["Card"].status == "lost 2,000 events since 1.50 s");
  CHECK(rows["Allocator"].status == "live");
  CHECK(rows["Events"].status == "0 · 2,016 lost");  // nobody counted what was captured
}

TEST_CASE("What a page asks for later is left out of the curve as of the tables, whatever its stack was of") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  AskedOf asked(stream);
  asked.book = LoadLessonBook();
  ViewState state;
  state.learning = true;
  state.lessons.lesson = "where-memory-goes";
  state.lessons.page = 2;
  REQUIRE_FALSE(AwaitsPrediction(asked.book.lessons, state.lessons));
  state.timeline.stack = presenters::StackOrder{presenters::StackBy::kLayer, ""};
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto timeline = [&] { return scene.Prepare(asked.input, state, estimates).timeline; };
  const auto is_veiled = [&](const char* panel) {
    const Frame& frame = scene.Prepare(asked.input, state, estimates);
    return !WhyVeiled(Panels()[IndexOfPanel(panel)], frame).empty();
  };
  for (const char* const panel : {"timeline", "breakdown", "layers"}) CHECK_FALSE(is_veiled(panel));
  // What cannot leave it out says nothing.
  for (const char* const panel : {"memory_map", "bridge", "allocations", "batch"}) CHECK(is_veiled(panel));
  constexpr auto kAsked = static_cast<size_t>(events::Category::kActivation);
  CHECK(timeline::Contains(timeline().untold, kAsked));
  CHECK(timeline().stack.by == presenters::StackBy::kCategory);
  SECTION("but not of a recording, which is somebody's own") { asked.input.origin = RunOrigin::kOpened; }
  SECTION("and once it is answered") {
    state.lessons.predictions[PageKey(state.lessons.lesson, 3)] = 1;
    CHECK_FALSE(timeline::Contains(timeline().untold, kAsked));
    state.lessons.predictions[PageKey(state.lessons.lesson, 1)] = 1;
  }
  CHECK(timeline().untold == 0);
  CHECK(timeline().stack.by == presenters::StackBy::kLayer);
  CHECK_FALSE(is_veiled("memory_map"));
}

TEST_CASE("Where memory ran out before a module was called, that is why there are no layers") {
  const bool ran_out = GENERATE(true, false);
  const bool was_called = GENERATE(true, false);
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  if (was_called) stream.Add(events::EventKind::kScopeBegin).layer = stream.Name("fc");
  AskedOf asked(stream);
  asked.input.description.title = "train.py on phantom NVIDIA T4";
  asked.input.description.command = "python train.py";
  asked.input.description.device = "phantom";
  asked.input.status.out_of_memory = ran_out;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const std::string& why = scene.Prepare(asked.input, state, estimates).layers.empty_reason;
  CHECK(why.starts_with("Memory ran out before a module") == (ran_out && !was_called));
}

}  // namespace tidemark::gui
