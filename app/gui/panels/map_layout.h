// Where the segments of a memory map lie: each as wide as it is large, all on one scale, in as few rows as
// keep them apart. Pure functions.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

#include "app/presenters/memory_map.h"

namespace tidemark::gui {

struct MapLayout {
  std::vector<ImRect> segments;
  float row_height = 0;
  bool labels = false;  // there is room for sizes below them
};

// Segments that would be too narrow to see are a little wider than that. Where there are more than there is
// room for all of them are, and the last rows leave the area. O(segments · log rows).
MapLayout LayOutMap(const std::vector<presenters::MapSegment>& segments, const ImRect& area);

}  // namespace tidemark::gui
