// The records of a trace as events, in the order of time: what was alive before it began (worked out from
// what is freed in it, and from the totals that it tells), then what happened. Each allocation gets the
// operator that ran around it on its thread, unless the trace is ours and tells it. Phases: what is
// annotated; else guessed_phase.h.
#pragma once

#include <cstdint>
#include <optional>

#include "profiler/base/progress.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {

struct WrittenHistory {
  uint64_t events = 0;
  int64_t start_ns = 0;        // CLOCK_REALTIME
  uint64_t disagreements = 0;  // of the trace's totals with its records
  bool guessed_free = false;   // what was free on the card when memory ran out
};

// CLOCK_REALTIME of a time of the records; extremes of hostile files stay apart from overflow.
int64_t TimeOf(int64_t time_ns, int64_t base_ns);

// Sorts `records`, which hold an instant at least. None: `progress` said to stop. O(n · log n).
std::optional<WrittenHistory> WriteHistory(TraceRecords& records, const TraceOrigin& origin,
                                           const AcceptEvents& accept, const Progress& progress);

}  // namespace tidemark::trace
