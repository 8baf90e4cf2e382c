#include "app/gui/panels/map_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "app/gui/window/theme.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::MapSegment;

// A part of the widest scale from which more rows are not worth their height.
constexpr double kWideEnough = 0.6;
// What a segment needs on average to be told from its neighbours, and pointed at.
constexpr float kApart = 24;
// Of rows that are more than there is room for: below that blocks cannot be pointed at.
constexpr float kLeastRow = 20;

class Rows {
 public:
  Rows(const std::vector<MapSegment>& segments, float width) : segments_(segments), width_(width) {
    for (const MapSegment& segment : segments) {
      all_ = SaturatingSum(all_, std::max<int64_t>(0, segment.bytes));
      largest_ = std::max(largest_, segment.bytes);
    }
  }

  float WidthOf(const MapSegment& segment, double scale) const {
    return std::max(Px(6), static_cast<float>(static_cast<double>(segment.bytes) * scale));
  }

  int Needed(double scale) const {
    int rows = 1;
    float x = 0;
    for (const MapSegment& segment : segments_) {
      const float width = WidthOf(segment, scale);
      if (x > 0 && x + width > width_) {
        ++rows;
        x = 0;
      }
      x += width + gap();
    }
    return rows;
  }

  // If nothing were too narrow, and rows were full.
  double MostScale(int rows) const {
    const auto room = static_cast<double>(width_);
    return std::min(room * rows / static_cast<double>(all_), room / static_cast<double>(largest_));
  }

  // The largest, in pixels a byte, with which they lie in so many rows; 0 = with none.
  double ScaleFor(int rows) const {
    constexpr int kHalvings = 16;
    double low = 0;
    double high = MostScale(rows);
    if (Needed(high) <= rows) return high;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (Needed(middle) <= rows ? low : high) = middle;
    }
    return low;
  }

  static float gap() { return Px(5); }

 private:
  const std::vector<MapSegment>& segments_;
  float width_;
  int64_t all_ = 1;
  int64_t largest_ = 1;
};

// With more rows where fewer would leave no room for sizes to show: many small segments.
double ScaleOf(const Rows& rows, int wanted, int most) {
  if (rows.Needed(0) > most) return 0;
  double scale = rows.ScaleFor(wanted);
  while (wanted < most && scale < kWideEnough * rows.MostScale(wanted)) {
    wanted = std::min(most, 2 * wanted);
    scale = std::max(scale, rows.ScaleFor(wanted));
  }
  return scale;
}

}  // namespace

MapLayout LayOutMap(const std::vector<MapSegment>& segments, const ImRect& area) {
  MapLayout layout;
  const Rows rows(segments, area.GetWidth());
  const int with_room = std::max(1, static_cast<int>(area.GetHeight() / Px(44)));
  const float in_one_row = Px(kApart) * static_cast<float>(segments.size());
  const int to_tell_apart = static_cast<int>(std::ceil(in_one_row / std::max(1.0F, area.GetWidth())));
  const int most = std::max(with_room, to_tell_apart);
  const int for_many = static_cast<int>((segments.size() + 15) / 16);
  const int to_fill = static_cast<int>(area.GetHeight() / Px(130));
  const double scale = ScaleOf(rows, std::clamp(std::max({for_many, to_fill, to_tell_apart}), 1, most), most);
  const auto needed = static_cast<float>(rows.Needed(scale));
  // As many rows as are whole: a sliver of one more would tell nothing.
  const float in_sight = std::clamp(std::floor(area.GetHeight() / Px(kLeastRow)), 1.0F, needed);
  layout.row_height = std::min(area.GetHeight() / in_sight, Px(200));
  layout.labels = layout.row_height >= Px(40);
  layout.height = needed * layout.row_height;
  ImVec2 at = area.Min;
  for (const MapSegment& segment : segments) {
    const float width = rows.WidthOf(segment, scale);
    if (at.x > area.Min.x && at.x - area.Min.x + width > area.GetWidth())
      at = {area.Min.x, at.y + layout.row_height};
    const float height = layout.row_height - (layout.labels ? Px(20) : Px(4));
    layout.segments.emplace_back(at.x, at.y, at.x + width, at.y + height);
    at.x += width + Rows::gap();
  }
  return layout;
}

std::vector<MapSize> SizesBelow(const MapLayout& layout, const std::vector<float>& widths,
                                const ImRect& area) {
  std::vector<size_t> widest_first;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widest_first.push_back(i);
  }
  std::ranges::stable_sort(widest_first, std::greater(),
                           [&](size_t i) { return layout.segments[i].GetWidth(); });
  std::vector<MapSize> sizes;
  std::set<float> rows_without;  // in which a segment has no room for its size
  for (const size_t i : widest_first) {
    const ImRect& box = layout.segments[i];
    const bool is_sliver = box.GetWidth() < widths[i] / 2;
    if (widths[i] > box.GetWidth() + Px(30)) break;
    if (is_sliver && rows_without.contains(box.Min.y)) continue;
    const float left = std::clamp(box.GetCenter().x - widths[i] / 2, area.Min.x,
                                  std::max(area.Min.x, area.Max.x - widths[i]));
    const auto overlaps = [&](const MapSize& other) {
      const bool is_beside =
          left < other.left + widths[other.segment] + Px(8) && other.left < left + widths[i] + Px(8);
      return is_beside && layout.segments[other.segment].Min.y == box.Min.y;
    };
    if (std::ranges::any_of(sizes, overlaps)) {
      rows_without.insert(box.Min.y);
    } else {
      sizes.push_back({i, left});
    }
  }
  return sizes;
}

}  // namespace tidemark::gui
