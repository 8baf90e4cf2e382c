// Where the segments of a memory map lie: each as wide as it is large, all on one scale, in as few rows as
// keep them apart. Pure functions.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

#include "app/presenters/moment/memory_map.h"

namespace tidemark::gui {

struct MapLayout {
  std::vector<ImRect> segments;
  float row_height = 0;
  float height = 0;     // of all rows
  bool labels = false;  // there is room for sizes below them
};

// Segments that would be too narrow to see are a little wider than that. Where there are more than can be
// told apart in the area, rows are low, and the last of them lie below it. O(segments · log rows).
MapLayout LayOutMap(const std::vector<presenters::MapSegment>& segments, const ImRect& area);

// Where the size of a segment stands below it.
struct MapSize {
  size_t segment = 0;
  float left = 0;
};
// `widths`: of each size's words, of segments that are in sight; 0 = of none. The widest segments come first,
// and no sliver has its size where a larger one beside it has none.
std::vector<MapSize> SizesBelow(const MapLayout& layout, const std::vector<float>& widths,
                                const ImRect& area);

}  // namespace tidemark::gui
