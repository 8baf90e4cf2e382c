// Two runs as the allocator saw them, request by request: a prediction and a measurement, or before and after
// a change. What a run did before it last began anew is another run (ComparedPart). Where both know steps
// they are aligned by step, where both know phases by phase, too, and within those request by request, with
// gaps (alignment.h): so a difference in one step does not hide that the next agrees, and runs of different
// lengths can be compared. Runs that ask for the same from begin to end are the same, wherever each of them
// says that a step or a phase begins. Pure functions, any thread. O(events log events) time; memory
// O(requests in a phase + differences) beside the two views.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// After a gap so many sizes in a row have to agree.
inline constexpr size_t kSameAfterGap = 4;

// So many requests in a row that the other run lacks, in one of the two or in both. `a` and `b` are the
// events of the first of them; of a side that lacks them, of the request that comes next there, or the end of
// its phase or stream.
struct StreamDifference {
  events::EventIndex a = 0;
  events::EventIndex b = 0;
  uint64_t only_a = 0;
  uint64_t only_b = 0;
};

struct StreamComparison {
  uint64_t agreed = 0;  // in order
  uint64_t of_a = 0;
  uint64_t of_b = 0;
  std::vector<StreamDifference> differences;  // in order
};

struct EventRange {
  events::EventIndex begin = 0;
  events::EventIndex end = 0;

  bool operator==(const EventRange&) const = default;
};

// What belongs together of the two.
struct RangePair {
  EventRange a;
  EventRange b;
};

struct StreamsCompared {
  bool by_step = false;
  bool by_phase = false;
  bool begun_anew_a = false;  // so that only what came since is compared
  bool begun_anew_b = false;
  bool requested_known_a = true;  // whether it tells what was asked for, or the sizes of blocks only
  bool requested_known_b = true;
  bool blocks_known = true;  // of both (View::tells_blocks): else that nothing differs says nothing
  uint64_t steps_in_both = 0;
  uint64_t steps_only_a = 0;
  uint64_t steps_only_b = 0;
  // What was compared, in order: one pair, but for steps that were left out. None where no step is in both.
  std::vector<RangePair> ranges;
  StreamComparison allocations;
  StreamComparison segments;  // new ones, or new pieces of expandable ones

  // Sizes as asked for were compared; else blocks' sizes.
  bool by_requested() const { return requested_known_a && requested_known_b; }
  std::vector<EventRange> RangesOf(EventRange RangePair::*side) const;
};

// An event of each run: allocations that agree in order, and the frees between two of them.
struct SameEvent {
  events::EventIndex a = 0;
  events::EventIndex b = 0;

  bool operator==(const SameEvent&) const = default;
};
// Those of two runs that were compared, from the first to the last: all of them, or of more than a million
// allocations as many, evenly, alone. O(events).
std::vector<SameEvent> SameEvents(const timeline::View& a, const timeline::View& b,
                                  const StreamsCompared& streams);

// O(range).
bool AsksForMemory(const timeline::View& view, EventRange range);

enum class ComparedSteps : uint8_t { kAll, kInBoth };
// `progress`, from 0 to 1, every few thousand events and requests: where it returns false nobody waits for
// the result, which is not whole.
StreamsCompared CompareStreams(const timeline::View& a, const timeline::View& b, ComparedSteps steps,
                               const Progress& progress = {});

}  // namespace tidemark::presenters
