#include "app/gui/window/palette.h"

#include <fmt/format.h>

#include <charconv>

#include "app/gui/window/color_vision.h"
#include "profiler/events/category_colours.h"

namespace tidemark::gui {

Color TextOn(Color color) {
  const auto [red, green, blue] = LinearRgb(color);
  const double luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  constexpr double kEquallyFar = 0.179;  // sqrt(1.05 * 0.05) - 0.05: black and white have the same contrast
  return luminance > kEquallyFar ? Rgb(0x000000) : Rgb(0xFFFFFF);
}

Result<Color> ColorFromHex(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('#') ? 1 : 0);
  const char* const end = digits.data() + digits.size();
  uint32_t hex = 0;
  if (digits.size() == 6 && std::from_chars(digits.data(), end, hex, 16).ptr == end) return Rgb(hex);
  return Error{fmt::format("'{}' is no colour; write six hexadecimal digits, for example 2fb6a0.", text)};
}

std::string HexOf(Color color) {
  return fmt::format("{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

namespace {

constexpr std::array<Color, events::kCategoryCount> OnWhite() {
  std::array<Color, events::kCategoryCount> colors{};
  for (size_t category = 0; category < colors.size(); ++category)
    colors[category] = Rgb(events::kColoursOnWhite[category]);
  return colors;
}

}  // namespace

const Palette& DarkPalette() {
  static constexpr Palette kPalette = {
      .dark = true,
      .background = Rgb(0x12151A),
      .panel = Rgb(0x1A1E25),
      .raised = Rgb(0x262C36),
      .hovered = Rgb(0x323945),
      .sunken = Rgb(0x12151A),
      .border = Rgb(0x2C323C),
      .text = Rgb(0xE7EAEE),
      .muted = Rgb(0x8F99A8),
      .faint = Rgb(0x2A303A),
      .accent = Rgb(0x4CC2FF),
      .accent_fill = Rgb(0x2F6FB2),
      .text_on_accent = Rgb(0xFFFFFF),
      .good = Rgb(0x47D7A8),
      .good_fill = Rgb(0x123D33),
      .warning = Rgb(0xF2C14E),
      .warning_fill = Rgb(0x40351A),
      .bad = Rgb(0xFF7A85),
      .bad_fill = Rgb(0x4A1F28),
      .theory = Rgb(0xFFFFFF),
      .compared = Rgb(0xFF6BD6),
      .categories = {Rgb(0x5384DC), Rgb(0xBA9AEB), Rgb(0xE99A37), Rgb(0x8B8FA7), Rgb(0x23C7AA), Rgb(0xE4606C),
                     Rgb(0xE6CD50), Rgb(0xA0D9EE), Rgb(0x585C68), Rgb(0x9000B0), Rgb(0xE1F5C3)},
      .phases = {Rgb(0x2A303A), Rgb(0x35506B), Rgb(0x54457A), Rgb(0x55502F), Rgb(0x2B5A4C)},
      .stacked_phases = {Rgb(0x434C5C), Rgb(0x74B0EB), Rgb(0x7E67B7), Rgb(0xBBB067), Rgb(0x78FCD4)},
      .groups = {Rgb(0x4C6FA2), Rgb(0xAFD5A4), Rgb(0x7A562D), Rgb(0x7FBAE1), Rgb(0x9F6E19), Rgb(0xEDD5EC),
                 Rgb(0x2C9CAD), Rgb(0x9B9267), Rgb(0xA7B09D), Rgb(0x797670)},
  };
  return kPalette;
}

const Palette& LightPalette() {
  static constexpr Palette kPalette = {
      .dark = false,
      .background = Rgb(0xE9ECF0),
      .panel = Rgb(0xFFFFFF),
      .raised = Rgb(0xEEF1F5),
      .hovered = Rgb(0xE1E6EC),
      .sunken = Rgb(0xF5F7F9),
      .border = Rgb(0xC6CDD6),
      .text = Rgb(0x1A1E25),
      .muted = Rgb(0x5D6776),
      .faint = Rgb(0xE3E7EC),
      .accent = Rgb(0x0B73B8),
      .accent_fill = Rgb(0x2F6FB2),
      .text_on_accent = Rgb(0xFFFFFF),
      .good = Rgb(0x0B7A57),
      .good_fill = Rgb(0xD8F3E8),
      .warning = Rgb(0x8A5A00),
      .warning_fill = Rgb(0xFBEFCF),
      .bad = Rgb(0xC22B3A),
      .bad_fill = Rgb(0xFBE0E3),
      .theory = Rgb(0x1A1E25),
      .compared = Rgb(0xB5128A),
      .categories = OnWhite(),
      .phases = {Rgb(0xE3E7EC), Rgb(0xBBD3EC), Rgb(0xD0C3EC), Rgb(0xE9E0B4), Rgb(0xBCE3D4)},
      .stacked_phases = {Rgb(0x576F8D), Rgb(0x699ED5), Rgb(0x4714B4), Rgb(0xC1A82C), Rgb(0x9AD5BE)},
      .groups = {Rgb(0x2A4A73), Rgb(0x95A35D), Rgb(0x9E6111), Rgb(0xCFB8EC), Rgb(0x77490E), Rgb(0x6B769F),
                 Rgb(0xCD9AAC), Rgb(0x503D3C), Rgb(0x967D6D), Rgb(0x5F5F5F)},
  };
  return kPalette;
}

}  // namespace tidemark::gui
