// Writing a timeline for other tools. Each exporter streams: memory use does not grow with the run. The file
// appears, or takes the place of the one before it, when all of it is written; a failed export leaves nothing
// behind.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::trace {

enum class ExportFormat { kChrome, kCsv, kPickle, kPerfetto, kSqlite, kArrow };
// "chrome" | "csv" | "pickle" | "perfetto" | "sqlite" | "arrow"
Result<ExportFormat> ExportFormatFromText(std::string_view text);

// kChrome: Trace Event JSON for Perfetto and chrome://tracing: counters by category and level, phases, steps
// and scopes as slices, markers, bookmarks and out-of-memory as instants, losses in the metadata. Times are
// microseconds since baseTimeNanoseconds; allocations and frees are the `[memory]` instants that
// torch.profiler writes.
//
// kCsv: a header row and one row per event, `level` of what the driver and the card told; quoting as RFC 4180
// says, lines end in \n.
//
// kPickle: a PyTorch memory snapshot, protocol 4, for memory_viz: segments and blocks at the end, the
// allocator's entries before it, steps and phases as annotations. Of several devices, the entries of all but
// the first are held in memory until the end.
//
// kPerfetto: a protobuf trace with the same tracks as kChrome; half the size, and read back by
// importers/perfetto_import.h.
//
// kSqlite: a database (sqlite_schema.h) of all events but kernels, copies and memsets, and once more as
// Nsight Systems tells allocations.
//
// kArrow: one table in Arrow's file format (Feather), for pandas, Polars and DuckDB: the columns of kCsv with
// their types, the run's description as metadata `tidemark.run`. A build without it (TIDEMARK_ARROW) says so.
//
// `progress` (0..1) may return false to cancel, which is an error.
Status Export(const timeline::View& view, const events::RunDescription& description, ExportFormat format,
              const std::filesystem::path& file, const Progress& progress = {},
              const std::vector<Bookmark>& bookmarks = {});

bool HoldsBookmarks(ExportFormat format);

// What of this view the format has no place for: sentences for the person who exports.
std::vector<std::string> LeftOutBy(ExportFormat format, const timeline::View& view, size_t bookmarks = 0);
// The same of a format that has no place for bookmarks.
std::vector<std::string> BookmarksLeftOut(size_t bookmarks);

}  // namespace tidemark::trace
