// A run's memory over its events as shapes of SVG, as pictures and pages have it. Pure functions.
// O(columns · log events).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/comparison/stream_comparison.h"
#include "profiler/events/event.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// "#415DA0": the light window's (events/category_colours.h).
std::string PrintColour(events::Category category);
std::string ColourOf(std::optional<events::Category> category);  // grey for none

// A column of the curve: what each category held when most was allocated in it; where nobody told of blocks,
// what was told when most was of its level.
struct CurveColumn {
  timeline::SeriesValues at_peak{};
  int64_t reserved = 0;
  timeline::Series level = timeline::Series::kAllocated;  // View::peak_level()
};
// All events, or those of a range, in equal parts: `columns` at most.
std::vector<CurveColumn> CurveOf(const timeline::View& view, size_t columns,
                                 const std::optional<EventRange>& range = {});
int64_t HighestOf(const std::vector<CurveColumn>& curve);  // at least 1
// The stack of categories, or the level that is told instead, with reserved as a line (of class "reserved")
// above it, as SVG's shapes from (0, 0) to (width, height), which stands for `top_bytes`.
std::string CurveShapes(const std::vector<CurveColumn>& curve, int width, int height, int64_t top_bytes);

bool TellsReserved(const std::vector<CurveColumn>& curve);  // the CPU's allocator reserves nothing
// What the curve is of where nobody told of blocks.
std::optional<timeline::Series> LevelInstead(const std::vector<CurveColumn>& curve);

}  // namespace tidemark::presenters
