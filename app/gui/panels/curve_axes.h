// The axes of a peak over a number that a person chooses, both in equal ratios: a card's line and a small
// program's curve are in one picture. UI thread, inside a frame.
#pragma once

#include <imgui_internal.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/window/theme.h"
#include "app/presenters/moment/peak_moment.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct CurveDot {
  double value = 0;
  int64_t bytes = 0;
  bool out_of_memory = false;
};

struct CurveAxes {
  ImRect plot;
  double first = 1;  // of the values, > 0
  double last = 1;
  double least = 1e6;  // bytes
  double most = 1e9;
  std::optional<double> marked = {};  // a line stands there

  float X(double value) const;
  float Y(double bytes) const;
  double ValueAt(float x) const;
};

// What has a line across: powers (10, or 8 where bytes are told in 2^10s), and where those are fewer than
// three, what lies between them.
std::vector<double> BytesOnAxis(const CurveAxes& axes, ByteUnit unit);
// What is left for the plot between its labels, of `room` at `at`.
ImRect PlotIn(ImVec2 at, ImVec2 room);
// With room for all dots, and for the card's line where it is known.
CurveAxes AxesFor(const ImRect& plot, double first, double last,
                  std::span<const std::vector<CurveDot>* const> curves, int64_t card_bytes);
// Lines at powers of ten, of eight in MiB, and at `values`, each named where there is room.
void DrawAxes(ImDrawList* list, const CurveAxes& axes, std::span<const int64_t> values, ByteUnit unit);

// As in the timeline: theory is dashed, the phantom dotted.
enum class LineStyle : uint8_t { kSolid, kDashed, kDotted };
struct Curve {
  const std::vector<CurveDot>* dots = nullptr;
  Color color;
  const char* name = "";
  LineStyle style = LineStyle::kSolid;
  bool with_dots = true;  // each is marked, not only joined to the next
};
// What is drawn of a straight piece, in that style; `drawn`: how long the curve is up to here, and then with
// it.
std::vector<std::pair<ImVec2, ImVec2>> DashesOf(LineStyle style, ImVec2 from, ImVec2 to, float* drawn);
struct CurveLabel {
  ImRect place;
  std::string text;
  Color color;
};
// The curves' names and that of the card's line (0 = not known), where they lie on no curve and not on each
// other; what finds no room is left out. O(labels × dots).
std::vector<CurveLabel> CurveLabelsOf(const CurveAxes& axes, std::span<const Curve> curves,
                                      int64_t card_bytes, ByteUnit unit);
// The ring of what the run came to, and what is said of it below the curve: "ring: measured".
void DrawMeasured(ImDrawList* list, ImVec2 at, const presenters::MeasuredPeak& measured);
std::string WordsOfRing(const std::optional<presenters::MeasuredPeak>& measured, bool on_phantom);
// The card's line, the curves, and their labels.
void DrawCurves(ImDrawList* list, const CurveAxes& axes, std::span<const Curve> curves, int64_t card_bytes,
                ByteUnit unit);

}  // namespace tidemark::gui
