// SQLite exports of Nsight Systems (CUDA_GPU_MEMORY_USAGE_EVENTS, of `nsys profile --cuda-memory-usage=true`
// and `nsys export --type sqlite`), and our own (profiler/trace/sqlite_schema.h), as events. Nothing in the
// file is executed or changed. Memory: SQLite's cache of 2 MiB; of Nsight's trace_records.h besides.
#pragma once

#include <filesystem>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

Result<TideSummary> ImportSqlite(const std::filesystem::path& file, const AcceptEvents& accept,
                                 const Progress& progress);

}  // namespace tidemark::trace
