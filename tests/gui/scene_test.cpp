#include "app/gui/scene/scene.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/gui/scene/learning.h"
#include "app/gui/view/panel_table.h"
#include "app/gui/view/run_findings.h"
#include "tests/gui/asked_of.h"
#include "tests/support/catch.h"
#include "tests/support/counting_view.h"
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

}  // namespace

TEST_CASE(
    "Slow motion is offered where there is a step with operators, or may be one, and else says why not") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  struct Shown {
    RunOrigin origin;
    bool live = false;
    session::RunState state = session::RunState::kFinished;
    const char* sentence = "";
  };
  const auto offered = [&stream](const Shown& shown) {
    const AskedOf asked(stream);
    SceneInput input = asked.input;
    input.origin = shown.origin;
    input.live = shown.live;
    input.status.state = shown.state;
    input.status.sentence = shown.sentence;
    ViewState state;
    Estimates estimates(&asked.networks);
    Scene scene;
    const SlowMotionInput& panel = scene.Prepare(input, state, estimates).slow_motion;
    CHECK(panel.can_begin == panel.empty_reason.empty());
    return panel.can_begin;
  };
  CHECK_FALSE(offered({.origin = RunOrigin::kOpened}));  // no step
  CHECK(offered({.origin = RunOrigin::kBegun, .live = true}));
  CHECK(offered({.origin = RunOrigin::kBegun}));  // a run of ours is begun anew
  stream.Add(events::EventKind::kStepBegin);
  stream.Allocate(2 << 20, 512);
  stream.Add(events::EventKind::kStepEnd);
  CHECK_FALSE(offered({.origin = RunOrigin::kOpened}));  // no operators
  CHECK(offered({.origin = RunOrigin::kFollowed, .state = session::RunState::kRunning}));
  CHECK_FALSE(offered({.origin = RunOrigin::kFollowed,
                       .state = session::RunState::kRunning,
                       .sentence = "Nothing on this machine records into it any more."}));
}

TEST_CASE("A first moment that takes long to look into is looked into beside the window") {
  timeline::Stream stream;
  constexpr uint64_t kBlocks = 60'000;
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, kBlocks * 512);
  for (uint64_t i = 0; i < kBlocks; ++i) stream.Allocate((1 << 20) + 512 * i, 512);
  const AskedOf asked(stream);
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const Frame* frame = &scene.Prepare(asked.input, state, estimates);
  CHECK(frame->memory_map.map == nullptr);
  CHECK(frame->memory_map.empty_reason.find("Looking at") == 0);
  CHECK(scene.pending());
  for (int i = 0; i < 2000 && frame->memory_map.map == nullptr; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    frame = &scene.Prepare(asked.input, state, estimates);
  }
  REQUIRE(frame->memory_map.map != nullptr);
  CHECK(frame->memory_map.map->segments.size() == 1);
}

TEST_CASE("Of a recording that is cut before its first event nobody knows what the program asked for") {
  timeline::Stream stream;
  const AskedOf asked(stream);
  SceneInput input = asked.input;
  input.origin = RunOrigin::kOpened;
  input.description.command = "python train.py";
  input.status.cut_off = true;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  CHECK(scene.Prepare(input, state, estimates).timeline.empty_reason.find("cut") != std::string::npos);
}

TEST_CASE(
    "Of a program that fails at once it is told that it asked for nothing, not its own end as a curve") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kMarker).source = events::Source::kSession;
  AskedOf asked(stream);
  asked.input.description.title = "train.py on phantom NVIDIA T4";
  asked.input.status.state = session::RunState::kFailed;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto why_empty = [&] { return scene.Prepare(asked.input, state, estimates).timeline.empty_reason; };
  CHECK(why_empty() == "The program asked the GPU for no memory.");
  stream.Allocate(1 << 20, 512);
  asked.input.view = stream.Publish();
  CHECK(why_empty().empty());
}

