// The records of a trace as events, in the order of time: what was alive before it began (worked out from
// what is freed in it, and from the totals that it tells), then what happened. Each allocation gets the
// operator that ran around it on its thread. Phases: what is annotated; else backward is where
// autograd's engine evaluates, and forward where operators run that backward will need.
#pragma once

#include <functional>
#include <string>

#include "profiler/base/result.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/importers/trace_records.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

// What a reader found out besides the records.
struct TraceOrigin {
  events::RunDescription description;  // all but its title and its start
  int64_t base_ns = 0;                 // CLOCK_REALTIME of the records' time 0
  std::string damage;                  // "" or the end of a sentence: "at byte 17, the file ends early"
};

// A note of the works that the trace tells and that are not shown; none where there are none.
void AddWorkNote(const TraceRecords& records, events::RunDescription& description);

// Sorts `records`. Of a trace with memory of cards and of the CPU, the cards' is taken. An error if there is
// none at all. O(n · log n).
Result<TideSummary> ImportTrace(TraceRecords& records, TraceOrigin origin, const std::string& file_name,
                                const AcceptEvents& accept, const std::function<bool(double)>& progress);

}  // namespace tidemark::trace
