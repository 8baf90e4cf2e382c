#include "app/gui/window/application_icon.h"

#include <algorithm>
#include <cmath>

#include "app/gui/window/palette.h"

namespace tidemark::gui {
namespace {

// 1 inside, 0 outside, soft over one pixel. `distance` > 0 is inside.
double Coverage(double distance) { return std::clamp(distance + 0.5, 0.0, 1.0); }

double RoundedSquare(double x, double y, double size) {
  const double radius = size * 0.22;
  const double dx = std::max(std::abs(x - size / 2) - (size / 2 - radius), 0.0);
  const double dy = std::max(std::abs(y - size / 2) - (size / 2 - radius), 0.0);
  return radius - std::hypot(dx, dy);
}

Color Mix(Color under, Color over, double amount) {
  const auto channel = [amount](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(a + (b - a) * amount + 0.5);
  };
  return {channel(under.red, over.red), channel(under.green, over.green), channel(under.blue, over.blue),
          255};
}

}  // namespace

std::vector<uint8_t> ApplicationIcon(int size) {
  const Palette& palette = DarkPalette();
  const double s = size;
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<size_t>(size) * static_cast<size_t>(size) * 4);
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const double x = column + 0.5;
      const double y = row + 0.5;
      const double water = s * (0.62 + 0.09 * std::sin(x / s * 2 * 3.14159265 - 0.6));
      Color color = Mix(palette.panel, palette.Of(events::Category::kActivation), Coverage(y - water));
      color = Mix(color, palette.Of(events::Category::kParameter), Coverage(y - water - s * 0.18));
      const bool in_dash = std::fmod(x / s + 0.02, 0.22) < 0.14;
      const double line = s * 0.035 - std::abs(y - s * 0.34);
      if (in_dash) color = Mix(color, palette.theory, Coverage(line));
      const double alpha = Coverage(RoundedSquare(x, y, s));
      pixels.insert(pixels.end(), {color.red, color.green, color.blue, static_cast<uint8_t>(alpha * 255)});
    }
  }
  return pixels;
}

}  // namespace tidemark::gui
