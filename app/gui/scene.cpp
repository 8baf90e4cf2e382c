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
using presenters::TimeAxis;
using presenters::VisibleRange;

const presenters::Breakdown kNoBreakdown{"no step is complete yet", {}, {}};

const phantom::Card* CardNamed(const SceneInput& input, const std::string& name) {
  for (const phantom::Card& card : *input.cards) {
    if (card.name == name) return &card;
  }
  return nullptr;
}

std::optional<double> PaceOf(const timeline::View& view) {
  const auto& steps = view.steps();
  size_t end = steps.size();
  while (end > 0 && !steps[end - 1].complete) --end;
  if (end < 3) return std::nullopt;
  const size_t begin = end - std::min<size_t>(end, 9);
  const double seconds = static_cast<double>(steps[end - 1].begin_ns - steps[begin].begin_ns) / 1e9;
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(end - 1 - begin) / seconds;
}

// What the driver and the card say of themselves: the beginning of it, all of it in the tooltip.
void AddSourceLines(const timeline::View& view, bool runs, std::vector<CaptureLine>& lines) {
  for (const timeline::SourceState& source : view.sources()) {
    if (source.text.empty()) continue;
    const bool is_live = source.text.starts_with("live");
    const std::string name = source.source == events::Source::kDriver ? "CUDA driver" : "Card";
    lines.push_back({name,
                     is_live && !runs ? "ended" : source.text.substr(0, source.text.find_first_of(" :,(")),
                     is_live && runs ? LampState::kLive : LampState::kOff, source.text});
  }
}

std::vector<CaptureLine> CaptureLines(const SceneInput& input) {
  const bool runs = input.live || input.can_stop;
  const bool live = runs && input.view != nullptr && !input.view->empty();
  const uint64_t lost = std::max(input.status.lost, input.view == nullptr ? 0 : input.view->health().lost);
  const std::string state = input.starting ? "starting" : live ? "live" : runs ? "waiting" : "ended";
  const LampState lamp = lost > 0 ? LampState::kLost : live ? LampState::kLive : LampState::kOff;
  std::vector<CaptureLine> lines;
  lines.push_back({"Allocator", state + " · " + FormatNumber(static_cast<int64_t>(lost)) + " lost", lamp,
                   "Every block and segment, from the allocator itself. Lost: events that the ring could not "
                   "take; they are counted, never silent."});
  lines.push_back({"Layers, operators, phases", state, live ? LampState::kLive : LampState::kOff,
                   "From the training loop and from PyTorch's operator callbacks."});
  lines.push_back({"Events", FormatNumber(static_cast<int64_t>(input.status.captured)),
                   live ? LampState::kLive : LampState::kOff, "Captured since the run began."});
  if (input.view != nullptr) AddSourceLines(*input.view, live, lines);
  if (input.view != nullptr) {
    for (const std::string& sentence : timeline::DescribeHealth(input.view->health())) {
      lines.push_back({"Health", sentence, LampState::kLost, sentence});
    }
  }
  if (!input.status.recording_error.empty()) {
    lines.push_back({"Recording", "stopped", LampState::kLost, input.status.recording_error});
  }
  return lines;
}

// The CPU's memory is laid out by the system; what a phantom GPU needs says nothing about it.
session::Prediction NoPredictionForCpu() {
  session::Prediction prediction;
  prediction.sentence = "on the CPU: measured, not predicted";
  return prediction;
}

// What the controls would tell of the answer to a lesson's question; what they can be set to stays.
Consequences Unspoken(Consequences consequences) {
  for (std::string* line :
       {&consequences.network, &consequences.optimizer, &consequences.batch, &consequences.accumulate,
        &consequences.precision, &consequences.checkpoint, &consequences.fit})
    line->clear();
  for (auto* lines :
       {&consequences.precision_hints, &consequences.checkpoint_hints, &consequences.techniques}) {
    for (std::string& line : *lines) line.clear();
  }
  return consequences;
}

