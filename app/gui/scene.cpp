#include "app/gui/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/view/highlight.h"
#include "app/gui/window/theme.h"
#include "app/presenters/compared_run.h"
#include "app/presenters/program_facts.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

const std::vector<presenters::LayerRow> kNoLayers;
const presenters::Bridge kNoBridge;
const presenters::Breakdown kNoBreakdown{"no step is complete yet", {}, {}, {}};

constexpr const char* kNothingToCompare =
    "There is nothing to compare yet. Lay a second run over this one with Compare with… (Ctrl+Shift+O), or "
    "change a setting while a run goes on: two steps later, before and after stand here.";

uint64_t EventsOf(const ComparisonAsked& asked) {
  const uint64_t own = asked.view->end() - asked.view->first();
  return asked.compared == nullptr ? own : own + asked.compared->end() - asked.compared->first();
}

// Nothing where `progress` ended it.
std::optional<ShownComparison> Compare(const ComparisonAsked& asked,
                                       const std::function<bool(double)>& progress) {
  bool goes_on = true;
  const auto look = [&](double share) { return goes_on = progress(share); };
  ShownComparison shown;
  if (asked.compared != nullptr) {
    shown.sides =
        presenters::CompareRunsAt(*asked.view, *asked.compared, asked.compared_title, asked.moment, look);
  } else if (const auto change = presenters::LatestChange(*asked.view)) {
    shown.sides = presenters::CompareChange(*asked.view, *change, asked.unit, look);
  }
  return goes_on ? std::optional(std::move(shown)) : std::nullopt;
}

std::optional<presenters::StreamsSummary> CompareRequestsOf(const StreamsAsked& asked,
                                                            const std::function<bool(double)>& progress) {
  bool goes_on = true;
  const auto look = [&](double share) { return goes_on = progress(share); };
  const presenters::StreamsCompared streams =
      presenters::CompareStreams(*asked.view, *asked.compared, presenters::ComparedSteps::kAll, look);
  if (!goes_on) return std::nullopt;
  return presenters::SummaryOf(streams, *asked.view, "this run", *asked.compared, asked.compared_title);
}

// Why there is no curve yet.
const char* ReasonOfEmptiness(const SceneInput& input) {
  const bool starts = input.starting || input.status.state == session::RunState::kStarting;
  if (starts && !input.recording.empty())
    return "Nothing has been recorded yet. What is recorded is shown as it comes.";
  if (input.status.cut_off)
    return "What is recorded is cut before its first event: there is nothing to show.";
  if (presenters::IsProgram(input.description)) {
    return starts ? "The program has not used the GPU yet. The curve begins with its first allocation."
                  : "The program asked the GPU for no memory.";
  }
  return starts ? "The trainer is starting: it loads LibTorch. The curve begins with the first allocation."
                : "No event has arrived yet. Press Space to start a run, or open a recording with Ctrl+O.";
}

}  // namespace

std::string ChosenCard(const SceneInput& input) {
  if (input.device.kind != networks::DeviceKind::kCuda) return input.device.card;
  const auto index = static_cast<size_t>(input.device.index);
  if (index >= input.cuda_devices->size()) return "";
  const auto card = session::CardOf((*input.cuda_devices)[index], 0, *input.cards);
  return card ? card->name : "";
}

std::string CardFor(const SceneInput& input) {
  const auto card = session::CardOf(input.description.device_name, 0, *input.cards);
  return card ? card->name : ChosenCard(input);
}

std::optional<phantom::Card> CardOfRun(const SceneInput& input) {
  if (!IsOnCard(input)) return {};
  const Result<phantom::Card> card = session::CardOr(ChosenCard(input), input.description, *input.cards);
  return card ? std::optional(*card) : std::nullopt;
}

FitSubject FitSubjectOf(const SceneInput& input) {
  const bool is_live = input.recording.empty();
  return {input.recorded.value_or(input.settings), CardOfRun(input),
          is_live ? input.allocator : input.description.allocator_settings};
}

bool IsOnCard(const SceneInput& input) {
  const bool is_others = !input.recording.empty() || presenters::IsProgram(input.description);
  return is_others ? input.description.device != "cpu" : input.device.kind != networks::DeviceKind::kCpu;
}

