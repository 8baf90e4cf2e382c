// A trace's records as a run. Any thread.
#pragma once

#include <functional>
#include <string>

#include "profiler/base/result.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/importers/trace_records.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

// Sorts `records`. Of a trace with memory of cards and of the CPU, the cards' is taken. An error if there is
// none at all. O(n · log n).
Result<TideSummary> ImportTrace(TraceRecords& records, TraceOrigin origin, const std::string& file_name,
                                const AcceptEvents& accept, const std::function<bool(double)>& progress);

}  // namespace tidemark::trace
