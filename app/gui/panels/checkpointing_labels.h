// Axes of the chart of checkpointing's price, and what is written into it. Used by the panel's own sources
// only. UI thread, inside a frame.
#pragma once

#include <imgui_internal.h>

#include <string>
#include <vector>

#include "app/gui/panels/checkpointing.h"
#include "app/gui/widgets/text.h"

namespace tidemark::gui {

// Memory upwards from 0, what runs again to the right.
struct PriceAxes {
  ImRect plot;
  double most = 1;  // bytes

  float X(double share) const;
  float Y(int64_t bytes) const;
};

// With room for every dot, and for the card's line where it is near.
PriceAxes PriceAxesFor(const CheckpointingInput& input, const ImRect& plot);
inline bool IsCardFarAbove(const CheckpointingInput& input, const PriceAxes& axes) {
  return static_cast<double>(input.card_bytes) > axes.most;
}

// Through the ways that no other beats, from the fewest bytes on.
std::vector<ImVec2> FrontierOf(const CheckpointingInput& input, const PriceAxes& axes, bool phantom);

struct PriceLabel {
  ImRect place;
  std::string text;
  TextStyle style;
};

// The card's line, the two curves, and the ways by name as far as there is room: no text lies on another, on
// a dot or on a line, and none leaves the plot. O(labels × dots).
std::vector<PriceLabel> PriceLabelsOf(const CheckpointingInput& input, const PriceAxes& axes);

}  // namespace tidemark::gui
