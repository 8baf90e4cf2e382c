// Predicting by drawing: a pad on which a person draws how memory rises and falls in a step, by the mouse or
// by the arrow keys, and what textbook, phantom and run say of it laid over the drawing. UI thread, inside a
// frame; HowFarApart is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/window/palette.h"

namespace tidemark::gui {

using DrawnCurve =
    std::vector<double>;  // MB, a column each, session::kStepColumns of them; empty = nothing yet

// Where a phase of the step begins.
struct PhaseMark {
  double share = 0;  // of the step's events
  std::string name;
};

struct DrawingInput {
  std::optional<double> textbook_bytes;  // the pad's scale, and its line once it is revealed
  std::vector<int64_t> phantom;          // bytes; empty = not known
  std::vector<int64_t> measured;
  bool revealed = false;
  std::vector<PhaseMark> phases = {};  // in order; empty = not known yet
  bool on_phantom = false;             // the run is
};

struct DrawingState {
  size_t column = 0;                // that the arrow keys move
  std::vector<DrawnCurve> strokes;  // the drawing before each of them, to go back to
  std::optional<size_t> under;      // the column that the mouse drew last in this stroke
};

// What the curves are called and coloured, of those that are known.
struct DrawnLegend {
  std::string name;
  Color color;
};
std::vector<DrawnLegend> LegendOf(const DrawingInput& input);

void DrawDrawingPad(const DrawingInput& input, DrawnCurve* drawn, DrawingState* state);

// "phantom: your curve is 21 % of its peak away on average; your peak is 12 % lower and comes earlier." ""
// where there is nothing to compare.
std::string HowFarApart(std::string_view of, const DrawnCurve& drawn, const std::vector<int64_t>& bytes);

}  // namespace tidemark::gui
