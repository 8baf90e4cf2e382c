// Two runs, all in all: `tidemark compare` and the Compare panel. Pure, any thread. O(events log events); see
// stream_comparison.h and state_comparison.h.
#pragma once

#include <vector>

#include "app/presenters/comparison/state_comparison.h"
#include "app/presenters/comparison/stream_comparison.h"

namespace tidemark::presenters {

struct RunComparison {
  StreamsCompared streams;
  std::vector<ComparedBytes> levels;
  events::EventIndex peak_a = 0;  // of kAllocated, as compared_peaks.h has them
  events::EventIndex peak_b = 0;
  StateComparison at_peak;

  // Every allocation and every new segment agrees in size and order, and so do the peaks of requested,
  // allocated and reserved; and there was something to compare. What the driver and the card report depends
  // on when they are asked, and on other processes: it does not count.
  bool same() const;
};
RunComparison CompareRuns(const timeline::View& a, const timeline::View& b, ComparedSteps steps);

}  // namespace tidemark::presenters
