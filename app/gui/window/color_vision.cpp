#include "app/gui/window/color_vision.h"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

using Rgb3 = std::array<double, 3>;
using Matrix = std::array<Rgb3, 3>;

// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (IEEE
// TVCG 15/6, 2009), severity 1.0, on linear RGB. By Sight.
constexpr std::array<Matrix, 4> kSights = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

// A chart's colours are compared across a window, not side by side: twice what is just seen there.
constexpr double kAlike = 4;

double Linear(uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Rgb3 Seen(Color color, Sight sight) {
  const Matrix& matrix = kSights[static_cast<size_t>(sight)];
  const Rgb3 light = LinearRgb(color);
  Rgb3 seen{};
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 3; ++column) seen[row] += matrix[row][column] * light[column];
    seen[row] = std::clamp(seen[row], 0.0, 1.0);
  }
  return seen;
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

}  // namespace

std::string_view NameOf(Sight sight) {
  static constexpr std::array<std::string_view, 4> kNames = {"normal sight", "deuteranopia", "protanopia",
                                                             "tritanopia"};
  return kNames[static_cast<size_t>(sight)];
}

std::array<double, 3> LinearRgb(Color color) {
  return {Linear(color.red), Linear(color.green), Linear(color.blue)};
}

double ColorDistance(Color a, Color b, Sight sight) {
  const Rgb3 x = Oklab(Seen(a, sight));
  const Rgb3 y = Oklab(Seen(b, sight));
  return 100 * std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

std::vector<AlikeCategories> FindAlikeCategories(const Palette& palette) {
  std::vector<AlikeCategories> found;
  for (size_t a = 0; a < palette.categories.size(); ++a) {
    for (size_t b = a + 1; b < palette.categories.size(); ++b) {
      AlikeCategories alike{static_cast<events::Category>(a), static_cast<events::Category>(b), {}};
      for (const Sight sight : kAllSights) {
        const bool to_all = alike.to == std::vector{Sight::kNormal};
        if (!to_all && ColorDistance(palette.categories[a], palette.categories[b], sight) < kAlike)
          alike.to.push_back(sight);
      }
      if (!alike.to.empty()) found.push_back(std::move(alike));
    }
  }
  return found;
}

}  // namespace tidemark::gui
