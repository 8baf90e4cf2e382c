#include "app/gui/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/highlight.h"
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
const presenters::Breakdown kNoBreakdown{"no step is complete yet", {}, {}};

constexpr const char* kNothingToCompare =
    "There is nothing to compare yet. Lay a second run over this one with Compare with… (Ctrl+Shift+O), or "
    "change a setting while a run goes on: two steps later, before and after stand here.";

// Why there is no curve yet.
const char* ReasonOfEmptiness(const SceneInput& input) {
  const bool starts = input.starting || input.status.state == session::RunState::kStarting;
  if (starts && !input.recording.empty())
    return "Nothing has been recorded yet. What is recorded is shown as it comes.";
  if (presenters::IsProgram(input.description)) {
    return starts ? "The program has not used the GPU yet. The curve begins with its first allocation."
                  : "The program asked the GPU for no memory.";
  }
  return starts ? "The trainer is starting: it loads LibTorch. The curve begins with the first allocation."
                : "No event has arrived yet. Press Space to start a run, or open a recording with Ctrl+O.";
}

}  // namespace

std::string CardFor(const SceneInput& input) {
  const auto card = session::CardOf(input.description.device_name, 0, *input.cards);
  return card ? card->name : input.device.card;
}

bool IsOnCard(const SceneInput& input) {
  const bool is_others = !input.recording.empty() || presenters::IsProgram(input.description);
  return is_others ? input.description.device != "cpu" : input.device.kind != networks::DeviceKind::kCpu;
}

bool Scene::pending() const {
  return frame_.timeline.stack_pending || stacked_.pending() || hovered_place_.pending() ||
         selected_place_.pending() || moment_.pending() || tables_.pending() || allocations_.pending() ||
         (view_ != nullptr && captured_.IsBehind(*view_));
}

void Scene::Reset() { *this = Scene(); }

void Scene::BeginLookups() {
  stacked_.BeginFrame();
  hovered_place_.BeginFrame();
  selected_place_.BeginFrame();
  moment_.BeginFrame();
  tables_.BeginFrame();
  allocations_.BeginFrame();
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
  frame_.live_tree = {};
  frame_.live_tree.unit = state.unit;
  frame_.live_tree.selects = state.selection.any();
  frame_.allocations = {};
  frame_.allocations.unit = state.unit;
  frame_.comparison = {nullptr, false, state.unit, kNothingToCompare, &owners_};
  const bool is_program = presenters::IsProgram(input.description);
  frame_.breakdown = {&kNoBreakdown,         nullptr, state.unit, true, is_program, &owners_, nullptr,
                      &input.book->glossary, "",      {}};
  frame_.bridge = {
      &kNoBridge,
      true,
      false,
      state.unit,
      &owners_,
      nullptr,
      &input.book->glossary,
      "The bridge leads from the textbook's figure to the measured peak. It needs one complete step."};
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
  frame_.memory_map.empty_reason = frame_.live_tree.empty_reason = frame_.allocations.empty_reason = reason;
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
  PrepareSelectedBytes();
  frame_.slow_motion.state = &ShownState();
  PrepareTree(state);
  PrepareComparison(input, state);
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
  PrepareBatch(input, state, estimates);
  PrepareCheckpointing(input, state, estimates);
  PrepareLesson(input, state, estimates);
  return frame_;
}

void Scene::PrepareLesson(const SceneInput& input, ViewState& state, Estimates& estimates) {
  const LessonQuestion question{
      input.book, {input.settings, input.device.card}, view_.get(), input.networks, input.cards};
  frame_.lessons = PrepareLessons(question, state.lessons, estimates);
  const bool is_revealed = std::exchange(was_veiled_, frame_.veiled) && !frame_.veiled;
  if (!is_revealed || !state.run_controls.sought.empty()) return;
  // What the controls say is there again and moves them: the one that the page is about stays in sight.
  for (const std::string& control : input.access.highlighted) {
    if (std::ranges::count(input.access.hidden, control) == 0)
      return void(state.run_controls.sought = control);
  }
}

