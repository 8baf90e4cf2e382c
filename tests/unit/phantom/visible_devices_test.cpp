#include "profiler/phantom/device/visible_devices.h"

#include "tests/support/catch.h"

namespace tidemark::phantom::device {

TEST_CASE("A card's UUID is written as the driver writes them") {
  Card card;
  card.name = "h200";
  CHECK(UuidTextOf(card) == "GPU-68323030-0000-0000-0000-000000000000");
  card.name = "a-card-with-a-long-name";
  CHECK(UuidOf(card).back() == 0);
}

TEST_CASE("The card is seen where CUDA_VISIBLE_DEVICES is not set or names it, by number or by name") {
  const std::string uuid = "GPU-68323030-0000-0000-0000-000000000000";
  CHECK(IsVisible(nullptr, uuid));
  for (const char* seen : {"0", "0,1", "0,-1", " 0 ,2", "0gpu", "GPU-6832",
                           "GPU-68323030-0000-0000-0000-000000000000", "GPU-6832,GPU-11"}) {
    CAPTURE(seen);
    CHECK(IsVisible(seen, uuid));
  }
  for (const char* hidden :
       {"", "-1", "1", "1,0", "0,0", "no", ",0", "GPU-7", "GPU-11,GPU-6832", "GPU-6832,GPU-68323", "MIG-1"}) {
    CAPTURE(hidden);
    CHECK_FALSE(IsVisible(hidden, uuid));
  }
}

}  // namespace tidemark::phantom::device
