#include "app/gui/panels/live_tree.h"

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("Of a path that finds no room the middle is left out, and where one is stays") {
  using Shown = std::vector<size_t>;
  const auto fit = [](const std::vector<float>& widths, float room) {
    return CrumbsThatFit(widths, 10, 5, room);
  };
  CHECK(fit({80}, 20) == Shown{0});
  CHECK(fit({80, 40, 40, 40}, 230) == Shown{0, 1, 2, 3});
  CHECK(fit({80, 40, 40, 40}, 229) == Shown{0, 2, 3});
  CHECK(fit({80, 40, 40, 40}, 194) == Shown{0, 3});
  CHECK(fit({80, 40, 40, 40}, 144) == Shown{2, 3});  // not even the first
  CHECK(fit({80, 40, 40, 40}, 100) == Shown{3});
  CHECK(fit({80, 40}, 100) == Shown{1});
  CHECK(fit({80, 400}, 100) == Shown{1});
}

}  // namespace tidemark::gui
