// How far apart colours look, also to eyes with a colour blindness. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/gui/window/palette.h"

namespace tidemark::gui {

enum class Sight : uint8_t { kNormal, kDeuteranopia, kProtanopia, kTritanopia };
inline constexpr std::array kAllSights = {Sight::kNormal, Sight::kDeuteranopia, Sight::kProtanopia,
                                          Sight::kTritanopia};
std::string_view NameOf(Sight sight);  // "deuteranopia"

// Red, green and blue as light, from 0 to 1.
std::array<double, 3> LinearRgb(Color color);

// 0: the same; 100: black and white. Below about 2 two colours are hard to tell apart side by side.
double ColorDistance(Color a, Color b, Sight sight);

// Two categories of a palette that some eyes take for one.
struct AlikeCategories {
  events::Category first = events::Category::kParameter;
  events::Category second = events::Category::kParameter;
  std::vector<Sight> to;  // only the normal where all do
  bool operator==(const AlikeCategories&) const = default;
};
std::vector<AlikeCategories> FindAlikeCategories(const Palette& palette);

}  // namespace tidemark::gui
