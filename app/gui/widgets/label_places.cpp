#include "app/gui/widgets/label_places.h"

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

// Narrows [low, high], the part of a line that lies in a rectangle, by one of its sides; false = none is
// left.
bool Narrow(float from, float step, float least, float most, float* low, float* high) {
  if (step == 0) return from >= least && from <= most;
  float enters = (least - from) / step;
  float leaves = (most - from) / step;
  if (enters > leaves) std::swap(enters, leaves);
  *low = std::max(*low, enters);
  *high = std::min(*high, leaves);
  return *low <= *high;
}

// Liang and Barsky, "A new concept and method for line clipping" (1984).
bool Crosses(const ImRect& place, ImVec2 from, ImVec2 to) {
  float low = 0;
  float high = 1;
  return Narrow(from.x, to.x - from.x, place.Min.x, place.Max.x, &low, &high) &&
         Narrow(from.y, to.y - from.y, place.Min.y, place.Max.y, &low, &high);
}

}  // namespace

bool LabelPlaces::IsFree(const ImRect& place) const {
  return area_.Contains(place) &&
         std::ranges::none_of(taken_, [&](const ImRect& other) { return other.Overlaps(place); }) &&
         std::ranges::none_of(lines_, [&](const Line& line) { return Crosses(place, line.from, line.to); });
}

std::optional<ImRect> LabelPlaces::TakeFirst(ImVec2 size, std::span<const ImVec2> corners) {
  for (const ImVec2& corner : corners) {
    const ImRect place(corner, corner + size);
    if (!IsFree(place)) continue;
    Take(place);
    return place;
  }
  return std::nullopt;
}

std::vector<ImVec2> CornersAround(std::span<const ImVec2> points, ImVec2 size, float gap) {
  const ImVec2 above(0, -gap - size.y);
  const ImVec2 below(0, gap);
  const ImVec2 beside(0, -size.y / 2);
  const ImVec2 right(gap, 0);
  const ImVec2 left(-gap - size.x, 0);
  const ImVec2 middle(-size.x / 2, 0);
  std::vector<ImVec2> corners;
  for (const ImVec2 offset : {above + right, below + right, beside + right, above + left, below + left,
                              beside + left, above + middle, below + middle}) {
    for (const ImVec2 point : points) corners.push_back(point + offset);
  }
  return corners;
}

}  // namespace tidemark::gui
