// Back and forward through what a person looked at: zoom, selection, pinned moment, cursors, stacking, the
// place in the tree of what is alive, and what the table of allocations lists. What happens within a short
// time (turning the wheel, dragging, typing) is one change. UI thread only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/view/view_state.h"

namespace tidemark::gui {

// Which allocations the table lists, and in which order.
struct ListedAllocations {
  Listed listed = Listed::kAlive;
  bool only_selected = false;
  std::string filter;
  presenters::AllocationColumn sort = presenters::AllocationColumn::kBytes;
  bool descending = true;

  bool operator==(const ListedAllocations&) const = default;
};

// What the tree of what is alive shows.
struct ShownTree {
  TreeGrouping grouping = TreeGrouping::kCategory;
  bool flame_graph = false;
  std::vector<std::string> path;

  bool operator==(const ShownTree&) const = default;
};

// The part of the view state that is gone back to.
struct ViewMoment {
  presenters::TimeAxis axis = presenters::TimeAxis::kEvents;
  bool follow = false;
  bool whole = false;
  presenters::VisibleRange visible;  // means nothing while it follows or shows the whole run
  std::optional<presenters::VisibleRange> measure;
  uint32_t hidden_categories = 0;
  std::optional<presenters::StackOrder> stack;
  bool fit_lines = false;
  double magnified = 1;
  presenters::Selection selection;
  std::optional<events::EventIndex> pinned;
  presenters::MapPart lit = presenters::MapPart::kNone;
  ShownTree tree;
  ListedAllocations listed;
};
ViewMoment MomentOf(const ViewState& state);
void GoTo(const ViewMoment& moment, ViewState* state);
bool SameView(const ViewMoment& a, const ViewMoment& b);

class ViewHistory {
 public:
  using Clock = std::chrono::steady_clock;

  // Once a frame; `busy`: the mouse is down.
  void Look(const ViewMoment& moment, Clock::time_point now, bool busy);
  void Clear();  // another run is shown
  bool can_go_back() const { return !back_.empty() || under_way_; }
  bool can_go_forward() const { return !forward_.empty(); }
  // Where to go from `now`; nothing where that is the end.
  std::optional<ViewMoment> Back(const ViewMoment& now);
  std::optional<ViewMoment> Forward(const ViewMoment& now);

 private:
  void Settle(const ViewMoment& moment);

  std::optional<ViewMoment> settled_;  // what is looked at, once it rests
  std::optional<ViewMoment> moving_;   // the latest of what moves
  Clock::time_point moved_;
  bool under_way_ = false;
  std::vector<ViewMoment> back_;
  std::vector<ViewMoment> forward_;
};

}  // namespace tidemark::gui
