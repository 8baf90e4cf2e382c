#include "app/gui/panels/lesson_drawing.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/text.h"
#include "profiler/session/steady_state.h"

namespace tidemark::gui {
namespace {

// As everywhere; what was drawn by hand has no colour of the data's.
const Color& OwnColor() { return Colors().text; }
const Color& PhantomColor() { return Colors().accent; }
const Color& MeasuredColor() { return Colors().good; }

constexpr float kPadHeight = 150;
constexpr double kRoomOverTextbook = 4;  // of the pad: it must not tell how high the curve is
constexpr double kKeySteps = 40;         // presses of an arrow key from the floor to the top
constexpr double kBytesOfMb = 1e6;
constexpr double kAlike = 0.02;     // of a peak: as high
constexpr size_t kSameColumns = 1;  // apart: at the same moment

struct Pad {
  ImVec2 low;
  ImVec2 size;
  double top_mb = 1;

  float X(double column) const {
    return low.x + size.x * static_cast<float>(column / static_cast<double>(session::kStepColumns));
  }
  float Y(double mb) const {
    return low.y + size.y * static_cast<float>(1 - std::clamp(mb / top_mb, 0.0, 1.0));
  }
  size_t ColumnAt(float x) const {
    const auto most = static_cast<float>(session::kStepColumns - 1);
    return static_cast<size_t>(
        std::clamp((x - low.x) / size.x * static_cast<float>(session::kStepColumns), 0.0F, most));
  }
  double MbAt(float y) const { return std::clamp(1.0 - (y - low.y) / size.y, 0.0, 1.0) * top_mb; }
};

double TopOf(const DrawingInput& input, const DrawnCurve& drawn) {
  double top = input.textbook_bytes.value_or(kBytesOfMb) / kBytesOfMb * kRoomOverTextbook;
  for (const double mb : drawn) top = std::max(top, mb);
  if (!input.revealed) return top;
  for (const auto* curve : {&input.phantom, &input.measured}) {
    for (const int64_t bytes : *curve) top = std::max(top, static_cast<double>(bytes) / kBytesOfMb * 1.05);
  }
  return top;
}

void BeginStroke(DrawnCurve* drawn, DrawingState* state) {
  constexpr size_t kMostStrokes = 200;  // that can be undone
  state->strokes.push_back(*drawn);
  if (state->strokes.size() > kMostStrokes) state->strokes.erase(state->strokes.begin());
  drawn->resize(session::kStepColumns, 0);
}

// Columns that the mouse passed between two frames are drawn, too.
void DrawByMouse(const Pad& pad, DrawnCurve* drawn, DrawingState* state) {
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;  // the keyboard presses the pad, too
  if (ImGui::IsItemActivated()) {
    BeginStroke(drawn, state);
    state->under.reset();
  }
  if (!ImGui::IsItemActive() || drawn->empty()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const size_t to = pad.ColumnAt(mouse.x);
  const size_t from = state->under.value_or(to);
  const double begin = state->under ? (*drawn)[from] : pad.MbAt(mouse.y);
  const double end = pad.MbAt(mouse.y);
  const size_t way = std::max(from, to) - std::min(from, to);
  for (size_t i = 0; i <= way; ++i) {
    const double share = way == 0 ? 1 : static_cast<double>(i) / static_cast<double>(way);
    (*drawn)[to > from ? from + i : from - i] = begin + (end - begin) * share;
  }
  state->under = state->column = to;
}

void DrawByKeys(const Pad& pad, DrawnCurve* drawn, DrawingState* state) {
  if (!ImGui::IsItemFocused() || ImGui::GetIO().KeyAlt) return;  // Alt turns the page
  const ImGuiID owner = ImGui::GetItemID();
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    ImGui::SetKeyOwner(key, owner);
  const auto pressed = [owner](ImGuiKey key) {
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner);
  };
  if (pressed(ImGuiKey_LeftArrow) && state->column > 0) --state->column;
  if (pressed(ImGuiKey_RightArrow) && state->column + 1 < session::kStepColumns) ++state->column;
  const int up = (pressed(ImGuiKey_UpArrow) ? 1 : 0) - (pressed(ImGuiKey_DownArrow) ? 1 : 0);
  if (up == 0) return;
  BeginStroke(drawn, state);
  double& mb = (*drawn)[state->column];
  mb = std::clamp(mb + up * pad.top_mb / kKeySteps, 0.0, pad.top_mb);
}

template <typename ValueAt>
void Line(const Pad& pad, size_t count, Color color, const ValueAt& mb_at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (size_t i = 0; i + 1 < count; ++i) {
    list->AddLine({pad.X(static_cast<double>(i) + 0.5), pad.Y(mb_at(i))},
                  {pad.X(static_cast<double>(i) + 1.5), pad.Y(mb_at(i + 1))}, U32(color), Px(2));
  }
}

void DrawBytes(const Pad& pad, const std::vector<int64_t>& bytes, Color color) {
  Line(pad, bytes.size(), color, [&](size_t i) { return static_cast<double>(bytes[i]) / kBytesOfMb; });
}

void DrawCurves(const DrawingInput& input, const Pad& pad, const DrawnCurve& drawn, size_t column) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(pad.low, pad.low + pad.size, U32(Colors().panel), Px(3));
  for (size_t i = 0; i < drawn.size(); ++i) {
    list->AddRectFilled({pad.X(static_cast<double>(i)), pad.Y(drawn[i])},
                        {pad.X(static_cast<double>(i) + 1), pad.low.y + pad.size.y},
                        U32(OwnColor().WithAlpha(0.25)));
  }
  Line(pad, drawn.size(), OwnColor(), [&](size_t i) { return drawn[i]; });
  DrawText(list, pad.low + ImVec2(Px(6), Px(3)), SmallMuted(), fmt::format("{:.0f} MB", pad.top_mb));
  if (!input.revealed) {
    const float x = pad.X(static_cast<double>(column) + 0.5);
    list->AddLine({x, pad.low.y}, {x, pad.low.y + pad.size.y}, U32(Colors().faint), Px(1));
    return;
  }
  if (input.textbook_bytes) {
    const float y = pad.Y(*input.textbook_bytes / kBytesOfMb);
    list->AddLine({pad.low.x, y}, {pad.low.x + pad.size.x, y}, U32(Colors().theory), Px(2));
  }
  DrawBytes(pad, input.phantom, PhantomColor());
  DrawBytes(pad, input.measured, MeasuredColor());
}

// Under the pad, where each phase begins; without a step that tells, only in which order they come.
void DrawPhases(const std::vector<PhaseMark>& phases, const Pad& pad) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = ImGui::GetCursorScreenPos().y;
  const float end = pad.low.x + pad.size.x;
  ImGui::Dummy({pad.size.x, Px(kSmallTextSize)});
  if (phases.empty()) {
    DrawText(list, {pad.low.x, y}, SmallMuted(), "forward");
    DrawText(list, {pad.low.x + pad.size.x / 2, y}, SmallMuted(), "backward", Align::kCenter);
    return DrawText(list, {end, y}, SmallMuted(), "optimizer", Align::kRight);
  }
  float free_from = pad.low.x;
  for (const PhaseMark& phase : phases) {
    const float x = pad.low.x + pad.size.x * static_cast<float>(phase.share);
    const float width = Measure(SmallMuted(), phase.name).x;
    const float left = std::min(x, end - width);
    if (left < free_from) continue;  // short, and nothing to draw by
    list->AddLine({x, pad.low.y}, {x, pad.low.y + pad.size.y}, U32(Colors().muted.WithAlpha(0.5)), Px(1));
    DrawText(list, {left, y}, SmallMuted(), phase.name);
    free_from = left + width + Px(8);
  }
}

