// What each card of a process held at the most, where it used several: the series of a view add them up.
// Pure; O(events).
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::session {

struct CardPeaks {
  uint8_t device = 0;  // as the process counts: cuda:0 is 0
  int64_t allocated_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t reserved_bytes = 0;
};

bool IsOfSeveralCards(const timeline::View& view);

// By their numbers. Empty of a run on one card, and of one whose oldest events were let go: of segments that
// were there before nobody knows where.
std::vector<CardPeaks> PeaksOfCards(const timeline::View& view);

}  // namespace tidemark::session
