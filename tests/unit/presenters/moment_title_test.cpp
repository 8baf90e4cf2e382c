#include "app/presenters/moment/moment_title.h"

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {

TEST_CASE("A moment is called by the step that it lies in, or lies after") {
  Training training;
  training.Weight(4096);
  const events::EventIndex weight = training.latest();
  training.Step(3, 8000, 1000);
  const events::EventIndex after = training.latest();  // the phase between steps
  const auto view = training.Publish();
  CHECK(MomentTitle(*view, weight) == "before the first step · event 8");
  CHECK(MomentTitle(*view, training.peak()) == "step 3 · event 14");
  CHECK(StepTitle(*view, after - 1) == "step 3");
  CHECK(StepTitle(*view, after) == "after step 3");
}

TEST_CASE("Where no steps are told a moment is its event's number") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  const auto view = stream.Publish();
  CHECK(StepTitle(*view, 0).empty());
  CHECK(MomentTitle(*view, 0) == "event 0");
}

}  // namespace tidemark::presenters