void DrawLegend(const DrawingInput& input) {
  for (const DrawnLegend& entry : LegendOf(input)) {
    Put(Colored(SmallMuted(), entry.color), entry.name);
    ImGui::SameLine(0, Px(12));
  }
  ImGui::NewLine();
}

}  // namespace

std::vector<DrawnLegend> LegendOf(const DrawingInput& input) {
  std::vector<DrawnLegend> entries = {{"your drawing", OwnColor()}};
  if (input.textbook_bytes) entries.push_back({"textbook", Colors().theory});
  if (!input.phantom.empty()) entries.push_back({"phantom", PhantomColor()});
  if (!input.measured.empty()) entries.push_back({WordForRun(input.on_phantom), MeasuredColor()});
  return entries;
}

void DrawDrawingPad(const DrawingInput& input, DrawnCurve* drawn, DrawingState* state) {
  const ImVec2 size(std::max(Px(80), ImGui::GetContentRegionAvail().x), Px(kPadHeight));
  const Pad pad{ImGui::GetCursorScreenPos(), size, TopOf(input, *drawn)};
  ImGui::InvisibleButton("drawing", size);
  if (!input.revealed) {
    DrawByMouse(pad, drawn, state);
    DrawByKeys(pad, drawn, state);
  }
  DrawCurves(input, pad, *drawn, state->column);
  DrawPhases(input.phases, pad);
  if (input.revealed) return DrawLegend(input);
  // Not a tooltip: it would lie over the buttons.
  PutWrapped(
      SmallMuted(),
      "Draw with the mouse, or with the arrow keys: left and right choose a column, up and down move it.");
  ImGui::BeginDisabled(state->strokes.empty());
  if (PlainButton("Undo stroke")) {
    *drawn = std::move(state->strokes.back());
    state->strokes.pop_back();
  }
  ImGui::EndDisabled();
  ImGui::SameLine(0, Px(8));
}

std::string HowFarApart(std::string_view of, const DrawnCurve& drawn, const std::vector<int64_t>& bytes) {
  if (drawn.empty() || drawn.size() != bytes.size()) return "";
  const auto highest = std::ranges::max_element(bytes);
  const double peak = static_cast<double>(*highest) / kBytesOfMb;
  if (peak <= 0) return "";
  double apart = 0;
  for (size_t i = 0; i < drawn.size(); ++i)
    apart += std::abs(drawn[i] - static_cast<double>(bytes[i]) / kBytesOfMb);
  apart /= static_cast<double>(drawn.size()) * peak;
  const auto own = std::ranges::max_element(drawn);
  const double higher = *own / peak - 1;
  const std::string height = std::abs(higher) <= kAlike ? "as high"
                                                        : fmt::format("{:.0f} % {}", std::abs(higher) * 100,
                                                                      higher > 0 ? "higher" : "lower");
  const auto drawn_at = static_cast<size_t>(own - drawn.begin());
  const auto known_at = static_cast<size_t>(highest - bytes.begin());
  const std::string moment = drawn_at > known_at + kSameColumns   ? "later"
                             : known_at > drawn_at + kSameColumns ? "earlier"
                                                                  : "at the same moment";
  return fmt::format("{}: your curve is {:.0f} % of its peak away on average; your peak is {} and comes {}.",
                     of, apart * 100, height, moment);
}

}  // namespace tidemark::gui
