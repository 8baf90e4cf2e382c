#include <cstdint>
#include <optional>

#include "profiler/advice/findings.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"

namespace tidemark::advice {

using events::Category;
using events::Phase;

namespace {

// Steps whose loss makes so many blocks as large as its log-softmax.
TrainingStream StepsWithScores(int blocks, int64_t bytes, const char* op) {
  TrainingStream stream;
  const events::NameId name = stream.Name(op);
  const auto place = [](int block) {
    return TrainingStream::kMore + static_cast<uint64_t>(block) * 0x10000000;
  };
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    for (int block = 0; block < blocks; ++block) {
      stream.Allocate(place(block), bytes, Category::kActivation).op = block == 0 ? name : 0;
    }
    for (int block = 0; block < blocks; ++block) stream.Free(place(block));
    stream.EndBackward(step);
  }
  return stream;
}

}  // namespace

TEST_CASE("Scores, their log-softmax and their gradients are found where they are much of the peak") {
  const char* const op =
      GENERATE("aten::cross_entropy_loss", "aten::log_softmax ← main (train.py:9)", "LogSoftmaxBackward0");
  const auto finding = Only(StepsWithScores(4, 50 * kMiB, op), FindingKind::kLossScores);
  REQUIRE(finding);
  CHECK(finding->bytes == 200 * kMiB);
  CHECK(finding->allocations.size() == 4);
  CHECK(Says(*finding, "At the peak of step 3, 200.0 MiB of 300.0 MiB are 4 blocks of 50.0 MiB each"));
}

TEST_CASE("A small log-softmax, one alone, and blocks of one size that are none, are no such scores") {
  CHECK(Found(StepsWithScores(4, 5 * kMiB, "LogSoftmaxBackward0")).empty());
  CHECK(Found(StepsWithScores(1, 50 * kMiB, "LogSoftmaxBackward0")).empty());
  CHECK(Found(StepsWithScores(4, 50 * kMiB, "aten::add")).empty());
}

TEST_CASE("What is kept of earlier steps are none of this one's scores, though as large") {
  TrainingStream stream;
  const events::NameId op = stream.Name("aten::log_softmax");
  for (int64_t step = 0; step < 8; ++step) {
    stream.BeginForward(step);
    stream.Allocate(TrainingStream::kMore + static_cast<uint64_t>(step) * 0x10000000, 50 * kMiB).op = op;
    stream.EndBackward(step);
  }
  CHECK(Only(stream, FindingKind::kGrowth));
}

TEST_CASE("Scores are not told of a run that needs more elsewhere") {
  TrainingStream stream = StepsWithScores(4, 50 * kMiB, "LogSoftmaxBackward0");
  stream.Allocate(0x80000000, 400 * kMiB);
  CHECK(Found(stream).empty());
}

}  // namespace tidemark::advice
