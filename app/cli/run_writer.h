// Writing a run in any format that presenters/run_formats.h names: for `export` and `convert`, and for the
// window. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/session/noted_run.h"

namespace tidemark::cli {

// `format`: a key. The file appears, or takes the place of the one before it, once all of it is written.
// `progress` (0..1) may return false to cancel, which is an error.
Status WriteRun(const session::NotedRun& noted, std::string_view format, const std::filesystem::path& file,
                const Progress& progress = {});
// What of this run the format has no place for, in sentences: a picture's name says what it is of.
std::vector<std::string> LeftOutBy(const session::NotedRun& noted, std::string_view format,
                                   const std::filesystem::path& file);

// Both, for the window.
Result<std::vector<std::string>> ExportRun(const session::NotedRun& noted, std::string_view format,
                                           const std::filesystem::path& file, const Progress& progress);

std::string FormatKeysInWords();     // "tide, perfetto, ... or png"
std::string FormatEndingsInWords();  // ".tide (recording), .pftrace (Perfetto trace), ..."

}  // namespace tidemark::cli
