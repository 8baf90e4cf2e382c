// What ZeRO would make of a step's memory on several cards, as formulas: Rajbhandari, Rasley, Ruwase and He,
// ZeRO: Memory Optimizations Toward Training Trillion Parameter Models (SC20), section 3. N ranks keep an
// N-th each of the optimizer's state (stage 1), of the gradients too (2), of the parameters too (3); what
// layers save stays. The buffers that collectives need are left out, so the figures are lower bounds. Pure
// functions.
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

// Each stage with 2, 4 and 8 ranks. `peak_bytes`: on one card; `usable_bytes`: of each card.
std::vector<Sharding> Shardings(const textbook::Estimate& estimate, int64_t peak_bytes, int64_t usable_bytes);

}  // namespace tidemark::advice
