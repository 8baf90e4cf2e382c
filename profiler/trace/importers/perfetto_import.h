// Perfetto traces that Tidemark wrote (perfetto_format.h), as events: allocations and frees with what they
// hold, steps, phases, layers and operators. Memory: see trace_records.h, and the longest packet, at most 16
// MiB.
#pragma once

#include <string>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/trace/importers/byte_source.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

Result<TideSummary> ImportPerfetto(ByteSource& source, const std::string& file_name,
                                   const AcceptEvents& accept, const Progress& progress);

}  // namespace tidemark::trace
