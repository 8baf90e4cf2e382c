#include "app/presenters/plot/line_labels.h"

#include <algorithm>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::presenters {

TEST_CASE("Names of lines that lie on each other are told apart, each as near to its line as there is room") {
  const std::vector<double> lefts = {500};
  std::vector<LabelBox> taken;
  const auto is_free = [&](const LabelBox& box) {
    return box.top >= 0 && box.bottom <= 100 &&
           std::ranges::none_of(taken, [&](const LabelBox& other) { return other.Overlaps(box); });
  };
  const auto place = [&](double line, LabelRows rows) {
    const auto box = PlaceOfLabel({100, 16, line, 2, lefts}, rows, is_free);
    if (box) taken.push_back(*box);
    return box;
  };
  CHECK(place(50, kAtLine)->bottom == 48);  // above it
  CHECK(place(52, kAtLine)->top == 54);     // below it
  CHECK_FALSE(place(51, kAtLine));
  CHECK(place(49, kAwayFromLine)->bottom == 29);  // a row further up
  CHECK(place(53, kAwayFromLine)->top == 73);     // and down
  CHECK_FALSE(place(50, kAtLine));
  CHECK(taken.size() == 4);
}

}  // namespace tidemark::presenters
