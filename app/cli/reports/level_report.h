// The levels from tensors to the card at a run's peak, and how the sources of its events fared: for people
// and for programs. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "app/presenters/moment/level_chain.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// A line a row. What lies between levels is told of those that are of one moment only.
std::string LevelRowsText(const std::vector<presenters::LevelRow>& rows);
// "" if nothing but the allocator told of anything.
std::string LevelsText(const timeline::View& view);
// Bytes by level, those that were told of.
Json LevelsJson(const timeline::View& view);

// Kernels, memory copies and memsets: how many, and which took longest; "" if none were told.
std::string WorkText(const timeline::View& view);
Json WorkJson(const timeline::View& view);

// What each library asked the CUDA driver for, and managed memory; "" where nobody told.
std::string LibrariesText(const timeline::View& view);
// "driver_by_library", and "managed_memory": null where nobody told of any.
void AddLibrariesJson(const timeline::View& view, Json& json);

std::string SourcesText(const timeline::View& view);
Json SourcesJson(const timeline::View& view);

}  // namespace tidemark::cli
