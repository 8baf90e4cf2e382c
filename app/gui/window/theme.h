// What the panels draw with: the palette in force, the three faces, and the scale from design pixels to
// screen pixels. Set once a frame by the window, read by everything that draws. UI thread only.
#pragma once

#include <imgui.h>

#include "app/gui/window/palette.h"
#include "profiler/base/result.h"

namespace tidemark::gui {

struct Fonts {
  ImFont* words = nullptr;    // Roboto, icons merged
  ImFont* strong = nullptr;   // Roboto Bold, icons merged
  ImFont* numbers = nullptr;  // Inconsolata: a monospaced face
};

// Of lines in design pixels: theory's dashes and the phantom's dots.
inline constexpr float kDash = 8;
inline constexpr float kGapOfDashes = 5;
inline constexpr float kDot = 2;
inline constexpr float kGapOfDots = 4;
// Sizes in design pixels: what the text measures at a scale of 1.
inline constexpr float kTextSize = 15.0F;
inline constexpr float kSmallTextSize = 13.0F;
inline constexpr float kTitleSize = 15.5F;

// Loads the faces from AssetsFolder()/fonts into the current ImGui context. Error: a file that is missing, by
// its name.
Status LoadFonts();
// Sets palette, ImGui's style and scale. `scale` = the screen's scale times the person's choice.
void ApplyTheme(bool dark, float scale);
// Over the palette, from the next ApplyTheme on.
void UseOwnColors(const OwnColors& colors);

const Palette& Colors();
const Fonts& Faces();
float Px(float design_pixels);  // design pixels → screen pixels

inline ImU32 U32(Color color) { return IM_COL32(color.red, color.green, color.blue, color.alpha); }
inline ImVec4 Vec4(Color color) { return ImGui::ColorConvertU32ToFloat4(U32(color)); }

}  // namespace tidemark::gui
