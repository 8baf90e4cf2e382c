#include "app/gui/panels/timeline_labels.h"

#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A line's label stands at its end, unless it holds nothing there or there is no room") {
  // A level that begins with nothing, and falls to nothing at its end.
  const std::vector<int64_t> bytes = {0, 0, 0, 0, 7, 7, 7, 7, 0};
  std::set<size_t> taken;
  const auto place = [&] {
    return ColumnForLabel(bytes.size(),
                          [&](size_t column) { return bytes[column] > 0 && !taken.contains(column); });
  };
  CHECK(place() == 4);  // neither at the right nor at the left
  taken.insert(4);
  CHECK(place() == 6);
  taken = {4, 5, 6};
  CHECK(place() == 7);
  taken.insert(7);
  CHECK_FALSE(place());
  CHECK(ColumnForLabel(9, [](size_t) { return true; }) == 8);
  CHECK_FALSE(ColumnForLabel(0, [](size_t) { return true; }));
  CHECK(ColumnForLabel(1, [](size_t) { return true; }) == 0);
  CHECK_FALSE(ColumnForLabel(1, [](size_t) { return false; }));
}

}  // namespace tidemark::gui
