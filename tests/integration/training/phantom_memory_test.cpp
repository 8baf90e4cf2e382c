// The trainer on a phantom GPU: the figures of the reference program, and what the events say about them.
#include <numeric>

#include "tests/integration/training/replay.h"
#include "tests/integration/training/trainer_under_test.h"
#include "tests/support/catch.h"

namespace tidemark::tests {
namespace {

using events::Category;
using networks::TrainingSettings;

const networks::DeviceChoice kPhantom{};

TEST_CASE("SimpleConvNet at batch 64 takes what the reference program takes") {
  const CollectedEvents events = EventsOf(TrainingSettings{}, kPhantom, 4);
  const std::vector<StepPeaks> steps = Replay(events.events);
  REQUIRE(steps.size() == 4);
  CHECK(steps.back().allocated_bytes == 177'729'024);
  CHECK(steps.back().requested_bytes == 177'724'584);
  CHECK(steps.back().reserved_bytes == 218'103'808);
}

}  // namespace
}  // namespace tidemark::tests