bool Same(const VisibleRange& a, const VisibleRange& b) { return a.begin == b.begin && a.end == b.end; }

constexpr const char* kNothingToCompare =
    "There is nothing to compare yet. Lay a second run over this one with Compare with… (Ctrl+Shift+O), or "
    "change a setting while a run goes on: two steps later, before and after stand here.";

// Why there is no curve yet.
const char* ReasonOfEmptiness(const SceneInput& input) {
  const bool starts = input.starting || input.status.state == session::RunState::kStarting;
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

void Scene::Reset() { *this = Scene(); }

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
  frame_.timeline.failure = ended_badly ? input.status.sentence : "";
  frame_.timeline.empty_reason.clear();
  frame_.memory_map.empty_reason.clear();
  frame_.live_tree = {};
  frame_.live_tree.unit = state.unit;
  frame_.live_tree.selects = state.selection.any();
  frame_.allocations = {};
  frame_.allocations.unit = state.unit;
  frame_.comparison = {nullptr, false, state.unit, kNothingToCompare};
  const bool is_program = presenters::IsProgram(input.description);
  frame_.breakdown = {&kNoBreakdown,         nullptr, state.unit, true, is_program, &owners_, nullptr,
                      &input.book->glossary, "",      {}};
  frame_.bridge = {
      &bridge_,
      true,
      false,
      state.unit,
      &owners_,
      nullptr,
      &input.book->glossary,
      "The bridge leads from the textbook's figure to the measured peak. It needs one complete step."};
  frame_.layers.empty_reason = "The layers appear as soon as a network trains.";
  frame_.layers.rows = &layers_;
  frame_.layers.unit = state.unit;
  frame_.run_log.lines = &input.log->lines();
  // Only where the lessons are laid out: elsewhere nobody would know what lifts it.
  frame_.veiled = state.learning && AwaitsPrediction(input.book->lessons, state.lessons);
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
  PrepareMap(state);
  PrepareSelectedBytes();
  frame_.slow_motion.state = &*map_state_;
  PrepareTree(state);
  PrepareComparison(input, state);
  PrepareAllocations(state);
}

