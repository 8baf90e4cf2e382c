// What is selected, and what the timeline's stack is of.
#include <algorithm>

#include "app/gui/scene/timeline_scene.h"
#include "app/presenters/allocations/layer_names.h"
#include "app/presenters/plot/rank_stack.h"

namespace tidemark::gui {
namespace {

using presenters::Selection;
using presenters::StackBy;

// Taken into sums in one frame: some 3 ms of its time.
constexpr uint64_t kMostEventsAFrame = 60'000;

bool NeedsSums(const Selection& selection) {
  return selection.kind == Selection::Kind::kLayer || selection.kind == Selection::Kind::kOperator ||
         selection.kind == Selection::Kind::kFrame;
}

// Where zoomed in so far that single blocks are listed, they say where an allocation lies.
std::vector<HighlightSpan> SpansOf(const std::vector<presenters::PlotBlock>& blocks,
                                   timeline::EventIndex born) {
  std::vector<HighlightSpan> spans;
  for (const presenters::PlotBlock& block : blocks) {
    if (block.index == born) spans.push_back({block.begin, block.end, block.bottom_bytes, block.top_bytes});
  }
  return spans;
}

// The place of what is selected among the groups of the stack.
std::optional<size_t> LitGroup(const presenters::TimelinePlot& plot, const presenters::SelectedOwners& owners,
                               StackBy by) {
  std::string name;
  if (by == StackBy::kLayer) name = owners.layer;
  if (by == StackBy::kOperator) name = owners.op;
  if (by == StackBy::kLine) name = owners.line;
  if (name.empty()) return std::nullopt;
  const auto found = std::ranges::find_if(plot.groups, [&](const std::string& group) {
    return group == name || (by == StackBy::kLayer && presenters::IsOneOf(group, name));
  });
  if (found == plot.groups.end()) return std::nullopt;
  return static_cast<size_t>(found - plot.groups.begin());
}

// A live run's are read once somebody asks for them.
bool CurvesAreKnown(const session::Ranks& ranks) {
  return std::ranges::any_of(ranks.ranks,
                             [](const session::RankPeaks& rank) { return !rank.curves.empty(); });
}

}  // namespace

void TimelineScene::PrepareSelection(const ViewState& state) {
  if (selection_ != state.selection) {
    selection_ = state.selection;
    owners_ = {};
    owners_.selection = selection_;
    selected_sums_.reset();
    plot_.selected.clear();
    if (NeedsSums(selection_)) selected_sums_.emplace(presenters::SumsOfSelected(selection_));
  }
  PrepareOwners(selection_);
}

// Of an allocation that lives on they are asked for again with more of the run.
void TimelineScene::PrepareOwners(const Selection& selection) {
  OwnersAsked asked{selection};
  if (selection.kind == Selection::Kind::kAllocation)
    asked.known_until = view_->FreedAt(selection.born).value_or(view_->end());
  owners_known_.Ask(asked, FitsInFrame(presenters::EffortOfOwners(selection, *view_)),
                    [view = view_](const OwnersAsked& wanted, const auto&) {
                      return presenters::OwnersOf(wanted.selection, *view);
                    });
  const bool are_known = owners_known_.question() && owners_known_.question()->selection == selection;
  if (are_known) owners_ = *owners_known_.answer();
}

// What a plot holds of ranks, its height as well, goes with it.
void TimelineScene::PrepareRankStack(const SceneInput& input, Frame& frame) {
  const bool wanted = frame.timeline.stack.by == StackBy::kRank && input.ranks != nullptr;
  const bool known = wanted && CurvesAreKnown(*input.ranks);
  const std::shared_ptr<const session::Ranks> ranks = known ? input.ranks : nullptr;
  frame.timeline.stack_pending = wanted && !known;
  if (ranks == stack_ranks_ && (ranks == nullptr || input.shown_rank == stack_shown_rank_)) return;
  stack_ranks_ = ranks;
  stack_shown_rank_ = input.shown_rank;
  if (ranks == nullptr) ranked_asked_.plot.reset();
}

// Other groups of the same order stay until there are new ones.
void TimelineScene::PrepareStacking(const presenters::StackOrder& order, Frame& frame) {
  if (order != stack_order_) {
    stack_order_ = order;
    stack_taken_.reset();
    stack_sums_.reset();
    plot_.groups.clear();
    frame.timeline.stack_error.clear();
  }
  if (order.by == StackBy::kCategory || order.by == StackBy::kRank) return;
  const StackingAsked asked{order, view_->settings().size()};
  if (stack_taken_ == asked) return;
  stacking_.Ask(asked, FitsInFrame(presenters::EffortOfStacking(*view_)),
                [view = view_](const StackingAsked& wanted, const auto&) {
                  return presenters::MakeStacking(*view, wanted.order);
                });
  if (stacking_.question() != asked) return void(frame.timeline.stack_pending = true);
  stack_taken_ = asked;
  stack_sums_.reset();
  plot_.groups.clear();
  const Result<presenters::Stacking>& stacking = *stacking_.answer();
  frame.timeline.stack_error = stacking ? "" : stacking.error().message;
  if (!stacking) return;
  stack_titles_ = stacking->titles;
  stack_sums_.emplace(stack_titles_.size(), stacking->group_of);
}

std::optional<ShownStacking> TimelineScene::stacking() const {
  const bool has_colors = stack_sums_ && stack_order_.by != StackBy::kPhase;
  if (!has_colors || !stack_taken_ || stacking_.answer() == nullptr || !*stacking_.answer())
    return std::nullopt;
  return ShownStacking{*stack_taken_, &**stacking_.answer()};
}

// A run that goes on may tell yet what its blocks hold.
void TimelineScene::FindMostTelling(const SceneInput& input) {
  if (GoesOn(input)) {
    most_telling_ = presenters::StackBy::kCategory;
    most_telling_of_.reset();
    return;
  }
  if (most_telling_of_ != view_) most_telling_ = presenters::MostTelling(*view_);
  most_telling_of_ = view_;
}

void TimelineScene::PrepareStack(const SceneInput& input, const ViewState& state, Frame& frame) {
  FindMostTelling(input);
  frame.timeline.stack = state.timeline.stack.value_or(presenters::StackOrder{most_telling_, ""});
  // No other stack can leave out what is not told.
  if (frame.timeline.untold != 0) frame.timeline.stack = {presenters::StackBy::kCategory, ""};
  frame.timeline.has_ranks = input.ranks != nullptr;
  frame.timeline.cards = input.shown_cards;
  PrepareRankStack(input, frame);
  PrepareStacking(frame.timeline.stack, frame);
  for (auto* sums : {&stack_sums_, &selected_sums_}) {
    if (!*sums) continue;
    const timeline::EventIndex before = (*sums)->end();
    if (!(*sums)->Follow(*view_, kMostEventsAFrame)) frame.timeline.stack_pending = true;
    sums_grew_ = sums_grew_ || (*sums)->end() != before;
  }
}

void TimelineScene::TakeRankedPlot(Frame& frame) {
  const bool fresh = ranked_.Ask(
      ranked_asked_, false,
      [](const RankedAsked& asked, const auto& progress) -> std::optional<presenters::TimelinePlot> {
        presenters::TimelinePlot plot = *asked.plot;
        if (!presenters::AddRankGroups(*asked.view, asked.axis, *asked.ranks, asked.shown_rank, plot,
                                       progress))
          return std::nullopt;
        return plot;
      });
  if (fresh && ranked_.question() == ranked_asked_) {
    plot_ = *ranked_.answer();
    plot_fresh_ = true;
  }
  if (RanksAreBeingStacked()) frame.timeline.stack_pending = true;
}

// Groups and the selection's share come on top of the plot: again when it was made anew, and when the sums
// have caught up with it.
void TimelineScene::FinishPlot(Frame& frame) {
  const bool lacks_groups = stack_sums_ && plot_.groups.empty();
  const bool lacks_selected = selected_sums_ && plot_.selected.empty();
  if (!selected_sums_) plot_.selected.clear();
  if (!stack_sums_ && stack_ranks_ == nullptr) plot_.groups.clear();
  if (ranked_asked_.plot != nullptr) TakeRankedPlot(frame);
  if (plot_fresh_ || (sums_grew_ && (lacks_groups || lacks_selected))) {
    if (stack_sums_) presenters::AddGroups(*view_, *stack_sums_, stack_titles_, plot_);
    if (selected_sums_) presenters::AddSelected(*view_, *selected_sums_, plot_);
  }
  plot_fresh_ = sums_grew_ = false;
  frame.timeline.lit_group = LitGroup(plot_, owners_, stack_order_.by);
  frame.timeline.selected_spans.clear();
  if (!owners_.block || !plot_.groups.empty()) return;
  const timeline::LiveBlock& block = *owners_.block;
  frame.timeline.selected_spans = SpansOf(blocks_, block.born);
  if (!blocks_.empty()) return;
  const timeline::EventIndex end = view_->StopsCountingAt(block.born).value_or(view_->end());
  const timeline::EventIndex middle = block.born + (end - block.born) / 2;
  const BlockInStack* place =
      PlaceOf(block, selected_place_, view_->EffortOfState(block.born) + view_->EffortOfState(middle),
              [block, middle](const timeline::View& view) {
                return LookIntoStack(view, presenters::StackedMoment(view, middle), block);
              });
  if (place != nullptr) frame.timeline.selected_spans = HighlightOf(plot_, *place);
}

}  // namespace tidemark::gui
