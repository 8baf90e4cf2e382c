// The table of allocations, and which events are listed. UI thread only.
#pragma once

#include <memory>

#include "app/gui/background/lookup.h"
#include "app/gui/background/throttle.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"

namespace tidemark::gui {

// What the table of allocations was made from.
struct AllocationsAsked {
  std::shared_ptr<const timeline::View> view;
  presenters::AllocationQuery query;

  bool operator==(const AllocationsAsked&) const = default;
};

// What the events that fit a filter were looked for in.
struct EventsAsked {
  std::shared_ptr<const timeline::View> view;
  presenters::AllocationFilter filter;

  bool operator==(const EventsAsked&) const = default;
};

class AllocationsScene {
 public:
  void BeginFrame(const ViewState& state, const presenters::SelectedOwners& selected, Frame& frame);
  // At the moment that the map shows, and of the stretch that it says is in sight.
  void Prepare(const std::shared_ptr<const timeline::View>& view, timeline::EventIndex moment,
               ViewState& state, Frame& frame);
  bool pending() const {
    return allocations_.pending() || throttle_.due() || events_.pending() || events_throttle_.due();
  }

 private:
  void PrepareEvents(EventsAsked asked, Frame& frame);

  Lookup<AllocationsAsked, presenters::AllocationTable> allocations_;
  AllocationsAsked allocations_asked_;
  Throttle throttle_;
  Lookup<EventsAsked, presenters::EventSet> events_{Overtaken::kIsGivenUp};
  EventsAsked events_asked_;
  Throttle events_throttle_;
};

}  // namespace tidemark::gui
