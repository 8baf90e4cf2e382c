// A request for which the card had no room: what was asked for, what there was, and why that did not do. Pure
// functions, O(failures · log steps).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::session {

struct Shortage {
  timeline::EventIndex index = 0;
  int64_t step = -1;  // in which it was; -1 = between steps
  events::Phase phase = events::Phase::kIdle;
  int64_t requested_bytes = 0;
  int64_t free_bytes = 0;  // on the card, after PyTorch gave back what it could
  int64_t allocated_bytes = 0;
  int64_t cached_bytes = 0;  // reserved and not allocated: gaps in segments that hold live blocks
};
std::vector<Shortage> ShortagesIn(const timeline::View& view);

// A sentence. `usable_bytes`: of the card, without the context; 0 = not known.
std::string WhyShort(const Shortage& shortage, int64_t usable_bytes);

}  // namespace tidemark::session