bool Scene::pending() const {
  return frame_.timeline.stack_pending || stacked_.pending() || hovered_place_.pending() ||
         selected_place_.pending() || moment_.pending() || walks_.pending() || tables_.pending() ||
         allocations_.pending() || comparison_.pending() || streams_.pending() || tree_.pending() ||
         selected_bytes_.pending() || statistics_.pending() ||
         (view_ != nullptr && captured_.IsBehind(*view_));
}

void Scene::BeginLookups() {
  stacked_.BeginFrame();
  hovered_place_.BeginFrame();
  selected_place_.BeginFrame();
  moment_.BeginFrame();
  walks_.BeginFrame();
  tables_.BeginFrame();
  tree_.BeginFrame();
  statistics_.BeginFrame();
  selected_bytes_.BeginFrame();
  allocations_.BeginFrame();
  comparison_.BeginFrame();
  streams_.BeginFrame();
}

// What the frame begins with, and what a panel without a run shows.
void Scene::PrepareEmpty(const SceneInput& input, const ViewState& state) {
  frame_.timeline.unit = state.unit;
  frame_.timeline.plot = &plot_;
  frame_.timeline.blocks = &blocks_;
  frame_.timeline.overview = &overview_;
  frame_.timeline.lane = &lane_;
  frame_.timeline.layers = &layer_lane_;
  frame_.timeline.view = view_.get();
  const bool ended_badly =
      input.status.state == session::RunState::kFailed || input.status.state == session::RunState::kDied;
  frame_.timeline.failure = ended_badly ? input.status.sentence : input.description.ending;
  frame_.timeline.empty_reason.clear();
  frame_.memory_map.empty_reason.clear();
  frame_.jobs.clear();
  frame_.live_tree = {};
  frame_.live_tree.unit = state.unit;
  frame_.live_tree.selects = state.selection.any();
  frame_.statistics = {};
  frame_.statistics.unit = state.unit;
  frame_.allocations = {};
  frame_.allocations.unit = state.unit;
  frame_.comparison = {nullptr, false, state.unit, kNothingToCompare, &owners_, nullptr};
  const bool is_program = presenters::IsProgram(input.description);
  frame_.breakdown = {};
  frame_.breakdown.breakdown = &kNoBreakdown;
  frame_.breakdown.unit = state.unit;
  frame_.breakdown.only_measured = is_program;
  frame_.breakdown.has_ended = input.status.state > session::RunState::kPaused;
  frame_.breakdown.selected = &owners_;
  frame_.breakdown.glossary = &input.book->glossary;
  frame_.bridge = {
      &kNoBridge,
      true,
      false,
      state.unit,
      &owners_,
      nullptr,
      &input.book->glossary,
      "The bridge leads from the textbook's figure to the run's peak. It needs one complete step."};
  frame_.breakdown.on_phantom = frame_.layers.on_phantom = networks::IsPhantom(input.description.device);
  frame_.layers.empty_reason =
      is_program
          ? "No layer holds anything here. Layers are told of Python programs that call modules of torch.nn: "
            "on a phantom, and by record with --operators."
          : "The layers appear as soon as a network trains.";
  frame_.layers.rows = &kNoLayers;
  frame_.layers.unit = state.unit;
  frame_.run_log.lines = &input.log->lines();
  // Only where the lessons are laid out: elsewhere nobody would know what lifts it. And no program of the
  // user's, of which no lesson asks.
  frame_.veiled = state.learning && !presenters::IsProgram(input.description) &&
                  AwaitsPrediction(input.book->lessons, state.lessons);
  if (state.learning) frame_.breakdown.asked = AskedLater(input.book->lessons, state.lessons);
  frame_.layers.activations_asked = frame_.breakdown.asked.contains(events::Category::kActivation);
  frame_.bookmarks.clear();
  frame_.timeline.bookmarks.clear();
  if (view_ != nullptr && !view_->empty()) return;
  const char* reason = ReasonOfEmptiness(input);
  frame_.timeline.empty_reason = reason;
  frame_.memory_map.empty_reason = frame_.live_tree.empty_reason = frame_.allocations.empty_reason =
      frame_.statistics.empty_reason = reason;
  frame_.memory_map.state = nullptr;
  frame_.memory_map.map = nullptr;
}

