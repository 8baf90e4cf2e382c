// Which events of the stream a filter means (allocation_filter.h). What it says of allocations holds of all
// events of those: their births, their frees and what categorizes them. Of other events it means those whose
// texts hold its words, and whose size and address are as it says; none, where it says what only allocations
// have. The kind's name counts among the words: "free", "segment". Pure; see the functions for their cost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/presenters/allocations/allocation_filter.h"
#include "app/presenters/allocations/event_list.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Some events of a run, told apart by one bit each: so any of ten million can be kept in 2.5 MB. Adding and
// CountBefore are O(1), At is O(log events).
class EventSet {
 public:
  explicit EventSet(events::EventIndex first) : first_(first), end_(first) {}

  // Of the next event whether it belongs to the set.
  void Add(bool belongs);

  uint64_t size() const { return size_; }
  // `place` is below size().
  events::EventIndex At(uint64_t place) const;
  // How many of the set come before an event, wherever that is.
  uint64_t CountBefore(events::EventIndex index) const;

 private:
  struct Word {
    uint64_t before = 0;  // how many of the set are in earlier words
    uint64_t bits = 0;
  };
  events::EventIndex first_;
  events::EventIndex end_;  // of what was added
  uint64_t size_ = 0;
  std::vector<Word> words_;
};

// What is listed of a view: all its events, or those of a set, which may have been made when the view was
// shorter. Lives no longer than both. As EventSet.
class ListedEvents {
 public:
  ListedEvents(const timeline::View& view, const EventSet* fitting);

  const timeline::View& view() const { return view_; }
  uint64_t size() const;
  events::EventIndex At(uint64_t place) const;  // below size()
  // Of the event, or of the next that is listed; size() behind the last.
  uint64_t PlaceOf(events::EventIndex index) const;

 private:
  const timeline::View& view_;
  const EventSet* fitting_;
  uint64_t before_;  // of the set, before the view's first event
};

// `count` of them from place `first` on, as far as there are so many. O(count log events).
std::vector<EventRow> EventRows(const ListedEvents& listed, uint64_t first, size_t count, ByteUnit unit);

// Of all events that the view has; nothing where nobody waits for it any more. O(events), some 0.3 µs each.
std::optional<EventSet> EventsThatFit(const timeline::View& view, const AllocationFilter& filter,
                                      const Progress& progress = {});

}  // namespace tidemark::presenters
