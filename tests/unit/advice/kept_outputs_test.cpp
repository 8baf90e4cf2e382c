#include "profiler/advice/kept_outputs.h"

#include <optional>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::advice {
namespace {

using events::Category;
using events::Phase;

constexpr int64_t kLeft = int64_t{8} << 20;

// Passes of a model, each of which leaves 8 MiB.
class PassesStream : public timeline::Stream {
 public:
  PassesStream() { Allocate(0x10000000, 5 * kLeft, Category::kParameter); }
  void Pass(uint64_t leaves) {
    BeginPhase(Phase::kEvaluation);
    Allocate(leaves, kLeft, Category::kTemporary).layer = layer_;
    Categorize(leaves, Category::kOutput);
    BeginPhase(Phase::kIdle);
  }
  void Train(int64_t step, int64_t bytes) {
    BeginStep(step);
    BeginPhase(Phase::kForward);
    Allocate(0x18000000, bytes, Category::kActivation);
    BeginPhase(Phase::kOptimizer);
    Free(0x18000000);
    EndStep(step);
    BeginPhase(Phase::kIdle);
  }
  // Into a block of so many results, instead of the one before.
  void Join(int pass, int64_t results) {
    const auto joined = [](int number) { return 0x100000000 + static_cast<uint64_t>(number) * 0x10000000; };
    Allocate(joined(pass), results * kLeft, Category::kUnknown);
    Categorize(joined(pass), Category::kOutput);
    if (pass > 0) Free(joined(pass - 1));
  }
  static uint64_t Number(int number) { return 0x20000000 + static_cast<uint64_t>(number) * 0x1000000; }

 private:
  events::NameId layer_ = Name("fc");
};

std::optional<Finding> KeptIn(const PassesStream& stream) {
  return KeptOutputs(*stream.Publish(), ByteUnit::kMebibytes);
}

}  // namespace

TEST_CASE("Outputs that each pass leaves and nobody lets go of are found, with their layer") {
  PassesStream stream;
  for (int pass = 0; pass < 6; ++pass) stream.Pass(PassesStream::Number(pass));
  CHECK_FALSE(KeptIn(stream));
  for (int pass = 6; pass < 10; ++pass) stream.Pass(PassesStream::Number(pass));
  const auto finding = KeptIn(stream);
  REQUIRE(finding);
  CHECK(finding->bytes == 8 * kLeft);  // without those of the last two, which may be in use
  CHECK(
      finding->evidence.starts_with("64.0 MiB that 8 passes without gradients left are still alive after the "
                                    "last one: 8.0 MiB more with each."
                                    " Most of it is of layer fc."));
  CHECK(finding->allocations.size() == 8);
  // Whatever is let go when all is over.
  for (int pass = 0; pass < 10; ++pass) stream.Free(PassesStream::Number(pass));
  CHECK(KeptIn(stream));
  const auto findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().kind == FindingKind::kKeptOutputs);
}

TEST_CASE("A cache that each pass makes anew, and what a first pass leaves for all, are not kept outputs") {
  PassesStream stream;
  stream.Pass(PassesStream::Number(100));
  for (int pass = 0; pass < 10; ++pass) {
    stream.Pass(PassesStream::Number(pass));
    if (pass > 0) stream.Free(PassesStream::Number(pass - 1));
  }
  CHECK_FALSE(KeptIn(stream));
}

TEST_CASE("What an evaluation of a training keeps to its end is found where the run's peak has it") {
  for (const int64_t training : {kLeft, 20 * kLeft}) {  // beside it, or above it
    PassesStream stream;
    for (int epoch = 0; epoch < 2; ++epoch) {
      stream.Train(epoch, training);
      for (int pass = 0; pass < 6; ++pass) stream.Pass(PassesStream::Number(pass));
      for (int pass = 0; pass < 6; ++pass) stream.Free(PassesStream::Number(pass));
    }
    const auto findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
    REQUIRE(findings.size() == (training == kLeft ? 1 : 0));
    if (findings.empty()) continue;
    CHECK(findings.front().kind == FindingKind::kKeptOutputs);
    CHECK(findings.front().bytes == 4 * kLeft);
    CHECK_FALSE(findings.front().grows);  // from step to step
    CHECK(findings.front().evidence.starts_with(
        "32.0 MiB that 4 passes without gradients left are still alive at the run's peak: 8.0 MiB more with "
        "each. Most of it is of layer fc."));
  }
}

TEST_CASE("Passes between the steps of a training are one evaluation each, and few keep nothing") {
  PassesStream stream;
  for (int step = 0; step < 4; ++step) {
    stream.Train(step, kLeft);
    for (int pass = 0; pass < 4; ++pass) stream.Pass(PassesStream::Number(4 * step + pass));
  }
  CHECK_FALSE(KeptIn(stream));
}

TEST_CASE("Results that are put together after each pass are found, and those of one pass alone are not") {
  for (const bool grows : {true, false}) {
    PassesStream stream;
    stream.Train(0, kLeft);
    for (int pass = 0; pass < 8; ++pass) {
      stream.Pass(PassesStream::Number(pass));
      stream.Join(pass, grows ? pass + 1 : 2);
      stream.Free(PassesStream::Number(pass));
    }
    const auto finding = KeptIn(stream);
    REQUIRE(finding.has_value() == grows);
    if (!finding) continue;
    CHECK(finding->bytes == (7 + 8) * kLeft);  // the old and the new
    CHECK(finding->evidence.starts_with("120.0 MiB alive at the run's peak are results of 8 passes"));
  }
}

}  // namespace tidemark::advice