// What is told of events, where there are any.
void Scene::PrepareRun(const SceneInput& input, ViewState& state, Estimates& estimates,
                       const std::string& card) {
  PrepareRange(state);
  PrepareSelection(state);
  PrepareBookmarks(input, state);
  PrepareStack(input, state);
  // The CPU's memory is laid out by the system, not by PyTorch's allocator: a phantom GPU says nothing
  // about it.
  PreparePlot(input, state, estimates, input.description.device == "cpu" ? "" : card);
  FinishPlot();
  PrepareHover(state);
  PrepareTables(input, state, estimates, card);
  PrepareMap(state, IsOnCard(input));
  if (moment_.answer() != nullptr) PrepareMoment(state);
  PrepareComparison(input, state);
  PrepareStatistics(state);
}

// What is told of the moment that the map shows.
void Scene::PrepareMoment(ViewState& state) {
  PrepareSelectedBytes();
  frame_.slow_motion.state = &ShownState();
  PrepareTree(state);
  PrepareAllocations(state);
}

const Frame& Scene::Prepare(const SceneInput& input, ViewState& state, Estimates& estimates) {
  view_ = input.view;
  const std::string card = CardFor(input);
  estimates.BeginFrame();
  BeginLookups();
  PrepareEmpty(input, state);
  // The order is that of importance: what is on the plot first, then what the controls say.
  PrepareSlowMotion(input, state);
  frame_.timeline.card_bytes = input.description.device == "cpu" ? 0 : input.description.device_bytes;
  frame_.timeline.selected = frame_.layers.selected = frame_.memory_map.selected = &owners_;
  frame_.allocations.selected = &owners_;
  if (view_ != nullptr && !view_->empty()) PrepareRun(input, state, estimates, card);
  PrepareControls(input, state, estimates);
  PrepareAdvice(input, state.unit);
  frame_.sweep = {input.sweep, state.unit};
  PrepareBatch(input, state, estimates);
  PrepareCheckpointing(input, state, estimates);
  PrepareLesson(input, state, estimates);
  return frame_;
}

void Scene::PrepareLesson(const SceneInput& input, ViewState& state, Estimates& estimates) {
  const LessonQuestion question{
      input.book, {input.settings, ChosenCard(input)}, view_.get(), input.networks, input.cards};
  frame_.lessons = PrepareLessons(question, state.lessons, estimates);
  frame_.lessons.has_own_card = input.device.kind != networks::DeviceKind::kPhantom;
  frame_.lessons.on_phantom = networks::IsPhantom(input.description.device);
  frame_.lessons.runs = input.live || input.starting;
  frame_.lessons.shown = !input.recording.empty() ? input.recording
                         : presenters::IsProgram(input.description)
                             ? presenters::NameOfProgram(input.description)
                             : "";
  const bool is_revealed = std::exchange(was_veiled_, frame_.veiled) && !frame_.veiled;
  if (!is_revealed || !state.run_controls.sought.empty()) return;
  // What the controls say is there again and moves them: the one that the page is about stays in sight.
  for (const std::string& control : input.access.highlighted) {
    if (std::ranges::count(input.access.hidden, control) == 0)
      return void(state.run_controls.sought = control);
  }
}

