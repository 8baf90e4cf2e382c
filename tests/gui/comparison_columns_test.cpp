#include "app/gui/panels/comparison.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE(
    "A narrow Compare panel lets go of the first run's figures, then of the second's, never of the "
    "difference") {
  const ComparedWidths widths{.names = 110, .a = 70, .b = 75, .difference = 80};
  const float padding = 8;
  const auto room_for = [&](float room) { return ComparedColumnsFor(widths, padding, room); };
  const float all = 110 + 70 + 75 + 80 + 5 * padding;
  CHECK(room_for(all) == ComparedColumns{true, true});
  CHECK(room_for(all - 1) == ComparedColumns{false, true});
  CHECK(room_for(all - 70 - padding) == ComparedColumns{false, true});
  CHECK(room_for(all - 70 - padding - 1) == ComparedColumns{false, false});
  CHECK(room_for(0) == ComparedColumns{false, false});
}

}  // namespace tidemark::gui
