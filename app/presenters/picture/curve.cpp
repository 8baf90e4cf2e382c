#include "app/presenters/picture/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "profiler/base/saturating.h"
#include "profiler/events/category_colours.h"

namespace tidemark::presenters {
namespace {

using timeline::Series;

class Curve {
 public:
  Curve(const std::vector<CurveColumn>& columns, int width, int height, int64_t top_bytes)
      : columns_(columns), width_(width), height_(height), top_(static_cast<double>(top_bytes)) {}

  std::string Shapes() const {
    std::string out;
    std::vector<int64_t> below(columns_.size(), 0);
    if (const auto level = LevelInstead(columns_)) return Area(*level, ColourOf(std::nullopt), below);
    for (int i = 0; i < events::kCategoryCount; ++i) {
      const auto category = static_cast<events::Category>(i);
      out += Area(timeline::SeriesOf(category), ColourOf(category), below);
    }
    return out + Reserved();
  }

 private:
  std::string Point(size_t column, int64_t bytes) const {
    const double x = static_cast<double>(column) * width_ / static_cast<double>(columns_.size());
    const double y = height_ - static_cast<double>(bytes) * height_ / top_;
    return fmt::format("{:.1f},{:.1f} ", x, y);
  }

  // Raises `below` by what the series holds. Each column is as wide as the next begins.
  std::string Area(Series series, std::string_view colour, std::vector<int64_t>& below) const {
    std::string upper;
    std::vector<std::string> lower;
    bool any = false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const int64_t bytes = ValueOf(columns_[i].at_peak, series);
      any = any || bytes > 0;
      lower.push_back(Point(i, below[i]));
      lower.push_back(Point(i + 1, below[i]));
      below[i] = SaturatingSum(below[i], bytes);
      upper += Point(i, below[i]) + Point(i + 1, below[i]);
    }
    if (!any) return "";
    for (size_t i = lower.size(); i > 0; --i) upper += lower[i - 1];
    upper.pop_back();
    return fmt::format("<polygon fill=\"{}\" points=\"{}\"/>\n", colour, upper);
  }

  std::string Reserved() const {
    if (!TellsReserved(columns_)) return "";
    std::string points;
    for (size_t i = 0; i < columns_.size(); ++i)
      points += Point(i, columns_[i].reserved) + Point(i + 1, columns_[i].reserved);
    points.pop_back();
    return fmt::format("<polyline class=\"reserved\" points=\"{}\"/>\n", points);
  }

  const std::vector<CurveColumn>& columns_;
  int width_;
  int height_;
  double top_;
};

}  // namespace

std::string PrintColour(events::Category category) {
  return fmt::format("#{:06X}", events::kColoursOnWhite[static_cast<size_t>(category)]);
}

std::string ColourOf(std::optional<events::Category> category) {
  return category ? PrintColour(*category) : "#7B8794";
}

bool TellsReserved(const std::vector<CurveColumn>& curve) {
  return std::ranges::any_of(curve, [](const CurveColumn& column) { return column.reserved > 0; });
}

std::optional<Series> LevelInstead(const std::vector<CurveColumn>& curve) {
  if (curve.empty() || timeline::IsOfBlocks(curve.front().level)) return std::nullopt;
  return curve.front().level;
}

std::vector<CurveColumn> CurveOf(const timeline::View& view, size_t columns,
                                 const std::optional<EventRange>& range) {
  const auto [begin, end] = range.value_or(EventRange{view.first(), view.end()});
  const size_t count = std::min<size_t>(columns, end - begin);
  std::vector<timeline::EventIndex> edges(count + 1);
  for (size_t i = 0; i <= count; ++i) edges[i] = begin + (end - begin) * i / std::max<size_t>(count, 1);
  std::vector<timeline::View::Column> found(count);
  if (count > 0) view.Columns(edges, timeline::kAllCategories, found);
  std::vector<CurveColumn> curve;
  curve.reserve(found.size());
  const Series level = view.peak_level();
  for (size_t i = 0; i < count; ++i) {
    const timeline::View::Peak peak =
        view.tells_blocks() ? found[i].peak : view.PeakIn(level, edges[i], edges[i + 1]);
    curve.push_back({peak.values, found[i].reserved_max, level});
  }
  return curve;
}

int64_t HighestOf(const std::vector<CurveColumn>& curve) {
  int64_t highest = 1;
  for (const CurveColumn& column : curve)
    highest = std::max({highest, ValueOf(column.at_peak, LevelInstead(curve).value_or(Series::kAllocated)),
                        column.reserved});
  return highest;
}

std::string CurveShapes(const std::vector<CurveColumn>& curve, int width, int height, int64_t top_bytes) {
  return Curve(curve, width, height, top_bytes).Shapes();
}

}  // namespace tidemark::presenters
