#include "app/gui/window/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/gui/window/color_vision.h"
#include "app/presenters/picture/picture.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

double Luminance(Color color) {
  const std::array<double, 3> x = LinearRgb(color);
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

TEST_CASE("Pictures have the window's colours on white") {
  for (size_t number = 0; number < events::kCategoryCount; ++number) {
    const auto category = static_cast<events::Category>(number);
    INFO(events::NameOf(category));
    const Result<Color> color = ColorFromHex(presenters::PrintColour(category));
    REQUIRE(color);
    CHECK(LightPalette().Of(category) == *color);
  }
}

TEST_CASE("All categories can be told apart, also with colour blindness") {
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    for (const Sight sight : kAllSights) {
      for (size_t a = 0; a < palette->categories.size(); ++a) {
        for (size_t b = a + 1; b < palette->categories.size(); ++b) {
          INFO((palette->dark ? "dark: " : "light: ")
               << events::NameOf(static_cast<events::Category>(a)) << " and "
               << events::NameOf(static_cast<events::Category>(b)));
          CHECK(ColorDistance(palette->categories[a], palette->categories[b], sight) >= kApart);
        }
      }
    }
  }
}

TEST_CASE("Groups of a stack can be told apart, and from all categories") {
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    for (size_t a = 0; a < palette->groups.size(); ++a) {
      INFO((palette->dark ? "dark: group " : "light: group ") << a);
      CHECK(ColorDistance(palette->groups[a], palette->panel, Sight::kNormal) >= 2 * kApart);
      for (const Color category : palette->categories)
        CHECK(ColorDistance(palette->groups[a], category, Sight::kNormal) >= kApart);
      for (size_t b = a + 1; b < palette->groups.size(); ++b) {
        for (const Sight sight : kAllSights)
          CHECK(ColorDistance(palette->groups[a], palette->groups[b], sight) >= kApart);
      }
    }
  }
}

TEST_CASE("The simulation does see what colour blindness takes away") {
  const Color red = Rgb(0xD03030);
  const Color green = Rgb(0x6E8020);
  CHECK(ColorDistance(red, green, Sight::kNormal) > 20);
  CHECK(ColorDistance(red, green, Sight::kDeuteranopia) < kApart);
}

TEST_CASE("Chosen colours that some eyes take for one are named, with whose") {
  CHECK(FindAlikeCategories(DarkPalette()).empty());
  CHECK(FindAlikeCategories(LightPalette()).empty());
  Palette chosen = DarkPalette();
  chosen.categories[0] = chosen.categories[4];
  CHECK(FindAlikeCategories(chosen) ==
        std::vector<AlikeCategories>{
            {events::Category::kParameter, events::Category::kActivation, {Sight::kNormal}}});
  // A red and a green of one brightness.
  chosen = DarkPalette();
  chosen.categories[0] = Rgb(0xC43B2E);
  chosen.categories[2] = Rgb(0x857214);
  const std::vector<AlikeCategories> alike = FindAlikeCategories(chosen);
  REQUIRE(alike.size() == 1);
  CHECK(alike[0].first == events::Category::kParameter);
  CHECK(alike[0].second == static_cast<events::Category>(2));
  CHECK(alike[0].to == std::vector{Sight::kDeuteranopia});
}

TEST_CASE("A colour is six hexadecimal digits; anything else is refused by name") {
  for (const char* text : {"2fb6a0", "#2fb6a0", "2FB6A0"}) {
    INFO(text);
    REQUIRE(ColorFromHex(text));
    CHECK(*ColorFromHex(text) == Rgb(0x2FB6A0));
  }
  CHECK(HexOf(Rgb(0x0012FF)) == "0012ff");
  for (const char* text :
       {"zzz", "", "#", "12345", "1234567", "0x1234", "-12345", "+12345", "12 456", "##12345"}) {
    INFO(text);
    REQUIRE_FALSE(ColorFromHex(text));
    CHECK(ColorFromHex(text).error().message ==
          "'" + std::string(text) + "' is no colour; write six hexadecimal digits, for example 2fb6a0.");
  }
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

TEST_CASE("The textbook's line is seen on every colour that a stack has") {
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    INFO((palette->dark ? "dark" : "light"));
    const auto is_seen_on = [palette](Color color) {
      return Contrast(palette->theory, Mixed(color, palette->panel, kUnderTheory)) >= 3;
    };
    CHECK(std::ranges::all_of(palette->categories, is_seen_on));
    CHECK(std::ranges::all_of(palette->groups, is_seen_on));
  }
}

TEST_CASE("Text has a contrast of 4.5 at least with whatever colour it lies on") {
  constexpr int kStep = 5;
  double least = 21;
  for (int red = 0; red < 256; red += kStep) {
    for (int green = 0; green < 256; green += kStep) {
      for (int blue = 0; blue < 256; blue += kStep) {
        const Color under{static_cast<uint8_t>(red), static_cast<uint8_t>(green), static_cast<uint8_t>(blue)};
        least = std::min(least, Contrast(TextOn(under), under));
      }
    }
  }
  CHECK(least >= 4.5);
}

TEST_CASE("A stack by phase has the hues of the lane below it, and its colours can be told apart") {
  const auto hue = [](Color color) {
    return std::atan2(std::sqrt(3.0) * (color.green - color.blue),
                      2.0 * color.red - color.green - color.blue);
  };
  for (const Palette* palette : {&DarkPalette(), &LightPalette()}) {
    for (int a = 0; a < events::kPhaseCount; ++a) {
      const auto phase = static_cast<events::Phase>(a);
      INFO((palette->dark ? "dark: " : "light: ") << events::NameOf(phase));
      const Color color = palette->stacked_phases[static_cast<size_t>(a)];
      CHECK(std::abs(std::remainder(hue(color) - hue(palette->Of(phase)), 2 * 3.14159)) < 0.1);
      CHECK(ColorDistance(color, palette->panel, Sight::kNormal) >= 2 * kApart);
      for (int b = a + 1; b < events::kPhaseCount; ++b) {
        for (const Sight sight : kAllSights)
          CHECK(ColorDistance(color, palette->stacked_phases[static_cast<size_t>(b)], sight) >= kApart);
      }
    }
  }
}

}  // namespace tidemark::gui