// The tree that is shown stays until the one that is asked for is there.
void Scene::PrepareTree(ViewState& state) {
  if (!std::exchange(state.live_tree.drawn, false)) return;
  const AliveAsked asked{moment_.answer()->state, state.selection, state.live_tree.grouping};
  const uint64_t looks = asked.state->blocks.size() * KeysOf(asked.grouping).size();
  tree_.Ask(asked, FitsInFrame({looks, 0}), [view = view_](const AliveAsked& wanted, const auto& progress) {
    return presenters::MakeLiveTree(*view, *wanted.state, KeysOf(wanted.grouping), wanted.selection,
                                    progress);
  });
  frame_.live_tree.segments_have_stacks =
      asked.grouping == TreeGrouping::kCallStack &&
      std::ranges::any_of(ShownState().segments, [this](const timeline::Segment& segment) {
        return segment.born >= view_->first() && view_->event(segment.born).op != 0;
      });
  frame_.live_tree.tree = tree_.answer();
  frame_.live_tree.moment = frame_.memory_map.moment;
  if (tree_.answer() == nullptr)
    frame_.live_tree.empty_reason = tree_.cancelled() ? "Cancelled. Another moment is looked into again."
                                                      : "Looking at all that is alive…";
  if (const auto line = tree_.Line("Grouping what is alive", 300ms)) frame_.jobs.push_back(*line);
}

void Scene::PrepareComparison(const SceneInput& input, ViewState& state) {
  if (!std::exchange(state.comparison.drawn, false)) return;
  const bool compares = input.compared.has_value();
  ComparisonAsked asked{view_, compares ? input.compared->view : nullptr,
                        compares ? input.compared->title : "", state.pinned, state.unit};
  const bool by_hand = asked.compared != comparison_asked_.compared ||
                       asked.moment != comparison_asked_.moment || asked.unit != comparison_asked_.unit;
  if (asked != comparison_asked_ && (by_hand || Clock::now() - comparison_time_ > 100ms)) {
    comparison_asked_ = std::move(asked);
    comparison_time_ = Clock::now();
  }
  comparison_.Ask(
      comparison_asked_, EventsOf(comparison_asked_) <= kMostLookedAtInAFrame,
      [](const ComparisonAsked& wanted, const auto& progress) { return Compare(wanted, progress); });
  if (const auto line = comparison_.Line("Comparing", 300ms)) frame_.jobs.push_back(*line);
  frame_.comparison.second_run = compares;
  if (compares) CompareRequests(input);
  // Until it is there the one before of the same runs is shown.
  const bool is_of_these =
      comparison_.question() && comparison_.question()->compared == comparison_asked_.compared;
  const ShownComparison* const shown = is_of_these ? comparison_.answer() : nullptr;
  frame_.comparison.comparison = shown != nullptr && shown->sides ? &*shown->sides : nullptr;
  if (shown == nullptr) {
    frame_.comparison.empty_reason =
        comparison_.cancelled() ? "Cancelled. Another moment is compared again." : "Looking at both sides…";
  } else if (compares) {
    frame_.comparison.empty_reason =
        input.compared->title + " has no step like that of the pinned moment. Escape unpins it.";
  }
}

// All of both runs are looked at, so one that goes on is so every two seconds only.
void Scene::CompareRequests(const SceneInput& input) {
  StreamsAsked asked{view_, input.compared->view, input.compared->title};
  const auto rest = std::max<Clock::duration>(2s, 10 * streams_.took());
  if (asked.compared != streams_asked_.compared || Clock::now() - streams_time_ > rest) {
    streams_time_ = Clock::now();
    streams_asked_ = std::move(asked);
  }
  const uint64_t events = streams_asked_.view->end() - streams_asked_.view->first() +
                          streams_asked_.compared->end() - streams_asked_.compared->first();
  streams_.Ask(
      streams_asked_, events <= kMostLookedAtInAFrame,
      [](const StreamsAsked& wanted, const auto& progress) { return CompareRequestsOf(wanted, progress); });
  if (const auto line = streams_.Line("Comparing request by request", 300ms)) frame_.jobs.push_back(*line);
  if (streams_.question() && streams_.question()->compared == streams_asked_.compared)
    frame_.comparison.streams = streams_.answer();
}

