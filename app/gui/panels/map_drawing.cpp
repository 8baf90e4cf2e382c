#include "app/gui/panels/map_drawing.h"

#include "app/gui/window/theme.h"

namespace tidemark::gui {

bool KeptMapLayout::Room::operator==(const Room& other) const {
  return area.x == other.area.x && area.y == other.area.y && area.z == other.area.z &&
         area.w == other.area.w && pixel == other.pixel;
}

const MapLayout& KeptMapLayout::Of(const std::vector<presenters::MapSegment>& segments, const ImRect& area) {
  const Room room{area.ToVec4(), Px(1)};
  if (room_ == room) return layout_;
  layout_ = LayOutMap(segments, area);
  room_ = room;
  return layout_;
}

const KeptMapStrips::Strips& KeptMapStrips::Of(size_t number, const presenters::MapSegment& segment,
                                               float width, const LitBlocks& lit, const BlockGroups& groups) {
  if (number >= segments_.size()) segments_.resize(number + 1);
  Kept& kept = segments_[number];
  const bool is_as_wide = kept.width == width;
  if (!is_as_wide) kept.strips.free = FreeSpansOf(segment, width);
  if (!is_as_wide || kept.lit != lit || kept.groups != groups)
    kept.strips.blocks = StripsOf(segment, width, lit.get(), groups.get());
  kept.width = width;
  kept.lit = lit;
  kept.groups = groups;
  return kept.strips;
}

}  // namespace tidemark::gui
