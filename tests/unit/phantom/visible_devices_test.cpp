#include "profiler/phantom/device/visible_devices.h"

#include <vector>

#include "tests/support/catch.h"

namespace tidemark::phantom::device {

namespace {

Card CardNamed(const char* name) {
  Card card;
  card.name = name;
  return card;
}

TEST_CASE("A card's UUID is written as the driver writes them") {
  CHECK(UuidTextOf(CardNamed("h200"), 0) == "GPU-68323030-0000-0000-0000-000000000000");
  CHECK(UuidTextOf(CardNamed("h200"), 3) == "GPU-68323030-0000-0000-0000-000000000003");
  CHECK(UuidOf(CardNamed("a-card-with-a-long-name"), 0).back() == 0);
}

TEST_CASE("The card is seen where CUDA_VISIBLE_DEVICES is not set or names it, by number or by name") {
  const Card card = CardNamed("h200");
  CHECK(VisibleDevices(nullptr, card, 1).size() == 1);
  for (const char* seen : {"0", "0,1", "0,-1", " 0 ,2", "0gpu", "GPU-6832",
                           "GPU-68323030-0000-0000-0000-000000000000", "GPU-6832,GPU-11"}) {
    CAPTURE(seen);
    CHECK(VisibleDevices(seen, card, 1).size() == 1);
  }
  for (const char* hidden :
       {"", "-1", "1", "1,0", "0,0", "no", ",0", "GPU-7", "GPU-11,GPU-6832", "GPU-6832,GPU-68323", "MIG-1"}) {
    CAPTURE(hidden);
    CHECK(VisibleDevices(hidden, card, 1).empty());
  }
}

TEST_CASE("Of several cards those are seen that are named, in that order") {
  const Card card = CardNamed("h200");
  CHECK(VisibleDevices(nullptr, card, 4) == std::vector{0, 1, 2, 3});
  CHECK(VisibleDevices("3,1", card, 4) == std::vector{3, 1});
  CHECK(VisibleDevices("2,4,1", card, 4) == std::vector{2});
  CHECK(VisibleDevices("GPU-68323030-0000-0000-0000-000000000002,GPU-6832", card, 4) == std::vector{2, 0});
}

}  // namespace
}  // namespace tidemark::phantom::device
