#include "app/gui/scene/timeline_scene.h"

#include <algorithm>
#include <utility>

#include "app/gui/scene/cursors.h"
#include "app/gui/window/theme.h"
#include "app/presenters/comparison/same_place.h"
#include "app/presenters/plot/compared_run.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {

using presenters::TimeAxis;

namespace {

constexpr float kReplayWidth = 84;  // of "12,345 replays"

}  // namespace

void TimelineScene::BeginFrame(const SceneInput& input, const ViewState& state, Frame& frame) {
  view_ = input.view;
  stacked_.BeginFrame();
  hovered_place_.BeginFrame();
  selected_place_.BeginFrame();
  owners_known_.BeginFrame();
  stacking_.BeginFrame();
  TimelineInput& timeline = frame.timeline;
  timeline.unit = state.unit;
  timeline.plot = &plot_;
  timeline.blocks = &blocks_;
  timeline.overview = &overview_;
  timeline.lane = &lane_;
  timeline.layers = &layer_lane_;
  timeline.replays = &replay_lane_;
  timeline.view = view_.get();
  timeline.selected = &owners_;
  timeline.goes_on = GoesOn(input);
  timeline.capacity = view_ == nullptr ? session::Capacity() : session::CapacityOf(input.description, *view_);
  const bool ended_badly =
      input.status.state == session::RunState::kFailed || input.status.state == session::RunState::kDied;
  timeline.failure = ended_badly ? input.status.sentence : input.description.ending;
  timeline.empty_reason.clear();
  timeline.bookmarks.clear();
  frame.bookmarks.clear();
}

void TimelineScene::Prepare(const SceneInput& input, ViewState& state, Estimates& estimates,
                            const session::PhantomSetup& phantom,
                            const std::shared_ptr<const ComparedRequests>& alignment, Frame& frame) {
  PrepareRange(state, frame);
  PrepareSelection(state);
  PrepareBookmarks(input, state, frame);
  PrepareStack(input, state, frame);
  PreparePlot(input, state, estimates, phantom, alignment, frame);
  FinishPlot(frame);
  PrepareHover(state, frame);
}

void TimelineScene::PrepareRange(ViewState& state, Frame& frame) {
  TimelineState& timeline = state.timeline;
  frame.timeline.whole = presenters::WholeRange(*view_, timeline.axis);
  if (timeline.follow) {
    timeline.visible = presenters::LastSteps(*view_, timeline.axis, timeline.follow_steps);
  } else if (timeline.whole || timeline.visible.end <= timeline.visible.begin) {
    timeline.visible = frame.timeline.whole;
  }
  if (timeline.visible.end <= timeline.visible.begin) timeline.visible.end = timeline.visible.begin + 1;
  frame.timeline.pinned.reset();
  if (const auto cursors = EventsUnderCursors(*view_, state))
    frame.timeline.measured = presenters::MeasureBetween(*view_, cursors->first, cursors->second, state.unit);
  if (state.pinned) frame.timeline.pinned = presenters::PositionOf(*view_, timeline.axis, *state.pinned);
}

void TimelineScene::MakeSettingsEstimates(int rank, Estimates& estimates,
                                          const session::PhantomSetup& phantom) {
  const auto& settings = view_->settings();
  settings_estimates_.assign(settings.size(), {});
  unpredicted_.clear();
  for (size_t i = 0; i < settings.size(); ++i) {
    presenters::SettingsEstimate& estimate = settings_estimates_[i];
    estimate.textbook_bytes = estimates.TextbookBytes(settings[i], rank).value_or(0);
    if (phantom.card.empty() || !estimates.PhantomSpeaksFor(rank, settings[i])) continue;
    const auto prediction = estimates.Phantom(settings[i], phantom);
    if (!prediction) unpredicted_.push_back(i);
    if (!prediction || !prediction->sentence.empty()) continue;
    estimate.phantom_allocated_bytes = prediction->allocated_peak_bytes;
    estimate.phantom_reserved_bytes = prediction->reserved_peak_bytes;
  }
}

