#include "app/gui/background/throttle.h"

#include <thread>

#include "tests/support/catch.h"

namespace tidemark::gui {

using namespace std::chrono_literals;

TEST_CASE("What comes too soon waits until its time has come, and is due then") {
  Throttle throttle;
  CHECK(throttle.Takes(true, false, 1h));
  CHECK_FALSE(throttle.Takes(false, false, 0s));
  CHECK_FALSE(throttle.Takes(true, false, 1h));
  CHECK_FALSE(throttle.due());
  CHECK(throttle.Takes(true, true, 1h));  // what a person does
  constexpr auto kShort = 20ms;
  while (throttle.Takes(true, false, kShort)) continue;
  std::this_thread::sleep_for(kShort);
  CHECK(throttle.due());
  CHECK(throttle.Takes(true, false, kShort));
  CHECK_FALSE(throttle.due());
}

TEST_CASE("What nobody shows any more is not due") {
  Throttle throttle;
  constexpr auto kShort = 20ms;
  while (throttle.Takes(true, false, kShort)) continue;
  std::this_thread::sleep_for(kShort);
  throttle.BeginFrame();
  CHECK_FALSE(throttle.due());
}

}  // namespace tidemark::gui