TEST_CASE("What the controls predict is of the GPU that is there, or of none") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  const AskedOf asked(stream);
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  REQUIRE(cards);
  const Result<networks::Network> network = networks::FindNetwork(networks::TrainingSettings().network);
  REQUIRE(network);
  const std::vector<networks::Network> networks{*network};
  const std::vector<std::string> gpus{"NVIDIA L4", "NVIDIA Card Of Tomorrow"};
  SceneInput input = asked.input;
  input.networks = &networks;
  input.cards = &*cards;
  input.cuda_devices = &gpus;
  input.device.kind = networks::DeviceKind::kPhantom;
  CHECK(ChosenCard(input) == "h200");
  input.device.kind = networks::DeviceKind::kCuda;
  CHECK(ChosenCard(input) == "l4");
  CHECK(CardFor(input) == "l4");
  input.device.index = 1;
  CHECK(ChosenCard(input).empty());
  ViewState state;
  Estimates estimates(&networks);
  Scene scene;
  const Frame& frame = scene.Prepare(input, state, estimates);
  CHECK(frame.run_controls.consequences.fit ==
        "this GPU is none of the known cards: measured, not predicted");
  CHECK(frame.lessons.has_own_card);
  CHECK(frame.lessons.now.card.empty());  // nor is a lesson's page about another
  CHECK_FALSE(estimates.pending());       // no other card's phantom is asked
  input.device.index = 2;                 // a session code may name one that is not here
  CHECK(ChosenCard(input).empty());
}