void TimelineScene::PrepareSettingsEstimates(const SceneInput& input, Estimates& estimates,
                                             const session::PhantomSetup& phantom) {
  const int rank = input.description.rank;
  const SettingsEstimated asked{view_->settings().size(), rank, phantom, estimates.version()};
  if (settings_estimated_ != asked) {
    settings_estimated_ = asked;
    MakeSettingsEstimates(rank, estimates, phantom);
  }
  // One question of the frame's is asked, and counts as long as it is asked in every frame. What cannot be
  // asked at all never will be.
  while (!estimates.pending() && !unpredicted_.empty()) {
    estimates.Phantom(view_->settings()[unpredicted_.front()], phantom);
    if (!estimates.pending()) unpredicted_.erase(unpredicted_.begin());
  }
}

void TimelineScene::PreparePlot(const SceneInput& input, const ViewState& state, Estimates& estimates,
                                const session::PhantomSetup& phantom,
                                const std::shared_ptr<const ComparedRequests>& alignment, Frame& frame) {
  const TimelineState& timeline = state.timeline;
  const bool of_categories = !stack_sums_ && stack_ranks_ == nullptr;
  const timeline::CategorySet hidden = of_categories ? timeline.hidden_categories | frame.timeline.untold : 0;
  const presenters::TimelinePlotRequest request{timeline.axis, timeline.visible, timeline.columns, state.unit,
                                                timeline::kAllCategories & ~hidden};
  const int rows = static_cast<int>(std::max(1, timeline.rows) * timeline.magnified);
  PrepareSettingsEstimates(input, estimates, phantom);
  const std::shared_ptr<const timeline::View> compared = input.compared ? input.compared->view : nullptr;
  frame.timeline.compared = input.compared ? input.compared->title : "";
  const PlotAsked asked{view_,        request,          compared, alignment, settings_estimated_,
                        stack_ranks_, stack_shown_rank_};
  const bool same = plot_asked_ == asked;
  if (same && plot_rows_ != rows) ListBlocks(plot_, timeline, rows);
  plot_rows_ = rows;
  if (same) return;
  // What is being made comes first.
  if (RanksAreBeingStacked() && plot_asked_.request.axis == request.axis) return;
  presenters::TimelinePlot plot =
      presenters::MakeTimelinePlot(*view_, settings_estimates_, request, &plot_cut_);
  lane_ = presenters::MakeDeviceLane(*view_, request.axis, plot.columns);
  presenters::TimelinePlotRequest lane = request;
  lane.columns = static_cast<int>(static_cast<float>(request.columns) / Px(1));  // names are as wide as that
  layer_lane_ = presenters::LayersInSight(*view_, lane);
  replay_lane_ = presenters::ReplaysInSight(*view_, request, Px(kReplayWidth));
  if (compared != nullptr) AddCompared(*compared, alignment.get(), plot);
  ListBlocks(plot, timeline, rows);
  UsePlot(std::move(plot), request.axis);
  plot_asked_ = asked;
  PlotAsked overview;
  overview.view = view_;
  overview.request = {timeline.axis, frame.timeline.whole, timeline.overview_columns, state.unit};
  if (overview_asked_ == overview) return;
  overview_ = presenters::MakeTimelinePlot(*view_, {}, overview.request, &overview_cut_);
  overview_asked_ = overview;
}

void TimelineScene::AddCompared(const timeline::View& compared, const ComparedRequests* alignment,
                                presenters::TimelinePlot& plot) const {
  if (alignment != nullptr) {
    presenters::AddComparedRun(*view_, compared, alignment->same, plot);
  } else if (!presenters::AlignByAllocations(*view_, compared)) {
    presenters::AddComparedRun(*view_, compared, {}, plot);
  }
}

// Those that can be told from their neighbours, and which of them have room for a name.
void TimelineScene::ListBlocks(const presenters::TimelinePlot& plot, const TimelineState& timeline,
                               int rows) {
  constexpr int kSmallestRows = 3;   // in pixels
  constexpr int kTitleColumns = 70;  // of a block with room for its name
  const double per_column = (timeline.visible.end - timeline.visible.begin) / std::max(1, timeline.columns);
  const int64_t per_row = plot.highest_bytes / rows;
  blocks_ =
      presenters::BlocksInSight(*view_, plot, {per_row * kSmallestRows, per_row, per_column * kTitleColumns});
}

