#include <cstdint>
#include <optional>

#include "profiler/advice/findings.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"

namespace tidemark::advice {

using events::Category;
using events::Phase;

namespace {

// Steps whose optimizer works in so much, after a backward that needs 120 MiB.
TrainingStream StepsWithWork(int64_t work, const char* op) {
  TrainingStream stream;
  const events::NameId name = stream.Name(op);
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    stream.BeginPhase(Phase::kBackward);
    stream.Allocate(TrainingStream::kGradient, 20 * kMiB, Category::kGradient);
    stream.Free(TrainingStream::kActivation);
    stream.BeginPhase(Phase::kOptimizer);
    stream.Allocate(TrainingStream::kMore, work).op = name;
    stream.Free(TrainingStream::kMore);
    stream.Free(TrainingStream::kGradient);
    stream.EndStep(step);
    stream.BeginPhase(Phase::kIdle);
  }
  return stream;
}

}  // namespace

TEST_CASE("What an optimizer works in for all parameters at once is found where it makes the peak") {
  const TrainingStream stream = StepsWithWork(80 * kMiB, "aten::_foreach_sqrt");
  const auto finding = Only(stream, FindingKind::kOptimizerWork);
  REQUIRE(finding);
  CHECK(finding->bytes == 20 * kMiB);  // above what backward needs
  CHECK(finding->allocations.size() == 1);
  CHECK(Says(*finding,
             "Step 3 has its peak of 140.0 MiB while the optimizer steps: 80.0 MiB of it is what it"));
  CHECK(Says(*finding, "Without it the peak is 20.0 MiB lower."));
}

TEST_CASE(
    "An optimizer that works below the peak of backward, or in one parameter's memory, has no finding") {
  CHECK(Found(StepsWithWork(40 * kMiB, "aten::_foreach_sqrt")).empty());
  CHECK(Found(StepsWithWork(80 * kMiB, "aten::sqrt")).empty());
}

}  // namespace tidemark::advice
