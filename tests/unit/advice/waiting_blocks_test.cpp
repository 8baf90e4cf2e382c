// Blocks whose free was asked for, and which another stream still uses, count no more: nobody owns them, and
// they are no fragments.
#include <numeric>
#include <vector>

#include "profiler/advice/findings.h"
#include "profiler/advice/owners.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"

namespace tidemark::advice {
namespace {

using events::Category;
using events::EventKind;
using events::Phase;

constexpr uint64_t kWaiting = 0x10000000;
constexpr uint64_t kAlive = kWaiting + 80 * kMiB;

// Of 200 MiB reserved, 80 MiB wait for another stream and 100 MiB are alive.
timeline::Stream StreamWithWaiting() {
  timeline::Stream stream;
  const events::NameId op = stream.Name("aten::mul ← step (train.py:30)");
  stream.Add(EventKind::kSegmentAllocate, kWaiting, 200 * kMiB);
  stream.Allocate(kWaiting, 80 * kMiB).op = op;
  stream.RequestFree(kWaiting);
  stream.Allocate(kAlive, 100 * kMiB).op = op;
  return stream;
}

int64_t BytesOf(const std::vector<Owner>& owners) {
  return std::accumulate(owners.begin(), owners.end(), int64_t{0},
                         [](int64_t sum, const Owner& owner) { return sum + owner.bytes; });
}

TEST_CASE("What owners and lines have is what is allocated") {
  const timeline::Stream stream = StreamWithWaiting();
  const auto view = stream.Publish();
  const auto allocated = ValueOf(view->ValuesAt(stream.latest()), timeline::Series::kAllocated);
  CHECK(BytesOf(LargestOwners(*view, stream.latest(), 9)) == allocated);
  CHECK(BytesOf(LargestLines(*view, stream.latest(), 9)) == allocated);
}

TEST_CASE("What waits for another stream when memory runs out is no fragmentation") {
  timeline::Stream stream = StreamWithWaiting();
  SECTION("all that could have held the request waited") {
    stream.Add(EventKind::kOutOfMemory, 0, 80 * kMiB);
    CHECK(FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0).empty());
  }
  SECTION("pieces would have held it, too") {
    stream.Add(EventKind::kOutOfMemory, 0, 8 * kMiB);
    const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().kind == FindingKind::kFragmentation);
    CHECK(findings.front().bytes == 20 * kMiB);
  }
}

TEST_CASE("What waits for another stream when memory runs out lay in no gap, though less was allocated") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, kWaiting, 200 * kMiB);
  stream.Allocate(kWaiting, 100 * kMiB);  // no later moment has more
  stream.RequestFree(kWaiting);
  stream.Allocate(kWaiting + 100 * kMiB, 90 * kMiB);
  stream.Add(EventKind::kOutOfMemory, 0, 500 * kMiB);
  CHECK(FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0).empty());
}

TEST_CASE(
    "What was reserved for nothing is told with the step of the peak, of the settings that are in force") {
  TrainingStream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x40000000, 64 * kMiB);
  for (int64_t step = 0; step < 3; ++step) stream.StepWithoutFault(step);
  const auto told = Only(stream, FindingKind::kFragmentation);
  REQUIRE(told);
  CHECK(Says(*told, "never more than 120.0 MiB of it allocated, in step 2: "));
  const events::NameId marker = stream.Name("batch 64 → 8");
  stream.Mark(marker, stream.Name("{\"batch\": 8}"));
  for (int64_t step = 3; step < 5; ++step) {
    stream.BeginStep(step);
    stream.EndStep(step);
  }
  CHECK_FALSE(Only(stream, FindingKind::kFragmentation));  // what is reserved still is of other settings
  stream.Add(EventKind::kSegmentAllocate, 0x70000000, 64 * kMiB);
  for (int64_t step = 5; step < 8; ++step) stream.StepWithoutFault(step);
  const auto after = Only(stream, FindingKind::kFragmentation);
  REQUIRE(after);
  CHECK(Says(*after,
             "256.0 MiB were reserved at most, and never more than 120.0 MiB of it allocated, in step 7"));
}

TEST_CASE("Gaps are told after a change of settings that needs as much memory") {
  TrainingStream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x40000000, 64 * kMiB);
  for (int64_t step = 0; step < 3; ++step) stream.StepWithoutFault(step);
  const events::NameId marker = stream.Name("learning rate 0.001 → 0.01");
  stream.Mark(marker, stream.Name("{\"learning_rate\": 0.01}"));
  for (int64_t step = 3; step < 6; ++step) stream.StepWithoutFault(step);
  const auto told = Only(stream, FindingKind::kFragmentation);
  REQUIRE(told);
  CHECK(Says(*told,
             "192.0 MiB were reserved at most, and never more than 120.0 MiB of it allocated, in step 5"));
}

