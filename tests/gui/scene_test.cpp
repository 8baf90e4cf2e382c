#include "app/gui/scene.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/checkpoint_prices.h"
#include "app/gui/fit_advice.h"
#include "app/gui/learning.h"
#include "profiler/events/driver_memory.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

// So many that they are not stacked when a frame ends that began to.
std::shared_ptr<const session::Ranks> ManyRanks() {
  auto ranks = std::make_shared<session::Ranks>();
  for (int64_t rank = 0; rank < 6000; ++rank) {
    session::RankPeaks& peaks = ranks->ranks.emplace_back();
    peaks.rank = rank;
    peaks.curves = {{-1, std::vector<int64_t>(2000, 512)}};
  }
  return ranks;
}

// A run on the CPU that has ended, and what a scene is asked with.
struct AskedOf {
  explicit AskedOf(timeline::Stream& stream) {
    input.view = stream.Publish();
    input.status.state = session::RunState::kFinished;
    input.description.device = "cpu";
    input.device.kind = networks::DeviceKind::kCpu;
    input.networks = &networks;
    input.cards = &cards;
    input.cuda_devices = &cuda_devices;
    input.log = &log;
    input.fit = &fit;
    input.prices = &prices;
    input.book = &book;
    input.bookmarks = &bookmarks;
  }
  AskedOf(const AskedOf&) = delete;

  std::vector<networks::Network> networks;
  std::vector<phantom::Card> cards;
  std::vector<std::string> cuda_devices;
  presenters::RunLog log{50};
  FitAdvice fit;
  CheckpointPrices prices;
  LessonBook book;
  std::vector<trace::Bookmark> bookmarks;
  SceneInput input;
};

}  // namespace

TEST_CASE(
    "Slow motion is offered where there is a step with operators, or may be one, and else says why not") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  const auto offered = [&stream](bool live, const char* file = "a.tide") {
    const AskedOf asked(stream);
    SceneInput input = asked.input;
    input.live = live;
    if (!live) input.recording = file;
    ViewState state;
    Estimates estimates(&asked.networks);
    Scene scene;
    const SlowMotionInput& panel = scene.Prepare(input, state, estimates).slow_motion;
    CHECK(panel.can_begin == panel.empty_reason.empty());
    return panel.can_begin;
  };
  CHECK_FALSE(offered(false));  // no step
  CHECK(offered(true));
  CHECK(offered(false, ""));  // a run of ours is begun anew
  stream.Add(events::EventKind::kStepBegin);
  stream.Allocate(2 << 20, 512);
  stream.Add(events::EventKind::kStepEnd);
  CHECK_FALSE(offered(false));  // no operators
}

TEST_CASE("A source in trouble is told in whole, and which libraries hold the driver's memory") {
  timeline::Stream stream;
  const std::string blocked = "blocked by Nsight Systems: CUPTI serves one tool at a time.";
  for (const auto& [source, text] : {std::pair(events::Source::kDriver, blocked),
                                     std::pair(events::Source::kDevice, std::string("live (NVML)"))}) {
    const events::NameId name = stream.Name(text);
    events::Event& state = stream.Add(events::EventKind::kMarker);
    state.source = source;
    state.name = name;
  }
  const events::NameId library = stream.Name(events::DriverMemoryCounter("libc10_cuda.so"));
  events::Event& held = stream.Add(events::EventKind::kCounter, 0, 2'000'000);
  held.source = events::Source::kDriver;
  held.name = library;
  const AskedOf asked(stream);
  const bool live = GENERATE(true, false);
  SceneInput input = asked.input;
  input.live = live;
  ViewState state;
  state.unit = ByteUnit::kMegabytes;
  Estimates estimates(&asked.networks);
  Scene scene;
  const std::vector<CaptureLine>& lines = scene.Prepare(input, state, estimates).run_controls.capture;
  const auto line = [&lines](std::string_view name) {
    const auto found = std::ranges::find(lines, name, &CaptureLine::name);
    REQUIRE(found != lines.end());
    return *found;
  };
  CHECK(line("CUDA driver").lamp == LampState::kTrouble);
  CHECK(line("CUDA driver").status == "blocked by Nsight Systems");
  CHECK(line("CUDA driver").help == blocked);
  CHECK(line("Card").lamp == (live ? LampState::kLive : LampState::kOff));
  CHECK(line("Card").status == (live ? "live" : "ended"));
  CHECK(line("libc10_cuda.so").status == "2.0 MB");
}

TEST_CASE("While ranks are being stacked on one axis the plot is drawn on another at once") {
  timeline::Stream stream;
  for (uint64_t block = 1; block < 100; ++block) stream.Allocate(block << 20, 512);
  const AskedOf asked(stream);
  SceneInput input = asked.input;
  input.ranks = ManyRanks();
  ViewState state;
  state.timeline.stack.by = presenters::StackBy::kRank;
  state.timeline.axis = presenters::TimeAxis::kEvents;
  state.timeline.follow = false;
  state.timeline.whole = true;
  state.timeline.columns = 40;
  Estimates estimates(&asked.networks);
  Scene scene;
  scene.Prepare(input, state, estimates);
  REQUIRE(scene.pending());
  state.timeline.axis = presenters::TimeAxis::kWallClock;
  const Frame& frame = scene.Prepare(input, state, estimates);
  CHECK(frame.timeline.plot->columns.front().begin == frame.timeline.whole.begin);
  CHECK(frame.timeline.plot->columns.back().end >= frame.timeline.whole.end);
  CHECK(scene.pending());
}

}  // namespace tidemark::gui
