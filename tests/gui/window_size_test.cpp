#include <optional>
#include <utility>

#include "app/gui/window/window.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE(
    "A window opens as large as it was, within its screen, and never too small for the scale in force") {
  const std::optional<Screen> screen = Screen{1, {2560, 1600}};
  const auto opened = [](WindowSize last, const std::optional<Screen>& on, float user_scale) {
    const WindowSize size = SizeToOpen(last, on, user_scale);
    return std::pair(size.width, size.height);
  };
  CHECK(opened({1280, 800}, screen, 1) == std::pair(1280, 800));
  CHECK(opened({1280, 800}, screen, 2) == std::pair(1920, 1200));
  CHECK(opened({2000, 800}, screen, 2) == std::pair(2000, 1200));
  CHECK(opened({}, screen, 1) == std::pair(1920, 1080));
  CHECK(opened({}, screen, 2) == std::pair(2560, 1600));
  CHECK(opened({1280, 800}, Screen{1, {1280, 800}}, 2) == std::pair(1280, 800));
  CHECK(opened({1280, 800}, Screen{2, {3840, 2160}}, 1) == std::pair(2560, 1600));
  CHECK(opened({1280, 800}, std::nullopt, 2) == std::pair(1280, 800));
}

TEST_CASE("A window of twice the size and twice the scale is drawn exactly twice as large") {
  CHECK(ScaleIn({1920, 1080}, 1) == 1);
  CHECK(ScaleIn({1920, 1080}, 1.25F) == 1.25F);
  CHECK(ScaleIn({1280, 800}, 1) < 0.9F);
  for (const WindowSize size : {WindowSize{960, 600}, {1280, 800}, {1440, 900}, {1920, 1080}}) {
    const WindowSize twice{2 * size.width, 2 * size.height};
    CHECK(ScaleIn(twice, 2) == 2 * ScaleIn(size, 1));
  }
}

}  // namespace tidemark::gui
