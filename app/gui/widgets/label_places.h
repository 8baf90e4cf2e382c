// Where the labels of a chart of a few lines go: each is offered some places and takes the first at which it
// lies on no other label, dot or line, and within the chart; else it is left out. UI thread. Asking takes
// O(n) of what is taken.
#pragma once

#include <imgui_internal.h>

#include <optional>
#include <span>
#include <vector>

namespace tidemark::gui {

class LabelPlaces {
 public:
  // `area`: what no label leaves.
  explicit LabelPlaces(const ImRect& area) : area_(area) {}

  void Take(const ImRect& place) { taken_.push_back(place); }
  void TakeLine(ImVec2 from, ImVec2 to) { lines_.push_back({from, to}); }

  bool IsFree(const ImRect& place) const;
  // The first of `corners`, top left, at which `size` is free, which it is no more then; none where none is.
  std::optional<ImRect> TakeFirst(ImVec2 size, std::span<const ImVec2> corners);

 private:
  struct Line {
    ImVec2 from;
    ImVec2 to;
  };
  ImRect area_;
  std::vector<ImRect> taken_;
  std::vector<Line> lines_;
};

// Top left corners for a label of `size`, `gap` from one of the points: above to the right of the first of
// them, of the next, ..., then below to the right of each, beside it, the same to the left, above and below.
std::vector<ImVec2> CornersAround(std::span<const ImVec2> points, ImVec2 size, float gap);

}  // namespace tidemark::gui