// Until ranks are stacked on a plot the one before stays, if it has ranks and lies on the same axis.
void TimelineScene::UsePlot(presenters::TimelinePlot plot, presenters::TimeAxis axis) {
  const bool waits =
      stack_ranks_ != nullptr && !plot_.group_ranks.empty() && plot_asked_.request.axis == axis;
  plot_fresh_ = plot_fresh_ || !waits;
  if (stack_ranks_ == nullptr) return void(plot_ = std::move(plot));
  if (!waits) plot_ = plot;
  ranked_asked_ = {view_, axis, stack_ranks_, stack_shown_rank_,
                   std::make_shared<presenters::TimelinePlot>(std::move(plot))};
}

void TimelineScene::PrepareHover(const ViewState& state, Frame& frame) {
  frame.timeline.hovered.reset();
  frame.timeline.highlight.clear();
  if (!state.timeline.hover || !plot_.groups.empty()) return;  // of a group the panel knows
  const presenters::PlotColumn* column = presenters::ColumnAt(plot_, state.timeline.hover->position);
  if (column == nullptr) return;
  using Stacked = std::shared_ptr<const presenters::StackedMoment>;
  stacked_.Ask(column->peak, FitsInFrame(view_->EffortOfState(column->peak)),
               [view = view_](timeline::EventIndex index, const auto&) -> Stacked {
                 return std::make_shared<presenters::StackedMoment>(*view, index);
               });
  if (stacked_.question() != column->peak) return;  // nothing is said until it is known
  const Stacked seen = *stacked_.answer();
  const timeline::LiveBlock* block = seen->BlockAt(state.timeline.hover->bytes);
  if (block == nullptr) return;
  frame.timeline.hovered = presenters::DescribeBlock(*view_, *block);
  const BlockInStack* place =
      PlaceOf(*block, hovered_place_, view_->EffortOfState(block->born),
              [seen, block](const timeline::View& view) { return LookIntoStack(view, *seen, *block); });
  if (place != nullptr) frame.timeline.highlight = HighlightOf(plot_, *place);
}

// Null until it is known. What lies below a block is asked again with more of the run, until all of it has
// ended.
const BlockInStack* TimelineScene::PlaceOf(const timeline::LiveBlock& block, PlaceLookup& places,
                                           const timeline::View::StateEffort& effort,
                                           const LookAtPlace& look) {
  const auto is_of = [&block](const PlaceAsked& asked) {
    return asked.born == block.born && asked.category == block.category;
  };
  const bool known = places.question() && is_of(*places.question());
  const bool ended =
      known && places.answer()->older.all_ended() && view_->StopsCountingAt(block.born).has_value();
  const PlaceAsked asked = ended ? *places.question() : PlaceAsked{block.born, block.category, view_->end()};
  places.Ask(asked, FitsInFrame(effort),
             [view = view_, look](const PlaceAsked&, const auto&) { return look(*view); });
  return places.question() && is_of(*places.question()) ? places.answer() : nullptr;
}

void TimelineScene::PrepareBookmarks(const SceneInput& input, const ViewState& state, Frame& frame) {
  for (const trace::Bookmark& bookmark : *input.bookmarks) {
    const timeline::EventIndex index = std::min(view_->IndexAt(bookmark.time_ns), view_->end() - 1);
    frame.bookmarks.push_back({index, bookmark.text});
    frame.timeline.bookmarks.push_back(
        {presenters::PositionOf(*view_, state.timeline.axis, index), bookmark.text, ""});
  }
}

void SwitchAxis(const timeline::View* view, TimeAxis axis, TimelineState& timeline) {
  if (view != nullptr && !view->empty()) {
    const timeline::EventIndex begin =
        presenters::IndexAtPosition(*view, timeline.axis, timeline.visible.begin);
    const timeline::EventIndex end = presenters::IndexAtPosition(*view, timeline.axis, timeline.visible.end);
    timeline.visible = {presenters::PositionOf(*view, axis, begin), presenters::PositionOf(*view, axis, end)};
  }
  timeline.axis = axis;
}

std::optional<timeline::EventIndex> PeakInSight(const timeline::View* view, const TimelineState& timeline) {
  if (view == nullptr || view->empty()) return std::nullopt;
  const timeline::EventIndex begin =
      std::max(view->first(), presenters::IndexAtPosition(*view, timeline.axis, timeline.visible.begin));
  const timeline::EventIndex end =
      std::min(view->end(), presenters::IndexAtPosition(*view, timeline.axis, timeline.visible.end));
  if (begin >= end) return std::nullopt;
  return timeline::HighestMoment(*view, begin, end);
}

}  // namespace tidemark::gui
