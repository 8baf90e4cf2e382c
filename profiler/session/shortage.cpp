#include "profiler/session/shortage.h"

#include "profiler/base/saturating.h"
#include "profiler/timeline/steps.h"

namespace tidemark::session {

using timeline::Series;

std::vector<Shortage> ShortagesIn(const timeline::View& view) {
  std::vector<Shortage> shortages;
  for (const timeline::OutOfMemory& failure : view.out_of_memory()) {
    const timeline::SeriesValues values = view.ValuesAt(failure.index);
    Shortage shortage;
    shortage.index = failure.index;
    if (const timeline::Step* step = timeline::StepAt(view, failure.index)) shortage.step = step->number;
    shortage.phase = view.event(failure.index).phase;
    shortage.requested_bytes = failure.requested_bytes;
    shortage.free_bytes = failure.free_bytes;
    shortage.allocated_bytes = ValueOf(values, Series::kAllocated);
    shortage.cached_bytes =
        SaturatingDifference(ValueOf(values, Series::kReserved), shortage.allocated_bytes);
    shortages.push_back(shortage);
  }
  return shortages;
}

std::string WhyShort(const Shortage& shortage, int64_t usable_bytes) {
  if (usable_bytes > 0 && shortage.requested_bytes > usable_bytes) {
    return "One request for more than the whole card has.";
  }
  if (shortage.free_bytes >= shortage.requested_bytes) {
    return "So much was free: a limit that the program set itself (set_per_process_memory_fraction), or a "
           "fault that was asked for, stood in the way.";
  }
  if (SaturatingSum(shortage.free_bytes, shortage.cached_bytes) >= shortage.requested_bytes) {
    return "Enough was free in all, but in pieces: segments that hold live blocks cannot be given back "
           "(fragmentation).";
  }
  return "What was alive left no room.";
}

}  // namespace tidemark::session
