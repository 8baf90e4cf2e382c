#include "app/gui/window/opaque_fill.h"

#include <GL/gl.h>

#include <algorithm>
#include <cmath>

#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

struct OpaqueFill {
  ImRect rect;
  Color color;
};

// In pixels of the framebuffer, whose first row is the lowest.
void Clear(const ImDrawList*, const ImDrawCmd* command) {
  const auto& fill = *static_cast<const OpaqueFill*>(command->UserCallbackData);
  const ImDrawData& data = *ImGui::GetDrawData();
  ImRect rect = fill.rect;
  rect.ClipWith(ImRect(command->ClipRect));
  const ImVec2 scale = data.FramebufferScale;
  const auto left = static_cast<int>(std::lround((rect.Min.x - data.DisplayPos.x) * scale.x));
  const auto right = static_cast<int>(std::lround((rect.Max.x - data.DisplayPos.x) * scale.x));
  const float height = data.DisplaySize.y;
  const auto low = static_cast<int>(std::lround((height - (rect.Max.y - data.DisplayPos.y)) * scale.y));
  const auto high = static_cast<int>(std::lround((height - (rect.Min.y - data.DisplayPos.y)) * scale.y));
  if (right <= left || high <= low) return;
  glScissor(left, low, right - left, high - low);  // set anew by Dear ImGui for each of its own commands
  const ImVec4 color = Vec4(fill.color);
  glClearColor(color.x, color.y, color.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

void FillOpaque(ImDrawList* list, const ImRect& rect, Color color) {
  OpaqueFill fill{rect, color};
  list->AddCallback(Clear, &fill, sizeof(fill));
}

void BeginOpaque(ImDrawList* list) {
  list->AddCallback([](const ImDrawList*, const ImDrawCmd*) { glDisable(GL_BLEND); }, nullptr);
}

void EndOpaque(ImDrawList* list) {
  list->AddCallback([](const ImDrawList*, const ImDrawCmd*) { glEnable(GL_BLEND); }, nullptr);
}

void FillRounded(ImDrawList* list, const ImRect& rect, Color color, float rounding) {
  if (color.alpha != 255 || rect.GetArea() < kWorthClearing)
    return list->AddRectFilled(rect.Min, rect.Max, U32(color), rounding);
  // Between the sides with their round corners, whose smoothed inner edges it covers.
  const float left = std::ceil(rect.Min.x + rounding);
  const float right = std::max(left, std::floor(rect.Max.x - rounding));
  list->AddRectFilled(rect.Min, {left + 1, rect.Max.y}, U32(color), rounding, ImDrawFlags_RoundCornersLeft);
  list->AddRectFilled({right - 1, rect.Min.y}, rect.Max, U32(color), rounding, ImDrawFlags_RoundCornersRight);
  FillOpaque(list, {left, rect.Min.y, right, rect.Max.y}, color);
}

}  // namespace tidemark::gui
