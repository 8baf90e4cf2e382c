// Where the names of lines over a curve go, in the window's timeline and in pictures alike: at their line,
// and where others have that place row by row away from it. So no two names lie on each other, however near
// to each other their lines are. Pure functions; O(places tried).
#pragma once

#include <functional>
#include <optional>
#include <span>

namespace tidemark::presenters {

struct LabelBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  bool Overlaps(const LabelBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct LineLabel {
  double width = 0;
  double height = 0;
  double line = 0;                // its height on the screen, from the top
  double gap = 0;                 // between the two
  std::span<const double> lefts;  // where it may begin, the best first
};

// Rows above a line, and below it.
struct LabelRows {
  int first = 0;  // 0: at the line
  int end = 1;
};
inline constexpr LabelRows kAtLine{0, 1};
inline constexpr LabelRows kNearLine{1, 3};
inline constexpr LabelRows kFarFromLine{3, 6};
inline constexpr LabelRows kAwayFromLine{1, 6};

// The first place that is free: above the line, below it, then a row further.
std::optional<LabelBox> PlaceOfLabel(const LineLabel& label, LabelRows rows,
                                     const std::function<bool(const LabelBox&)>& is_free);

}  // namespace tidemark::presenters
