#include "app/gui/view/view_history.h"

#include <utility>

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostMoments = 200;
constexpr auto kRest = 400ms;  // after which a change is over

bool SameRange(const presenters::VisibleRange& a, const presenters::VisibleRange& b) {
  return a.begin == b.begin && a.end == b.end;
}

}  // namespace

ViewMoment MomentOf(const ViewState& state) {
  const TimelineState& timeline = state.timeline;
  const AllocationsState& table = state.allocations;
  const LiveTreeState& tree = state.live_tree;
  return {timeline.axis,
          timeline.follow,
          timeline.whole,
          timeline.visible,
          timeline.measure,
          timeline.hidden_categories,
          timeline.stack,
          timeline.fit_lines,
          timeline.magnified,
          state.selection,
          state.pinned,
          state.memory_map.lit,
          {tree.grouping, tree.flame_graph, tree.path},
          {table.listed, table.only_selected, table.filter.data(), table.sort, table.descending}};
}

void GoTo(const ViewMoment& moment, ViewState* state) {
  TimelineState& timeline = state->timeline;
  timeline.axis = moment.axis;
  timeline.follow = moment.follow;
  timeline.whole = moment.whole;
  timeline.visible = moment.visible;
  timeline.measure = moment.measure;
  timeline.hidden_categories = moment.hidden_categories;
  timeline.stack = moment.stack;
  timeline.fit_lines = moment.fit_lines;
  timeline.magnified = moment.magnified;
  state->selection = moment.selection;
  state->pinned = moment.pinned;
  state->memory_map.lit = moment.lit;
  LiveTreeState& tree = state->live_tree;
  tree.grouping = moment.tree.grouping;
  tree.flame_graph = moment.tree.flame_graph;
  tree.path = moment.tree.path;
  AllocationsState& table = state->allocations;
  table.listed = moment.listed.listed;
  table.only_selected = moment.listed.only_selected;
  table.filter.fill(0);
  moment.listed.filter.copy(table.filter.data(), table.filter.size() - 1);
  table.sort = moment.listed.sort;
  table.descending = moment.listed.descending;
}

bool SameView(const ViewMoment& a, const ViewMoment& b) {
  const bool moves_by_itself = a.follow || a.whole;
  const bool same_measure =
      a.measure.has_value() == b.measure.has_value() && (!a.measure || SameRange(*a.measure, *b.measure));
  return a.axis == b.axis && a.follow == b.follow && a.whole == b.whole &&
         (moves_by_itself || SameRange(a.visible, b.visible)) && same_measure &&
         a.hidden_categories == b.hidden_categories && a.stack == b.stack && a.fit_lines == b.fit_lines &&
         a.magnified == b.magnified && a.selection == b.selection && a.pinned == b.pinned && a.lit == b.lit &&
         a.tree == b.tree && a.listed == b.listed;
}

void ViewHistory::Clear() { *this = {}; }

void ViewHistory::Settle(const ViewMoment& moment) {
  if (settled_ && !SameView(*settled_, moment)) {
    back_.push_back(std::move(*settled_));
    if (back_.size() > kMostMoments) back_.erase(back_.begin());
    forward_.clear();
  }
  settled_ = moment;
  moving_.reset();
  under_way_ = false;
}

void ViewHistory::Look(const ViewMoment& moment, Clock::time_point now, bool busy) {
  if (!settled_ || SameView(*settled_, moment)) {
    settled_ = moment;
    moving_.reset();
    under_way_ = false;
    return;
  }
  under_way_ = true;
  if (!moving_ || !SameView(*moving_, moment)) moved_ = now;
  moving_ = moment;
  if (!busy && now - moved_ >= kRest) Settle(moment);
}

std::optional<ViewMoment> ViewHistory::Back(const ViewMoment& now) {
  Settle(now);
  if (back_.empty()) return std::nullopt;
  forward_.push_back(std::move(*settled_));
  settled_ = std::move(back_.back());
  back_.pop_back();
  return settled_;
}

std::optional<ViewMoment> ViewHistory::Forward(const ViewMoment& now) {
  Settle(now);  // something else was looked at since: there is nothing to go forward to
  if (forward_.empty()) return std::nullopt;
  back_.push_back(std::move(*settled_));
  settled_ = std::move(forward_.back());
  forward_.pop_back();
  return settled_;
}

}  // namespace tidemark::gui