const Frame& Scene::Prepare(const SceneInput& input, ViewState& state, Estimates& estimates) {
  view_ = input.view;
  const std::string card = CardFor(input);
  estimates.BeginFrame();
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

ConsequenceQuestion Scene::QuestionOfControls(const SceneInput& input, const ViewState& state) {
  ConsequenceQuestion question;
  question.settings = state.run_controls.draft.value_or(input.settings);
  question.unit = state.unit;
  for (const networks::Network& network : *input.networks) {
    if (network.name == question.settings.network) question.network = &network;
  }
  if (input.device.kind != networks::DeviceKind::kCpu) question.card = CardNamed(input, input.device.card);
  if (view_ != nullptr) {
    CountSkippedSteps();
    question.skipped_steps = skipped_steps_;
    const auto& steps = view_->steps();
    for (size_t i = steps.size() - std::min<size_t>(2, steps.size()); i < steps.size(); ++i) {
      if (steps[i].loss_scale) question.loss_scale = steps[i].loss_scale;
      const bool computes = steps[i].loss.value_or(0) != 0;  // a phantom does not
      if (computes && steps[i].vanished_gradients) question.vanished_gradients = steps[i].vanished_gradients;
    }
  }
  return question;
}

void Scene::PrepareControls(const SceneInput& input, const ViewState& state, Estimates& estimates) {
  RunControlsInput& controls = frame_.run_controls;
  controls.networks = input.networks;
  controls.cards = input.cards;
  controls.cuda_devices = input.cuda_devices;
  controls.settings = input.settings;
  controls.device = input.device;
  controls.steps_per_second = input.steps_per_second;
  controls.live = input.live;
  controls.unit = state.unit;
  controls.starting = input.starting;
  controls.paused = input.status.state == session::RunState::kPaused;
  controls.measured_pace = view_ == nullptr ? std::nullopt : PaceOf(*view_);
  controls.capture = CaptureLines(input);
  controls.kernels = input.kernels;
  controls.access = input.access;
  controls.recording = input.recording;
  controls.recorded = input.recorded;
  PrepareProgram(input, state.unit);

  const ConsequenceQuestion question = QuestionOfControls(input, state);
  const std::string card_name = input.device.card;
  const bool on_cpu = input.device.kind == networks::DeviceKind::kCpu;
  const bool same = consequences_asked_ == question && consequences_estimates_ == estimates.version();
  if (!same || !consequences_known_) {
    bool all_known = true;
    ConsequenceSources sources;
    sources.phantom = [&](const networks::TrainingSettings& settings) {
      const auto answer =
          on_cpu ? std::optional(NoPredictionForCpu()) : estimates.Phantom(settings, card_name);
      all_known = all_known && answer.has_value();
      return answer;
    };
    sources.textbook = [&](const networks::TrainingSettings& settings, int rank) {
      const textbook::Estimate* estimate = estimates.Textbook(settings, rank);
      all_known = all_known && estimate != nullptr;
      return estimate;
    };
    sources.step_seconds = [&](const networks::TrainingSettings& settings) {
      return question.card == nullptr ? std::nullopt : estimates.StepSeconds(settings, *question.card);
    };
    consequences_ = DescribeConsequences(question, sources);
    consequences_asked_ = question;
    consequences_estimates_ = estimates.version();
    consequences_known_ = all_known;
  }
  controls.consequences = frame_.veiled ? Unspoken(consequences_) : consequences_;
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

// What our own controls would set is nothing to a program.
void Scene::PrepareProgram(const SceneInput& input, ByteUnit unit) {
  frame_.program.reset();
  if (view_ == nullptr || !presenters::IsProgram(input.description)) return;
  const auto card =
      session::CardOf(input.description.device_name, input.description.device_bytes, *input.cards);
  frame_.program = {
      presenters::MakeProgramFacts(*view_, input.description, input.status, card, input.band, unit),
      input.can_stop};
}

void Scene::CountSkippedSteps() {
  const auto& steps = view_->steps();
  while (steps_counted_ < steps.size() && steps[steps_counted_].complete) {
    skipped_steps_ += steps[steps_counted_].skipped ? 1 : 0;
    ++steps_counted_;
  }
}

void Scene::PrepareRange(ViewState& state) {
  TimelineState& timeline = state.timeline;
  frame_.timeline.whole = presenters::WholeRange(*view_, timeline.axis);
  if (timeline.follow) {
    timeline.visible = presenters::LastSteps(*view_, timeline.axis, timeline.follow_steps);
  } else if (timeline.whole || timeline.visible.end <= timeline.visible.begin) {
    timeline.visible = frame_.timeline.whole;
  }
  if (timeline.visible.end <= timeline.visible.begin) timeline.visible.end = timeline.visible.begin + 1;
  frame_.timeline.pinned.reset();
  if (timeline.measure)
    frame_.timeline.measured =
        presenters::MeasureBetween(*view_, timeline.axis, *timeline.measure, state.unit);
  if (state.pinned) frame_.timeline.pinned = presenters::PositionOf(*view_, timeline.axis, *state.pinned);
}

// Of the settings that ever were in force on this timeline; few, and looked up in a map.
void Scene::PrepareSettingsEstimates(const SceneInput& input, Estimates& estimates, const std::string& card) {
  settings_estimates_.clear();
  for (const std::string& json : view_->settings()) {
    presenters::SettingsEstimate estimate;
    if (const textbook::Estimate* book = estimates.Textbook(json, input.description.rank))
      estimate.textbook_bytes = book->total_bytes;
    if (card.empty() || !estimates.PhantomSpeaksFor(input.description.rank, json)) {
      settings_estimates_.push_back(estimate);
      continue;
    }
    if (const auto prediction = estimates.Phantom(json, card); prediction && prediction->sentence.empty()) {
      estimate.phantom_allocated_bytes = prediction->allocated_peak_bytes;
      estimate.phantom_reserved_bytes = prediction->reserved_peak_bytes;
    }
    settings_estimates_.push_back(estimate);
  }
}

void Scene::PreparePlot(const SceneInput& input, const ViewState& state, Estimates& estimates,
                        const std::string& card) {
  const TimelineState& timeline = state.timeline;
  const presenters::TimelinePlotRequest request{timeline.axis, timeline.visible, timeline.columns,
                                                state.unit};
  PrepareSettingsEstimates(input, estimates, card);
  const std::shared_ptr<const timeline::View> compared = input.compared ? input.compared->view : nullptr;
  frame_.timeline.compared = input.compared ? input.compared->title : "";
  const bool same = plot_view_ == view_ && plot_compared_ == compared &&
                    plot_estimates_ == estimates.version() && plot_request_.axis == request.axis &&
                    plot_request_.columns == request.columns && plot_request_.unit == request.unit &&
                    Same(plot_request_.visible, request.visible);
  if (same) return;
  if (ranked_.busy() && plot_request_.axis == request.axis) {  // what is being made comes first
    frame_.timeline.stack_pending = true;
    return;
  }
  ranked_ = {};
  presenters::TimelinePlot plot =
      presenters::MakeTimelinePlot(*view_, settings_estimates_, request, &plot_cut_);
  lane_ = presenters::MakeDeviceLane(*view_, request.axis, plot.columns);
  presenters::TimelinePlotRequest lane = request;
  lane.columns = static_cast<int>(static_cast<float>(request.columns) / Px(1));  // names are as wide as that
  layer_lane_ = presenters::LayersInSight(*view_, lane);
  if (compared != nullptr) presenters::AddComparedRun(*view_, timeline.axis, *compared, plot);
  constexpr int kSmallestRows = 3;   // of a block that can be told from its neighbours, in pixels
  constexpr int kTitleColumns = 70;  // of a block with room for its name
  const double per_column = (timeline.visible.end - timeline.visible.begin) / std::max(1, timeline.columns);
  const int64_t per_row = plot.highest_bytes / std::max(1, timeline.rows);
  blocks_ =
      presenters::BlocksInSight(*view_, plot, {per_row * kSmallestRows, per_row, per_column * kTitleColumns});
  UsePlot(std::move(plot), request.axis);
  plot_view_ = view_;
  plot_compared_ = compared;
  plot_estimates_ = estimates.version();
  plot_request_ = request;
  overview_ = presenters::MakeTimelinePlot(
      *view_, settings_estimates_,
      {timeline.axis, frame_.timeline.whole, timeline.overview_columns, state.unit}, &overview_cut_);
}

// Until ranks are stacked on a plot the one before stays, if it has ranks and lies on the same axis.
void Scene::UsePlot(presenters::TimelinePlot plot, presenters::TimeAxis axis) {
  const bool waits = stack_ranks_ != nullptr && !plot_.group_ranks.empty() && plot_request_.axis == axis;
  if (!waits) {
    plot_ = stack_ranks_ == nullptr ? std::move(plot) : plot;
    plot_fresh_ = true;
  }
  if (stack_ranks_ != nullptr) ranked_.Begin({view_, axis, stack_ranks_, stack_shown_rank_, std::move(plot)});
}

void Scene::PrepareHover(const ViewState& state) {
  const TimelineState& timeline = state.timeline;
  if (!timeline.hover) {
    frame_.timeline.hovered.reset();
    frame_.timeline.highlight.clear();
    hover_.reset();
    return;
  }
  const bool same = hover_ && hover_->position == timeline.hover->position &&
                    hover_->bytes == timeline.hover->bytes && hover_view_ == view_;
  if (same) return;
  hover_ = timeline.hover;
  hover_view_ = view_;
  frame_.timeline.hovered.reset();
  frame_.timeline.highlight.clear();
  for (const presenters::PlotColumn& column : plot_.columns) {
    if (timeline.hover->position < column.begin || timeline.hover->position >= column.end) continue;
    if (!plot_.groups.empty()) return;  // the panel knows the group
    const timeline::State seen = view_->StateAt(column.peak);
    frame_.timeline.hovered = presenters::BlockUnder(*view_, seen, timeline.hover->bytes);
    if (frame_.timeline.hovered)
      frame_.timeline.highlight = HighlightOf(*view_, plot_, *frame_.timeline.hovered, seen);
    return;
  }
}

void Scene::PrepareTree(ViewState& state) {
  if (!std::exchange(state.live_tree.drawn, false)) return;
  if (tree_index_ != map_state_->index || tree_grouping_ != state.live_tree.grouping ||
      tree_selection_ != state.selection) {
    tree_index_ = map_state_->index;
    tree_grouping_ = state.live_tree.grouping;
    tree_selection_ = state.selection;
    frame_.live_tree.segments_have_stacks =
        std::ranges::any_of(map_state_->segments, [this](const timeline::Segment& segment) {
          return segment.born >= view_->first() && view_->event(segment.born).op != 0;
        });
    tree_ = presenters::MakeLiveTree(*view_, *map_state_, KeysOf(tree_grouping_), tree_selection_);
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
  AllocationsAsked asked{view_,
                         wanted.filter.data(),
                         wanted.only_selected ? state.selection : presenters::Selection(),
                         wanted.born_in_sight,
                         map_state_->index,
                         frame_.memory_map.first,
                         frame_.memory_map.last + 1,
                         wanted.sort,
                         wanted.descending};
  const auto filter = presenters::ParseAllocationFilter(asked.filter);
  frame_.allocations.filter_error = filter ? "" : filter.error().message;
  // What was typed last and could be read stays in force while a word is being typed; while a run streams in
  // or the range moves, ten times a second is as often as a person can read.
  const bool made_before = allocations_asked_.view != nullptr;
  if (filter && asked != allocations_asked_ &&
      !(made_before && asked.only == allocations_asked_.only && Clock::now() - allocations_time_ < 100ms)) {
    allocations_ =
        presenters::MakeAllocationTable(*view_, {asked.born_in_range, asked.moment, asked.first, asked.end,
                                                 *filter, asked.only, asked.sort, asked.descending});
    allocations_asked_ = std::move(asked);
    allocations_time_ = Clock::now();
  }
  frame_.allocations.view = view_.get();
  frame_.allocations.table = &allocations_;
  frame_.allocations.moment = frame_.memory_map.moment;
}

void Scene::SwitchAxis(TimeAxis axis, ViewState& state) const {
  TimelineState& timeline = state.timeline;
  if (view_ != nullptr && !view_->empty()) {
    const timeline::EventIndex begin =
        presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.begin);
    const timeline::EventIndex end = presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.end);
    timeline.visible = {presenters::PositionOf(*view_, axis, begin),
                        presenters::PositionOf(*view_, axis, end)};
    if (timeline.measure) {
      for (double* position : {&timeline.measure->begin, &timeline.measure->end}) {
        *position = presenters::PositionOf(*view_, axis,
                                           presenters::IndexAtPosition(*view_, timeline.axis, *position));
      }
    }
  }
  timeline.axis = axis;
}

std::optional<timeline::EventIndex> Scene::PeakInSight(const ViewState& state) const {
  if (view_ == nullptr || view_->empty()) return std::nullopt;
  const TimelineState& timeline = state.timeline;
  const timeline::EventIndex begin =
      std::max(view_->first(), presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.begin));
  const timeline::EventIndex end =
      std::min(view_->end(), presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.end));
  if (begin >= end) return std::nullopt;
  return view_->PeakIn(timeline::Series::kAllocated, begin, end).index;
}

}  // namespace tidemark::gui
