// The colours of the window, as data: one table for dark and one for light. A category has one colour,
// everywhere. tests/gui/palette_test.cpp simulates three kinds of colour blindness and holds all categories
// apart, and all groups of a stack apart from each other and from them. No ImGui here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/events/event.h"

namespace tidemark::gui {

struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
  uint8_t alpha = 255;

  constexpr Color WithAlpha(double opacity) const {
    return {red, green, blue, static_cast<uint8_t>(opacity * 255.0 + 0.5)};
  }
  bool operator==(const Color&) const = default;
};

// What is seen where `share` of the upper one lies over the lower one, both opaque.
constexpr Color Mixed(Color lower, Color upper, double share) {
  const auto mixed = [share](uint8_t below, uint8_t above) {
    return static_cast<uint8_t>(below + (above - below) * share + 0.5);
  };
  return {mixed(lower.red, upper.red), mixed(lower.green, upper.green), mixed(lower.blue, upper.blue), 255};
}

constexpr Color Rgb(uint32_t hex) {
  return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8), static_cast<uint8_t>(hex), 255};
}

// Black or white, whichever reads better on it: with a contrast of 4.5 at least (WCAG 2.1).
Color TextOn(Color color);

struct Palette {
  bool dark = true;
  Color background;  // between the panels
  Color panel;
  Color raised;   // controls that stand on a panel
  Color hovered;  // the same under the mouse
  Color sunken;   // boxes of text and tooltips
  Color border;
  Color text;
  Color muted;
  Color faint;        // grid lines, disabled
  Color accent;       // selection, phantom
  Color accent_fill;  // behind text_on_accent
  Color text_on_accent;
  Color good;  // live, equal
  Color good_fill;
  Color warning;
  Color warning_fill;
  Color bad;  // out of memory, failed
  Color bad_fill;
  Color theory;    // the textbook's line
  Color compared;  // the second run's curve
  std::array<Color, events::kCategoryCount> categories;
  std::array<Color, events::kPhaseCount> phases;  // of the lane, which is pale for what is written on it
  std::array<Color, events::kPhaseCount> stacked_phases;  // of a stack by phase: the same hues
  std::array<Color, 10> groups;  // of a stack that is not of categories; the last is all others

  const Color& Of(events::Category category) const { return categories[static_cast<size_t>(category)]; }
  const Color& Of(events::Phase phase) const { return phases[static_cast<size_t>(phase)]; }
  // Of so many groups, of which the last is all others.
  const Color& OfGroup(size_t group, size_t count) const {
    return group + 1 >= count ? groups.back() : groups[group % (groups.size() - 1)];
  }
};

// How much of the panel's colour lies under a line of theory, which is seen on whatever the stack is made of.
inline constexpr double kUnderTheory = 0.45;

// What a person chose instead, by category; none: the palette's own.
using OwnColors = std::array<std::optional<Color>, events::kCategoryCount>;

// "2fb6a0", also with a # before it, as in the web's style sheets. Error: a sentence that names what is none.
Result<Color> ColorFromHex(std::string_view text);
std::string HexOf(Color color);

const Palette& DarkPalette();
const Palette& LightPalette();

}  // namespace tidemark::gui
