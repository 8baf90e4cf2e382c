// What a trace does not say but what follows from it: which blocks were there before it, and what of the
// devices' totals no block explains. Pure; any thread. O(n).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {

struct Earlier {
  std::vector<TraceInstant> blocks;
  std::map<uint8_t, int64_t> unexplained_bytes;  // by device
};

// `instants` by time. `is_own`: written by us (TraceInstant::TotalsOf).
Earlier EarlierThan(const std::vector<TraceInstant>& instants, bool is_own);

}  // namespace tidemark::trace