void Scene::PrepareTree(ViewState& state) {
  if (!std::exchange(state.live_tree.drawn, false)) return;
  if (tree_index_ != ShownState().index || tree_grouping_ != state.live_tree.grouping ||
      tree_selection_ != state.selection) {
    tree_index_ = ShownState().index;
    tree_grouping_ = state.live_tree.grouping;
    tree_selection_ = state.selection;
    frame_.live_tree.segments_have_stacks =
        std::ranges::any_of(ShownState().segments, [this](const timeline::Segment& segment) {
          return segment.born >= view_->first() && view_->event(segment.born).op != 0;
        });
    tree_ = presenters::MakeLiveTree(*view_, ShownState(), KeysOf(tree_grouping_), tree_selection_);
  }
  frame_.live_tree.tree = &tree_;
  frame_.live_tree.moment = frame_.memory_map.moment;
}

void Scene::PrepareComparison(const SceneInput& input, ViewState& state) {
  if (!std::exchange(state.comparison.drawn, false)) return;
  const bool compares = input.compared.has_value();
  const ComparisonAsked asked{view_, compares ? input.compared->view : nullptr, state.pinned, state.unit};
  const bool by_hand = asked.compared != comparison_asked_.compared ||
                       asked.moment != comparison_asked_.moment || asked.unit != comparison_asked_.unit;
  if (asked != comparison_asked_ && (by_hand || Clock::now() - comparison_time_ > 100ms)) {
    std::optional<presenters::SideBySide> made;
    if (compares) {
      made = presenters::CompareRunsAt(*view_, *input.compared->view, input.compared->title, state.pinned);
    } else if (const auto change = presenters::LatestChange(*view_)) {
      made = presenters::CompareChange(*view_, *change, state.unit);
    }
    comparison_exists_ = made.has_value();
    comparison_ = made ? std::move(*made) : presenters::SideBySide();
    comparison_asked_ = asked;
    comparison_time_ = Clock::now();
  }
  frame_.comparison.comparison = comparison_exists_ ? &comparison_ : nullptr;
  frame_.comparison.second_run = compares;
  if (compares) {
    frame_.comparison.empty_reason =
        input.compared->title + " has no step like that of the pinned moment. Escape unpins it.";
  }
}

void Scene::PrepareAllocations(ViewState& state) {
  AllocationsState& wanted = state.allocations;
  if (!std::exchange(wanted.drawn, false)) return;
  presenters::ReadFilter read = presenters::ReadAllocationFilter(wanted.filter.data());
  frame_.allocations.filter_error = std::move(read.unreadable);
  AllocationsAsked asked{
      view_,
      {wanted.born_in_sight, ShownState().index, frame_.memory_map.first, frame_.memory_map.last + 1,
       std::move(read.filter), wanted.only_selected ? state.selection : presenters::Selection(), wanted.sort,
       wanted.descending}};
  // While a run streams in or the range moves, ten times a second is as often as a person can read.
  const bool made_before = allocations_asked_.view != nullptr;
  if (asked != allocations_asked_ && !(made_before && asked.query.only == allocations_asked_.query.only &&
                                       Clock::now() - allocations_time_ < 100ms)) {
    allocations_asked_ = std::move(asked);
    allocations_time_ = Clock::now();
  }
  const bool fits =
      FitsInFrame(presenters::EffortOfTable(*allocations_asked_.view, allocations_asked_.query));
  allocations_.Ask(allocations_asked_, fits, [](const AllocationsAsked& wanted_now, const auto&) {
    return presenters::MakeAllocationTable(*wanted_now.view, wanted_now.query);
  });
  if (allocations_.answer() == nullptr) {
    frame_.allocations.empty_reason = "Looking through the run…";
    return;
  }
  frame_.allocations.view = view_.get();
  frame_.allocations.table = allocations_.answer();
  frame_.allocations.moment = frame_.memory_map.moment;
}

}  // namespace tidemark::gui
