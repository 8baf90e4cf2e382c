// A JSON file as events, whatever it is: a PyTorch memory snapshot, a trace of torch.profiler's or our own
// (Trace Event JSON), or a memory timeline of torch.profiler's. What it is, its first words tell.
#pragma once

#include <string>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/trace/importers/byte_source.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

// Memory: of a snapshot as objects.h says; of a trace as trace_records.h says, however large the file.
Result<TideSummary> ImportJson(ByteSource& source, const std::string& file_name, const AcceptEvents& accept,
                               const Progress& progress);

}  // namespace tidemark::trace
