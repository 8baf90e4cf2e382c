// Writing a timeline for other tools. Each exporter streams: memory use does not grow with the run.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::trace {

enum class ExportFormat { kChrome, kCsv };
Result<ExportFormat> ExportFormatFromText(std::string_view text);  // "chrome" | "csv"

// kChrome: Trace Event JSON for Perfetto and chrome://tracing: counters by category and level, phases, steps
// and scopes as
//          slices, markers and out-of-memory as instants, losses in the metadata.
// kCsv:    one row per event.
Status Export(const timeline::View& view, const events::RunDescription& description, ExportFormat format,
              const std::filesystem::path& file, const std::function<bool(double)>& progress = {});

}  // namespace tidemark::trace