void Scene::PrepareAllocations(ViewState& state) {
  AllocationsState& wanted = state.allocations;
  if (!std::exchange(wanted.drawn, false)) return;
  frame_.allocations.view = view_.get();
  frame_.allocations.moment = frame_.memory_map.moment;
  frame_.allocations.shown = ShownState().index;
  if (wanted.listed == Listed::kEvents) return;  // the panel takes them from the view
  presenters::ReadFilter read = presenters::ReadAllocationFilter(wanted.filter.data());
  frame_.allocations.filter_error = std::move(read.unreadable);
  AllocationsAsked asked{
      view_,
      {wanted.listed == Listed::kBornInSight, ShownState().index, frame_.memory_map.first,
       frame_.memory_map.last + 1, std::move(read.filter),
       wanted.only_selected ? state.selection : presenters::Selection(), wanted.sort, wanted.descending}};
  // While a run streams in or the range moves, ten times a second is as often as a person can read.
  const bool made_before = allocations_asked_.view != nullptr;
  if (asked != allocations_asked_ && !(made_before && asked.query.only == allocations_asked_.query.only &&
                                       Clock::now() - allocations_time_ < 100ms)) {
    allocations_asked_ = std::move(asked);
    allocations_time_ = Clock::now();
  }
  const bool fits =
      FitsInFrame(presenters::EffortOfTable(*allocations_asked_.view, allocations_asked_.query));
  allocations_.Ask(allocations_asked_, fits, [](const AllocationsAsked& wanted_now, const auto& progress) {
    return presenters::MakeAllocationTable(*wanted_now.view, wanted_now.query, progress);
  });
  if (const auto line = allocations_.Line("Listing allocations", 300ms)) frame_.jobs.push_back(*line);
  if (allocations_.answer() == nullptr) {
    frame_.allocations.empty_reason = allocations_.cancelled()
                                          ? "Cancelled. Another moment or filter is looked for again."
                                          : "Looking through the run…";
    return;
  }
  frame_.allocations.table = allocations_.answer();
}

// Between the cursors as MeasureBetween counts: what follows the event under the first, up to that under the
// second.
void Scene::PrepareStatistics(ViewState& state) {
  if (!std::exchange(state.statistics.drawn, false)) return;
  StatisticsAsked asked{view_, frame_.memory_map.first, frame_.memory_map.last + 1, false};
  if (const auto& cursors = state.timeline.measure) {
    const auto at = [&](double position) {
      return std::clamp(presenters::IndexAtPosition(*view_, state.timeline.axis, position), view_->first(),
                        view_->end() - 1);
    };
    const auto [from, to] = std::minmax({at(cursors->begin), at(cursors->end)});
    asked = {view_, from + 1, to + 1, true};
  }
  // What was cancelled stays so until the person looks elsewhere, however the run grows.
  if (statistics_cancelled_in_ && !SameView(*statistics_cancelled_in_, MomentOf(state)))
    statistics_cancelled_in_.reset();
  if (statistics_.cancelled() && !statistics_cancelled_in_) statistics_cancelled_in_ = MomentOf(state);
  // What a person does shows at once. A run that grows is counted anew for a fifth of the time at most.
  const bool by_hand = statistics_asked_.view == nullptr || statistics_asked_.view == view_;
  const bool due =
      by_hand || Clock::now() - statistics_time_ > std::max<Clock::duration>(100ms, 5 * statistics_.took());
  if (asked != statistics_asked_ && due && !statistics_cancelled_in_) {
    statistics_asked_ = asked;
    statistics_time_ = Clock::now();
  }
  constexpr uint64_t kEffortOfEvent = 3;  // 70 to 85 ns by bench_timeline_plot
  const bool fits = FitsInFrame({0, kEffortOfEvent * (statistics_asked_.end - statistics_asked_.first)});
  statistics_.Ask(statistics_asked_, fits, [](const StatisticsAsked& wanted, const auto& progress) {
    return presenters::MakeRangeStatistics(*wanted.view, wanted.first, wanted.end, progress);
  });
  if (const auto line = statistics_.Line("Counting what came and went", 300ms)) frame_.jobs.push_back(*line);
  if (statistics_.answer() == nullptr) {
    frame_.statistics.empty_reason = statistics_.cancelled()
                                         ? "Cancelled. Zoom or move, and what is in sight then is counted."
                                         : "Counting what came and went…";
    return;
  }
  frame_.statistics.view = statistics_.question()->view.get();
  frame_.statistics.statistics = statistics_.answer();
  frame_.statistics.between_cursors = statistics_.question()->between_cursors;
}

}  // namespace tidemark::gui
