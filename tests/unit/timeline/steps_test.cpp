#include "profiler/timeline/steps.h"

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

TEST_CASE("An event lies in the step whose begin and end are around it, both included") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  const EventIndex before = stream.latest();
  stream.BeginStep(4);
  const EventIndex begin = stream.latest();
  stream.EndStep(4);
  const EventIndex end = stream.latest();
  stream.Allocate(0x2000, 512);
  const EventIndex between = stream.latest();
  stream.BeginStep(5);
  stream.Allocate(0x3000, 512);
  const auto view = stream.Publish();

  CHECK(StepAt(*view, before) == nullptr);
  CHECK(LatestStepAt(*view, before) == nullptr);
  CHECK(FirstStepAfter(*view, before)->number == 4);
  for (const EventIndex within : {begin, end}) {
    REQUIRE(StepAt(*view, within) != nullptr);
    CHECK(StepAt(*view, within)->number == 4);
    CHECK(FirstStepAfter(*view, within)->number == 5);
  }
  CHECK(StepAt(*view, between) == nullptr);
  CHECK(LatestStepAt(*view, between)->number == 4);
  CHECK(StepAt(*view, view->end() - 1)->number == 5);
  CHECK(FirstStepAfter(*view, view->end() - 1) == view->steps().end());
}

TEST_CASE("Without steps there is none at any event") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  const auto view = stream.Publish();
  CHECK(LatestStepAt(*view, 0) == nullptr);
  CHECK(StepAt(*view, 0) == nullptr);
  CHECK(FirstStepAfter(*view, 0) == view->steps().end());
}

}  // namespace tidemark::timeline