TEST_CASE("What memory ran out for lay in no gap where all gaps would not have held it") {
  TrainingStream stream;
  for (int64_t step = 0; step < 3; ++step) stream.StepWithoutFault(step);
  stream.BeginForward(3);
  stream.Add(EventKind::kSegmentAllocate, 0x40000000, 200 * kMiB);
  stream.Add(EventKind::kSegmentFree, 0x40000000, 200 * kMiB);
  stream.Add(EventKind::kOutOfMemory, 0, 500 * kMiB);
  CHECK_FALSE(Only(stream, FindingKind::kFragmentation));
}

TEST_CASE("Gaps beside what waits for another stream are told without it") {
  TrainingStream stream;
  stream.Allocate(TrainingStream::kMore, 80 * kMiB);  // with the parameters as much as any step has
  stream.RequestFree(TrainingStream::kMore);
  stream.Allocate(2 * TrainingStream::kMore, 10 * kMiB);
  stream.Add(EventKind::kSegmentAllocate, 0x70000000, 64 * kMiB);
  stream.Free(TrainingStream::kMore);
  stream.Free(2 * TrainingStream::kMore);
  for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
  const auto finding = Only(stream, FindingKind::kFragmentation);
  REQUIRE(finding);
  CHECK(finding->bytes == 62 * kMiB);  // 192 reserved, 50 allocated and 80 waiting then
  CHECK(Says(*finding, "never more than 120.0 MiB of it allocated, beside 10.0 MiB that waited for another"));
}

TEST_CASE("What waits for another stream at the peak of what is reserved lay in no gap") {
  for (const bool waits : {true, false}) {
    TrainingStream stream;
    for (const uint64_t address : {TrainingStream::kMore, 2 * TrainingStream::kMore}) {
      stream.Allocate(address, 64 * kMiB);
      waits ? stream.RequestFree(address) : stream.Free(address);
    }
    stream.Add(EventKind::kSegmentAllocate, 0x70000000, 64 * kMiB);
    if (waits) stream.Free(TrainingStream::kMore);
    if (waits) stream.Free(2 * TrainingStream::kMore);
    for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
    CHECK(Only(stream, FindingKind::kFragmentation).has_value() == !waits);
  }
}

TEST_CASE("Gradients that wait for another stream are not kept while forward runs") {
  enum class Freed { kInBackward, kAskedForAtEnd, kAskedForAtBegin };
  for (const Freed freed : {Freed::kInBackward, Freed::kAskedForAtEnd, Freed::kAskedForAtBegin}) {
    TrainingStream stream;
    for (int64_t step = 0; step < 4; ++step) {
      stream.BeginStep(step);
      if (step > 0 && freed == Freed::kAskedForAtBegin) stream.RequestFree(TrainingStream::kGradient);
      stream.BeginPhase(Phase::kForward);
      stream.Allocate(TrainingStream::kActivation, 60 * kMiB, Category::kActivation);
      stream.BeginPhase(Phase::kBackward);
      if (step > 0) stream.Free(TrainingStream::kGradient);
      stream.Free(TrainingStream::kActivation);
      stream.Allocate(TrainingStream::kGradient, 20 * kMiB, Category::kGradient);
      stream.EndStep(step);
      if (freed == Freed::kAskedForAtEnd) stream.RequestFree(TrainingStream::kGradient);
    }
    CHECK(Only(stream, FindingKind::kKeptGradients).has_value() == (freed == Freed::kInBackward));
  }
}

TEST_CASE("An evaluation's outputs that wait for another stream were saved for no backward") {
  constexpr uint64_t kOther = TrainingStream::kActivation + 30 * kMiB;
  for (const bool waits : {true, false}) {
    timeline::Stream stream;
    stream.BeginPhase(Phase::kForward);
    for (int batch = 0; batch < 2; ++batch) {
      stream.Allocate(TrainingStream::kActivation, 30 * kMiB, Category::kActivation);
      if (waits) stream.RequestFree(TrainingStream::kActivation);
      stream.Allocate(kOther, 40 * kMiB, Category::kActivation);
      stream.Free(TrainingStream::kActivation);
      stream.Free(kOther);
    }
    const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().kind == FindingKind::kUnusedGraph);
    CHECK(findings.front().bytes == (waits ? 40 : 70) * kMiB);
  }
}

TEST_CASE("An output whose free was asked for was let go, whenever another stream is done with it") {
  timeline::Stream stream;
  stream.BeginPhase(Phase::kForward);
  stream.Allocate(TrainingStream::kActivation, 40 * kMiB, Category::kActivation);
  stream.RequestFree(TrainingStream::kActivation);
  stream.Allocate(TrainingStream::kMore, 20 * kMiB, Category::kActivation);
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().bytes == 40 * kMiB);
}

TEST_CASE("A spike is made of what counted in it") {
  TrainingStream stream;
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    if (step == 0) {
      stream.Allocate(TrainingStream::kMore, kMiB);
      stream.RequestFree(TrainingStream::kMore);
      stream.Allocate(2 * TrainingStream::kMore, 32 * kMiB);
      stream.Free(2 * TrainingStream::kMore);
      stream.Free(TrainingStream::kMore);
    }
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kFirstStepSpike);
  REQUIRE(finding);
  CHECK(finding->allocations.size() == 2);  // with the activation beside it
}

}  // namespace
}  // namespace tidemark::advice
