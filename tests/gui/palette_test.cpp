#include "app/gui/window/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using Rgb3 = std::array<double, 3>;
using Matrix = std::array<Rgb3, 3>;

// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (IEEE
// TVCG 15/6, 2009), severity 1.0, on linear RGB.
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritan = {
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

double Linear(uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Rgb3 Linear(Color color) { return {Linear(color.red), Linear(color.green), Linear(color.blue)}; }

Rgb3 Times(const Matrix& matrix, const Rgb3& x) {
  Rgb3 y{};
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 3; ++column) y[row] += matrix[row][column] * x[column];
    y[row] = std::clamp(y[row], 0.0, 1.0);
  }
  return y;
}

// Björn Ottosson: A perceptual color space for image processing (2020).
Rgb3 Oklab(const Rgb3& rgb) {
  const double l = std::cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
  const double m = std::cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
  const double s = std::cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// 0 = the same, 100 = black and white. Colours below about 2 are hard to tell apart side by side.
double Distance(Color a, Color b, const Matrix& sight) {
  const Rgb3 x = Oklab(Times(sight, Linear(a)));
  const Rgb3 y = Oklab(Times(sight, Linear(b)));
  return 100 * std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double Luminance(Color color) {
  const Rgb3 x = Linear(color);
  return 0.2126 * x[0] + 0.7152 * x[1] + 0.0722 * x[2];
}

// WCAG 2.1's contrast ratio.
double Contrast(Color a, Color b) {
  const double high = std::max(Luminance(a), Luminance(b));
  const double low = std::min(Luminance(a), Luminance(b));
  return (high + 0.05) / (low + 0.05);
}

constexpr double kApart = 9;

}  // namespace

TEST_CASE("All categories can be told apart, also with colour blindness") {
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    for (const Matrix& sight : {kNormal, kProtan, kDeutan, kTritan}) {
      for (size_t a = 0; a < palette->categories.size(); ++a) {
        for (size_t b = a + 1; b < palette->categories.size(); ++b) {
          INFO((palette->dark ? "dark: " : "light: ")
               << events::NameOf(static_cast<events::Category>(a)) << " and "
               << events::NameOf(static_cast<events::Category>(b)));
          CHECK(Distance(palette->categories[a], palette->categories[b], sight) >= kApart);
        }
      }
    }
  }
}

TEST_CASE("Groups of a stack can be told apart, and from all categories") {
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    for (size_t a = 0; a < palette->groups.size(); ++a) {
      INFO((palette->dark ? "dark: group " : "light: group ") << a);
      CHECK(Distance(palette->groups[a], palette->panel, kNormal) >= 2 * kApart);
      for (const Color category : palette->categories)
        CHECK(Distance(palette->groups[a], category, kNormal) >= kApart);
      for (size_t b = a + 1; b < palette->groups.size(); ++b) {
        for (const Matrix& sight : {kNormal, kProtan, kDeutan, kTritan})
          CHECK(Distance(palette->groups[a], palette->groups[b], sight) >= kApart);
      }
    }
  }
}

TEST_CASE("The simulation does see what colour blindness takes away") {
  const Color red = Rgb(0xD03030);
  const Color green = Rgb(0x6E8020);
  CHECK(Distance(red, green, kNormal) > 20);
  CHECK(Distance(red, green, kDeutan) < kApart);
}

TEST_CASE("Text is readable on what lies under it") {
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    INFO((palette->dark ? "dark" : "light"));
    for (const Color under : {palette->background, palette->panel, palette->raised, palette->sunken}) {
      CHECK(Contrast(palette->text, under) >= 7);
      CHECK(Contrast(palette->muted, under) >= 4.5);
    }
    CHECK(Contrast(palette->text_on_accent, palette->accent_fill) >= 4.5);
    CHECK(Contrast(palette->accent, palette->panel) >= 4.5);
    CHECK(Contrast(palette->good, palette->good_fill) >= 4.5);
    CHECK(Contrast(palette->bad, palette->bad_fill) >= 4.5);
    CHECK(Contrast(palette->warning, palette->panel) >= 4.5);
  }
}

}  // namespace tidemark::gui
