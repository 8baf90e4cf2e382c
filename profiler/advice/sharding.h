// What ZeRO would make of a step's memory on several cards, by the textbook's formula (data_parallel.h). The
// buffers that collectives need are left out, so the figures are lower bounds. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/textbook/textbook.h"

namespace tidemark::advice {

struct Sharding {
  int stage = 1;  // of ZeRO; 3 is what FSDP's full sharding does
  int ranks = 2;
  int64_t bytes = 0;  // of each rank
  bool fits = false;
};

// Each stage with 2, 4 and 8 ranks. `peak_bytes`: on one card, of a step of which `present` is the estimate;
// `alone` is that of the same step where nothing is shared, the same unless ranks share it already.
// `usable_bytes`: of each card.
std::vector<Sharding> Shardings(const textbook::Estimate& present, const textbook::Estimate& alone,
                                int64_t peak_bytes, int64_t usable_bytes);

}  // namespace tidemark::advice
