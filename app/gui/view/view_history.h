// Back and forward through what a person looked at: zoom, selection, pinned moment, cursors, stacking, the
// place in the tree of what is alive, and what the table of allocations lists. What happens within a short
// time (turning the wheel, dragging, typing) is one change. UI thread only.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "app/gui/view/view_state.h"

namespace tidemark::gui {

// The part of the view state that is gone back to. What of a panel's state is, its panel says.
struct ViewMoment {
  ShownTimeline timeline;
  MemoryMapState memory_map;
  ShownTree live_tree;
  ListedAllocations allocations;
  presenters::Selection selection;
  std::optional<events::EventIndex> pinned;

  bool operator==(const ViewMoment&) const = default;
};
ViewMoment MomentOf(const ViewState& state);
void GoTo(const ViewMoment& moment, ViewState* state);
// But for the range in sight while that moves by itself.
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
