// What a panel draws of a memory map's segment: blocks, and as one strip those that are too narrow to be told
// apart, so that there are never more strips than pixels; and likewise what lies free. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/presenters/moment/memory_map.h"

namespace tidemark::gui {

// Of one block, or of several that begin in the same pixel.
struct MapStrip {
  float left = 0;  // in pixels, from where its segment begins
  float right = 0;
  // Index into MapSegment::blocks. Of several it is one of the colour that has most of their bytes, of those
  // that are lit up where any are: its largest.
  size_t shown = 0;
  size_t blocks = 0;
  int64_t bytes = 0;
  int64_t rounding_bytes = 0;
  bool lit = false;
};

// Of a segment `width` pixels wide, from left to right. By State::blocks: `lit` = what is lit up; null =
// nothing is; `groups` = which group of the timeline's stack each has its colour from; null = from its
// category. O(blocks).
std::vector<MapStrip> StripsOf(const presenters::MapSegment& segment, float width,
                               const std::vector<bool>* lit, const std::vector<uint8_t>* groups);
// What lies free there: of what is too narrow to be told apart one in a pixel, from which `bytes` are.
struct MapSpan {
  float left = 0;  // in pixels, from where its segment begins
  float right = 0;
  int64_t bytes = 0;
  bool is_largest = false;  // MapGap's
};
// O(gaps).
std::vector<MapSpan> FreeSpansOf(const presenters::MapSegment& segment, float width);

// Where a person points; null = at no block. O(log strips).
const MapStrip* StripAt(const std::vector<MapStrip>& strips, float x);

}  // namespace tidemark::gui
