#include "app/gui/window/frame_times.h"

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A slow frame in twenty is no longer than what is told, and nothing is before there are enough") {
  FrameTimes times;
  const auto add = [&times](size_t frames, double seconds) {
    for (size_t i = 0; i < frames; ++i) times.Add(seconds);
  };
  add(FrameTimes::kFrames - 1, 0.002);
  CHECK(times.p95_seconds() == 0);
  add(1, 0.002);
  CHECK(times.p95_seconds() == 0.002);
  add(FrameTimes::kFrames / 20 - 1, 0.5);
  add(FrameTimes::kFrames - FrameTimes::kFrames / 20 + 1, 0.001);
  CHECK(times.p95_seconds() == 0.001);
  add(FrameTimes::kFrames / 20 + 1, 0.5);
  CHECK(times.p95_seconds() == 0.001);  // they are not complete
  add(FrameTimes::kFrames - FrameTimes::kFrames / 20 - 1, 0.001);
  CHECK(times.p95_seconds() == 0.5);
}

}  // namespace tidemark::gui
