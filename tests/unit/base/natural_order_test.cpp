#include "profiler/base/natural_order.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark {

TEST_CASE("Numbers in names are ordered as numbers") {
  const std::vector<std::string> in_order = {
      "",         "1",        "02",          "2",           "10",
      "blocks.1", "blocks.2", "blocks.2.ln", "blocks.10",   "blocks.10.ln",
      "head",     "stage2",   "stage4_b1",   "stage4_b10_c"};
  std::vector<std::string> shuffled = in_order;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  std::ranges::sort(shuffled, NaturalOrder());
  CHECK(shuffled == in_order);
  for (const std::string& name : in_order) CHECK_FALSE(NaturalOrder()(name, name));
  CHECK(NaturalOrder()("layer 99999999999999999999998", "layer 99999999999999999999999"));
}

}  // namespace tidemark