TEST_CASE("While ranks are being stacked on one axis the plot is drawn on another at once") {
  timeline::Stream stream;
  for (uint64_t block = 1; block < 100; ++block) stream.Allocate(block << 20, 512);
  const AskedOf asked(stream);
  SceneInput input = asked.input;
  input.ranks = ManyRanks();
  ViewState state;
  state.timeline.stack = {presenters::StackBy::kRank, ""};
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

TEST_CASE("However much is alive, what is pointed at and dragged through is looked for beside the window") {
  timeline::Stream stream;
  constexpr uint64_t kBlocks = 100'000;  // that stay
  constexpr int64_t kBytes = 512;
  for (uint64_t block = 1; block <= kBlocks; ++block)
    stream.Allocate(block << 20, kBytes, events::Category::kUnknown);
  for (uint64_t i = 0; i < 500'000; ++i) {  // and no step
    stream.Allocate(1 << 10, kBytes, events::Category::kActivation);
    stream.Free(1 << 10);
  }
  const AskedOf asked(stream);
  SceneInput input = asked.input;
  const auto view = std::make_shared<timeline::CountingView>(input.view);
  input.view = view;
  ViewState state;
  state.timeline.axis = presenters::TimeAxis::kEvents;
  state.timeline.follow = false;
  state.timeline.whole = true;
  state.timeline.columns = 1000;
  Estimates estimates(&asked.networks);
  Scene scene;
  scene.Prepare(input, state, estimates);
  uint64_t most_events = 0;
  const auto frame = [&]() -> const Frame& {
    view->Forget();
    const Frame& prepared = scene.Prepare(input, state, estimates);
    CHECK(view->counts().states == 0);
    most_events = std::max(most_events, view->counts().events);
    return prepared;
  };
  const auto until = [&](const auto& is_there) {
    for (int i = 0; i < 4000 && !is_there(frame()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return is_there(frame());
  };
  const auto block_at = [](timeline::EventIndex born) {
    return [born](const Frame& seen) {
      return seen.timeline.hovered && seen.timeline.hovered->born == born && !seen.timeline.highlight.empty();
    };
  };
  const auto at_bytes = [&](timeline::EventIndex at, uint64_t block) {
    state.timeline.hover =
        TimelineState::Hover{static_cast<double>(at), static_cast<int64_t>(block) * kBytes + 700};
  };
  at_bytes(950'000, 60'000);  // one activation lies below those
  CHECK_FALSE(frame().timeline.hovered);
  CHECK(scene.pending());
  CHECK(until(block_at(60'000)));
  at_bytes(950'000, 70'000);  // of the moment that is known
  CHECK(frame().timeline.hovered->born == 70'000);
  CHECK(until(block_at(70'000)));
  for (timeline::EventIndex moment = 200'000; moment < 900'000; moment += 1000) {
    state.pinned = moment;
    const Frame& seen = frame();
    CHECK(seen.memory_map.state != nullptr);
  }
  state.pinned = 900'000;
  CHECK(until([](const Frame& seen) { return seen.memory_map.state->index == 900'000; }));
  CHECK(until([&](const Frame&) { return !scene.pending(); }));
  CHECK(most_events <= 21'000);  // what a frame takes for itself among them
}

TEST_CASE("However much is alive, its tree and how much of it is selected are made beside the window") {
  timeline::Stream stream;
  constexpr uint64_t kBlocks = 60'000;
  const events::NameId conv = stream.Name("conv1");
  for (uint64_t block = 1; block <= kBlocks; ++block)
    stream.Allocate(block << 20, 512, events::Category::kActivation).layer = block % 2 == 0 ? conv : 0;
  const AskedOf asked(stream);
  ViewState state;
  state.selection = presenters::LayerSelected("conv1");
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto frame = [&]() -> const Frame& {
    state.live_tree.drawn = state.statistics.drawn = true;
    return scene.Prepare(asked.input, state, estimates);
  };
  const Frame& first = frame();
  CHECK(first.live_tree.tree == nullptr);
  CHECK_FALSE(first.live_tree.empty_reason.empty());
  CHECK(first.bridge.selected_bytes == nullptr);
  CHECK(scene.pending());
  const auto until = [&](const auto& is_there) {
    for (int i = 0; i < 4000 && !is_there(frame()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return is_there(frame());
  };
  REQUIRE(until([](const Frame& seen) { return seen.live_tree.tree && seen.bridge.selected_bytes; }));
  const Frame& seen = frame();
  CHECK(seen.live_tree.empty_reason.empty());
  CHECK(seen.live_tree.tree->nodes[0].blocks == kBlocks);
  CHECK(seen.live_tree.tree->nodes[0].selected_bytes == kBlocks / 2 * 512);
  const auto activation = static_cast<size_t>(events::Category::kActivation);
  CHECK((*seen.bridge.selected_bytes)[activation] == kBlocks / 2 * 512);
  // The one before stays until there is another.
  state.live_tree.grouping = TreeGrouping::kLayer;
  CHECK(frame().live_tree.tree != nullptr);
  CHECK(until([](const Frame& now) {
    return now.live_tree.tree->nodes[now.live_tree.tree->nodes[0].first_child].key ==
           presenters::TreeKey::kLayer;
  }));
  CHECK(until([&](const Frame&) { return !scene.pending(); }));
  state.selection = {};
  CHECK(frame().bridge.selected_bytes == nullptr);
}

TEST_CASE("Statistics are of what is in sight, and of what lies between the cursors where there are some") {
  timeline::Stream stream;
  for (uint64_t block = 1; block <= 100; ++block) stream.Allocate(block << 20, 512);
  const AskedOf asked(stream);
  ViewState state;
  state.timeline.axis = presenters::TimeAxis::kEvents;
  state.timeline.follow = false;
  state.timeline.whole = true;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto statistics = [&] {
    state.statistics.drawn = true;
    return scene.Prepare(asked.input, state, estimates).statistics;
  };
  CHECK(statistics().statistics->allocated.count == 100);
  CHECK_FALSE(statistics().between_cursors);
  state.timeline.cursors = {60, 20};  // the second may be the earlier
  CHECK(statistics().between_cursors);
  CHECK(statistics().statistics->allocated == presenters::CountAndBytes{40, 40 * 512});
  CHECK(statistics().statistics->net_bytes == 40 * 512);  // as the label between them says
  CHECK(statistics().statistics->peak.index == 60);
  state.timeline.cursors.reset();
  CHECK(statistics().statistics->allocated.count == 100);
}

TEST_CASE("A recording that nobody writes any more goes on no more, as far as anyone knows") {
  SceneInput input;
  input.status.state = session::RunState::kRunning;
  CHECK(GoesOn(input));
  input.origin = RunOrigin::kFollowed;
  CHECK(Follows(input));
  CHECK(GoesOn(input));
  input.status.sentence = "Nothing on this machine records into it any more.";
  CHECK_FALSE(GoesOn(input));
  input.status = {};
  input.status.state = session::RunState::kFinished;
  CHECK_FALSE(GoesOn(input));
}

TEST_CASE("Of a program's recording that nobody writes any more no first allocation is awaited") {
  timeline::Stream stream;
  AskedOf asked(stream);
  asked.input.origin = RunOrigin::kFollowed;
  asked.input.description.title = "train.py on phantom NVIDIA T4";
  asked.input.status.state = session::RunState::kRunning;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto why_empty = [&] {
    return std::string(scene.Prepare(asked.input, state, estimates).breakdown.empty_reason);
  };
  CHECK(why_empty() == "The table fills with the first allocation.");
  asked.input.status.sentence = "Nothing on this machine records into it any more.";
  CHECK(why_empty() == "Nothing was allocated.");
}

TEST_CASE("Ways out are those of the run that is shown, whatever is chosen for the next one") {
  timeline::Stream stream;
  const networks::TrainingSettings ran;
  stream.Mark(0, stream.Name(networks::ToJson(ran)));
  stream.Allocate(1 << 20, 512);
  AskedOf asked(stream);
  phantom::Card card;
  card.name = "t4";
  card.title = "NVIDIA T4";
  asked.cards.push_back(card);
  asked.input.device = {.kind = networks::DeviceKind::kPhantom,
                        .card = "t4"};  // the run tells none of its own
  asked.fit.answer.emplace();
  asked.fit.question = advice::FitQuestion{{}, ran, card, 0, ""};
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto is_answered = [&] { return scene.Prepare(asked.input, state, estimates).findings.is_answered; };
  CHECK(is_answered());
  CHECK_FALSE(LookForFindings(*asked.input.view, state.unit, {}).tells_reserved);
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, 2 << 20);
  CHECK(LookForFindings(*stream.Publish(), state.unit, {}).tells_reserved);
  asked.input.settings.batch = 7;
  CHECK(is_answered());
  asked.fit.question->settings.batch = 512;
  CHECK_FALSE(is_answered());
  asked.fit.question->settings = ran;
  asked.fit.question->card.name = "h200";
  CHECK_FALSE(is_answered());
  asked.fit.question->card = card;
  asked.fit.question->allocator = "max_split_size_mb:64";
  CHECK_FALSE(is_answered());
  asked.input.description.allocator_settings = "max_split_size_mb:64";
  CHECK(is_answered());
  CHECK_FALSE(scene.Prepare(asked.input, state, estimates).fit.what_if.card_is_named);
  CHECK(scene.Prepare(asked.input, state, estimates).fit.what_if.can_try);
  asked.input.device.kind = networks::DeviceKind::kCpu;  // its requests can be put to a card, too
  CHECK(scene.Prepare(asked.input, state, estimates).fit.what_if.can_try);
  CHECK_FALSE(scene.Prepare(asked.input, state, estimates).fit.can_search);
  asked.input.device.kind = networks::DeviceKind::kPhantom;
  asked.input.description.device_name = "NVIDIA T4";
  CHECK(scene.Prepare(asked.input, state, estimates).fit.what_if.card_is_named);
}

TEST_CASE("A run that had less memory than its card says so where it is tried otherwise") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  AskedOf asked(stream);
  phantom::Card card;
  card.name = "t4";
  card.title = "NVIDIA T4";
  card.memory_bytes = int64_t{16} << 30;
  asked.cards.push_back(card);
  asked.input.description.device = "phantom";
  asked.input.description.device_name = card.title;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  for (const int64_t memory : {card.memory_bytes, card.memory_bytes / 4}) {
    asked.input.description.device_bytes = memory;
    const bool is_limited = memory < card.memory_bytes;
    CHECK(scene.Prepare(asked.input, state, estimates).fit.what_if.limit_bytes == (is_limited ? memory : 0));
  }
}

TEST_CASE("Why memory ran out counts among what stands out") {
  constexpr int64_t kMebibyte = 1 << 20;
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 128 * kMebibyte);
  stream.Allocate(0x10000000, 127 * kMebibyte);
  const RunFindings before = LookForFindings(*stream.Publish(), ByteUnit::kMegabytes, {});
  CHECK(before.count() == 0);
  CHECK(before.unit == ByteUnit::kMegabytes);
  stream.Add(events::EventKind::kOutOfMemory, 0, 4 * kMebibyte).rounded_bytes = 3 * kMebibyte;
  const RunFindings found = LookForFindings(*stream.Publish(), ByteUnit::kMegabytes, {});
  REQUIRE(found.findings.size() == 1);        // fragmentation
  CHECK(found.unit == ByteUnit::kMebibytes);  // as PyTorch's message, beside which they stand
  CHECK(found.findings.front().evidence.find(" MB") == std::string::npos);
  CHECK(found.count() == 2);
}

TEST_CASE("Other settings of the allocator are a way out where segments lacked room, not what was alive") {
  constexpr int64_t kMebibyte = 1 << 20;
  const int64_t allocated = GENERATE(127 * (int64_t{1} << 20), 128 * (int64_t{1} << 20));
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 128 * kMebibyte);
  stream.Allocate(0x10000000, allocated);
  stream.Add(events::EventKind::kOutOfMemory, 0, 4 * kMebibyte).rounded_bytes = 3 * kMebibyte;
  AskedOf asked(stream);
  phantom::Card card;
  card.name = "t4";
  card.title = "NVIDIA T4";
  asked.cards.push_back(card);
  asked.input.description.device_name = card.title;
  const RunFindings found = LookForFindings(*asked.input.view, ByteUnit::kMebibytes, {});
  asked.input.findings = &found;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const FindingsInput& findings = scene.Prepare(asked.input, state, estimates).findings;
  CHECK(findings.can_try);
  CHECK(findings.may_make_room == (allocated < 128 * kMebibyte));
}

TEST_CASE("What a run that streams in tells last is shown, however soon after the rest it came") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Allocate(1 << 20, 512);
  stream.EndStep(0);
  const AskedOf asked(stream);
  stream.BeginStep(1);
  stream.Allocate(2 << 20, 512);
  stream.EndStep(1);
  const auto last = stream.Publish();
  SceneInput input = asked.input;
  input.status.state = session::RunState::kRunning;
  input.compared = ComparedRun{"before", input.view};
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto frame = [&]() -> const Frame& {
    state.allocations.drawn = state.statistics.drawn = state.comparison.drawn = true;
    return scene.Prepare(input, state, estimates);
  };
  const auto shows_last = [&](const Frame& seen) {
    const auto& totals = seen.breakdown.breakdown->totals;
    return seen.allocations.table->rows.size() == 2 && seen.statistics.view == last.get() &&
           !totals.empty() && totals.front().measured_bytes == 1024;
  };
  frame();
  input.view = last;
  bool is_shown = shows_last(frame());
  // As the window does: it draws while more is to come, and nothing else makes it.
  for (int i = 0; i < 400 && !is_shown; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (scene.pending()) is_shown = shows_last(frame());
  }
  CHECK(is_shown);
}

TEST_CASE(
    "However much is alive, whose is selected, what the stack is of and the first tables wait for nobody") {
  timeline::Stream stream;
  constexpr uint64_t kBlocks = 60'000;
  const events::NameId conv = stream.Name("conv1");
  stream.BeginStep(0);
  for (uint64_t block = 1; block <= kBlocks; ++block)
    stream.Allocate(block << 20, 512, events::Category::kActivation).layer = conv;
  stream.EndStep(0);
  const AskedOf asked(stream);
  SceneInput input = asked.input;
  const auto view = std::make_shared<timeline::CountingView>(input.view);
  input.view = view;
  ViewState state;
  state.timeline.columns = 100;
  state.timeline.stack = {presenters::StackBy::kLayer, ""};
  const events::EventIndex born = stream.latest() - 10;
  state.selection = presenters::AllocationSelected(born);
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto frame = [&]() -> const Frame& {
    view->Forget();
    const Frame& prepared = scene.Prepare(input, state, estimates);
    CHECK(view->counts().states <= 1);  // that the stack's sums begin with, at the run's first event
    return prepared;
  };
  const Frame& first = frame();
  CHECK(view->counts().states == 0);
  CHECK(first.timeline.selected->selection == state.selection);
  CHECK_FALSE(first.timeline.selected->block);
  CHECK(first.timeline.plot->groups.empty());
  CHECK(first.timeline.stack_pending);
  CHECK(first.breakdown.breakdown->rows.empty());
  CHECK(first.breakdown.empty_reason.starts_with("Looking at"));
  CHECK(first.layers.empty_reason.starts_with("Looking at"));
  CHECK(scene.pending());
  for (int i = 0; i < 4000 && scene.pending(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    frame();
  }
  const Frame& seen = frame();
  REQUIRE(seen.timeline.selected->block);
  CHECK(seen.timeline.selected->block->born == born);
  CHECK(seen.timeline.selected->layer == "conv1");
  REQUIRE_FALSE(seen.timeline.plot->groups.empty());
  CHECK(seen.timeline.plot->groups.front() == "conv1");
  CHECK_FALSE(seen.breakdown.breakdown->rows.empty());
  // What was answered before is taken up again.
  state.timeline.stack = {presenters::StackBy::kCategory, ""};
  CHECK(frame().timeline.plot->groups.empty());
  state.timeline.stack = {presenters::StackBy::kLayer, ""};
  for (int i = 0; i < 4000 && frame().timeline.plot->groups.empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(frame().timeline.plot->groups.front() == "conv1");
}

}  // namespace tidemark::gui
