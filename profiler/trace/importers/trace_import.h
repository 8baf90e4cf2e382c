// A trace's records as a run. Any thread.
#pragma once

#include <string>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/importers/trace_records.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

// Sorts `records`. Of a trace with memory of cards and of the CPU, the cards' is taken. An error if there is
// none at all. O(n · log n).
Result<TideSummary> ImportTrace(TraceRecords& records, TraceOrigin origin, const std::string& file_name,
                                const AcceptEvents& accept, const Progress& progress);

}  // namespace tidemark::trace
