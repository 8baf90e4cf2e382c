#include <cstdint>
#include <optional>
#include <string>

#include "profiler/advice/findings.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"

namespace tidemark::advice {

using events::Category;
using events::Phase;

TEST_CASE("Gradients of the step before that are alive when forward ends are found at that moment") {
  TrainingStream stream;
  timeline::EventIndex backward = 0;
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginStep(step);
    stream.BeginPhase(Phase::kForward);
    stream.Allocate(TrainingStream::kActivation, 60 * kMiB, Category::kActivation);
    stream.BeginPhase(Phase::kBackward);
    backward = stream.latest();
    if (step > 0) stream.Free(TrainingStream::kGradient);
    stream.Free(TrainingStream::kActivation);
    stream.Allocate(TrainingStream::kGradient, 20 * kMiB, Category::kGradient);
    stream.EndStep(step);
  }
  const auto finding = Only(stream, FindingKind::kKeptGradients);
  REQUIRE(finding);
  CHECK(finding->bytes == 20 * kMiB);
  CHECK(finding->moment == backward);
  CHECK(Says(*finding, "without them there its peak is 20.0 MiB lower"));
  CHECK(finding->allocations.size() == 1);
}

TEST_CASE("Gradients that stay since no optimizer uses them are told apart from those of the step before") {
  const auto [state, is_of_nobody] = GENERATE(table<const char*, bool>(
      {{"student.0.weight exp_avg", true}, {"teacher.0.weight exp_avg", false}, {"AdamW state", false}}));
  TrainingStream stream;
  stream.Allocate(TrainingStream::kMore, kMiB);
  stream.Categorize(TrainingStream::kMore, Category::kOptimizerState, stream.Name(state));
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginStep(step);
    stream.BeginPhase(Phase::kForward);
    stream.Allocate(TrainingStream::kActivation, 60 * kMiB, Category::kActivation);
    stream.BeginPhase(Phase::kBackward);
    if (step == 0) {
      stream.Allocate(TrainingStream::kGradient, 20 * kMiB);
      stream.Categorize(TrainingStream::kGradient, Category::kGradient, stream.Name("teacher.0.weight.grad"));
    }
    stream.Free(TrainingStream::kActivation);
    stream.EndStep(step);
  }
  const auto finding = Only(stream, FindingKind::kKeptGradients);
  REQUIRE(finding);
  CHECK(Says(*finding, "that no optimizer uses") == is_of_nobody);
  CHECK((finding->advice.find("no_grad") != std::string::npos) == is_of_nobody);
}

TEST_CASE("Gradients that are freed before forward are none, and those freed after it are kept") {
  for (const bool frees_first : {true, false}) {
    TrainingStream stream;
    for (int64_t step = 0; step < 4; ++step) {
      stream.BeginStep(step);
      if (frees_first && step > 0) stream.Free(TrainingStream::kGradient);
      stream.Allocate(TrainingStream::kActivation, 80 * kMiB, Category::kActivation);
      if (!frees_first && step > 0) stream.Free(TrainingStream::kGradient);
      stream.BeginPhase(Phase::kBackward);
      stream.Free(TrainingStream::kActivation);
      stream.Allocate(TrainingStream::kGradient, 20 * kMiB, Category::kGradient);
      stream.EndStep(step);
    }
    CHECK(Found(stream).size() == (frees_first ? 0 : 1));
  }
}

TEST_CASE("Gradients that stay while forward runs are not told where the step needs as much without them") {
  for (const bool at_peak : {true, false}) {
    TrainingStream stream;
    for (int64_t step = 0; step < 4; ++step) {
      stream.BeginStep(step);
      stream.BeginPhase(Phase::kForward);
      stream.Allocate(TrainingStream::kActivation, 60 * kMiB, Category::kActivation);
      if (step > 0) stream.Free(TrainingStream::kGradient);
      stream.BeginPhase(Phase::kBackward);
      stream.Allocate(TrainingStream::kMore, at_peak ? kMiB : 20 * kMiB);
      stream.Free(TrainingStream::kMore);
      stream.Free(TrainingStream::kActivation);
      stream.Allocate(TrainingStream::kGradient, 20 * kMiB, Category::kGradient);
      stream.EndStep(step);
    }
    CHECK(Only(stream, FindingKind::kKeptGradients).has_value() == at_peak);
    CHECK(Found(stream).size() == (at_peak ? 1 : 0));
  }
}

}  // namespace tidemark::advice
