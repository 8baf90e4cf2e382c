#include "app/gui/window/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "profiler/base/paths.h"

namespace tidemark::gui {
namespace {

struct ActiveTheme {
  Palette palette = DarkPalette();
  OwnColors own;
  Fonts fonts;
  float scale = 1.0F;
};
ActiveTheme& Active() {
  static ActiveTheme theme;
  return theme;
}

ImFont* AddFace(const std::filesystem::path& folder, const char* file, float size, bool with_symbols) {
  constexpr ImWchar kHyphen[] = {'-', '-', 0};
  ImGuiIO& io = ImGui::GetIO();
  ImFontConfig own;
  if (with_symbols) own.GlyphExcludeRanges = kHyphen;
  ImFont* face = io.Fonts->AddFontFromFileTTF((folder / file).c_str(), size, &own);
  if (face == nullptr || !with_symbols) return face;
  ImFontConfig merged;
  merged.MergeMode = true;
  // In Roboto's own width the two hyphens of an option touch, and are one dash.
  ImFontConfig hyphen = merged;
  hyphen.GlyphMinAdvanceX = size * 0.37F;
  io.Fonts->AddFontFromFileTTF((folder / file).c_str(), size, &hyphen);
  // Roboto has no arrows; Inconsolata has.
  io.Fonts->AddFontFromFileTTF((folder / "Inconsolata-Medium.ttf").c_str(), size, &merged);
  merged.GlyphOffset = ImVec2(0, 1);
  io.Fonts->AddFontFromFileTTF((folder / "Font_Awesome_6_Free-Solid-900.otf").c_str(), size * 0.86F, &merged);
  return face;
}

void SetColors(ImGuiStyle& style, const Palette& palette) {
  if (palette.dark) {
    ImGui::StyleColorsDark(&style);
  } else {
    ImGui::StyleColorsLight(&style);
  }
  const auto set = [&style](ImGuiCol slot, Color color) { style.Colors[slot] = Vec4(color); };
  const Color clear = palette.panel.WithAlpha(0);
  set(ImGuiCol_Text, palette.text);
  set(ImGuiCol_TextDisabled, palette.muted);
  set(ImGuiCol_WindowBg, palette.panel);
  set(ImGuiCol_ChildBg, clear);
  set(ImGuiCol_PopupBg, palette.dark ? palette.sunken : palette.panel);
  set(ImGuiCol_Border, palette.border);
  set(ImGuiCol_FrameBg, palette.raised);
  set(ImGuiCol_FrameBgHovered, palette.hovered);
  set(ImGuiCol_FrameBgActive, palette.hovered);
  set(ImGuiCol_TitleBg, palette.panel);
  set(ImGuiCol_TitleBgActive, palette.panel);
  set(ImGuiCol_TitleBgCollapsed, palette.panel);
  set(ImGuiCol_ScrollbarBg, clear);
  set(ImGuiCol_ScrollbarGrab, palette.hovered);
  set(ImGuiCol_ScrollbarGrabHovered, palette.muted.WithAlpha(0.6));
  set(ImGuiCol_ScrollbarGrabActive, palette.muted);
  set(ImGuiCol_CheckMark, palette.accent);
  set(ImGuiCol_SliderGrab, palette.text);
  set(ImGuiCol_SliderGrabActive, palette.text);
  set(ImGuiCol_Button, palette.raised);
  set(ImGuiCol_ButtonHovered, palette.hovered);
  set(ImGuiCol_ButtonActive, palette.hovered);
  set(ImGuiCol_Header, palette.accent_fill.WithAlpha(0.35));
  set(ImGuiCol_HeaderHovered, palette.hovered);
  set(ImGuiCol_HeaderActive, palette.hovered);
  set(ImGuiCol_Separator, palette.border);
  set(ImGuiCol_SeparatorHovered, palette.accent.WithAlpha(0.6));
  set(ImGuiCol_SeparatorActive, palette.accent);
  set(ImGuiCol_ResizeGrip, clear);
  set(ImGuiCol_Tab, palette.background);
  set(ImGuiCol_TabHovered, palette.hovered);
  set(ImGuiCol_TabSelected, palette.panel);
  set(ImGuiCol_TabSelectedOverline, palette.accent);
  set(ImGuiCol_TabDimmed, palette.background);
  set(ImGuiCol_TabDimmedSelected, palette.panel);
  set(ImGuiCol_TabDimmedSelectedOverline, palette.accent.WithAlpha(0.6));
  set(ImGuiCol_DockingPreview, palette.accent.WithAlpha(0.4));
  set(ImGuiCol_DockingEmptyBg, palette.background);
  set(ImGuiCol_TableHeaderBg, clear);
  set(ImGuiCol_TableBorderStrong, palette.border);
  set(ImGuiCol_TableBorderLight, palette.border.WithAlpha(0.6));
  set(ImGuiCol_TableRowBgAlt, palette.raised.WithAlpha(0.35));
  set(ImGuiCol_TextSelectedBg, palette.accent_fill.WithAlpha(0.6));
  set(ImGuiCol_NavCursor, palette.accent);
  set(ImGuiCol_ModalWindowDimBg, Color{0, 0, 0, 120});
}

void SetSizes(ImGuiStyle& style) {
  style.WindowPadding = ImVec2(16, 14);
  style.FramePadding = ImVec2(10, 6);
  style.ItemSpacing = ImVec2(10, 8);
  style.ItemInnerSpacing = ImVec2(8, 6);
  style.CellPadding = ImVec2(6, 4);
  style.WindowRounding = 8;
  style.ChildRounding = 8;
  style.FrameRounding = 6;
  style.PopupRounding = 8;
  style.GrabRounding = 8;
  style.TabRounding = 6;
  style.ScrollbarRounding = 6;
  style.ScrollbarSize = 10;
  style.WindowBorderSize = 1;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBarBorderSize = 0;
  style.DockingSeparatorSize = 10;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.HoverDelayShort = 0.25F;
  style.DisabledAlpha = 0.45F;
}

// In the list of Ctrl+Tab, by which the keyboard gets there.
void NameMenus() {
  static constexpr ImGuiLocEntry kNames[] = {{ImGuiLocKey_WindowingMainMenuBar, "Menus: File, Run, View, …"}};
  ImGui::LocalizeRegisterEntries(kNames, IM_ARRAYSIZE(kNames));
}

}  // namespace

Status LoadFonts() {
  const std::filesystem::path folder = AssetsFolder() / "fonts";
  Fonts fonts;
  fonts.words = AddFace(folder, "Roboto-Regular.ttf", kTextSize, true);
  fonts.strong = AddFace(folder, "Roboto-Bold.ttf", kTextSize, true);
  fonts.numbers = AddFace(folder, "Inconsolata-Medium.ttf", kTextSize, false);
  if (fonts.words == nullptr || fonts.strong == nullptr || fonts.numbers == nullptr) {
    return Error{"The window's fonts are not in " + folder.string() +
                 ". Build again: ./run copies them there."};
  }
  Active().fonts = fonts;
  return Done{};
}

void ApplyTheme(bool dark, float scale) {
  NameMenus();
  ActiveTheme& active = Active();
  active.palette = dark ? DarkPalette() : LightPalette();
  for (size_t i = 0; i < active.own.size(); ++i) {
    if (active.own[i]) active.palette.categories[i] = *active.own[i];
  }
  active.scale = scale;
  ImGuiStyle style;
  SetColors(style, active.palette);
  SetSizes(style);
  style.ScaleAllSizes(scale);
  style.WindowBorderSize = style.PopupBorderSize = std::max(1.0F, std::round(scale));  // else none below 1
  style.FontSizeBase = kTextSize;
  style.FontScaleMain = scale;
  ImGui::GetStyle() = style;
}

void UseOwnColors(const OwnColors& colors) { Active().own = colors; }

const Palette& Colors() { return Active().palette; }
const Fonts& Faces() { return Active().fonts; }
float Px(float design_pixels) { return design_pixels * Active().scale; }

}  // namespace tidemark::gui
