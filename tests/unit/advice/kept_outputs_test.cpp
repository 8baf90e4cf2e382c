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

TEST_CASE("What passes of a training leave is told by its steps") {
  PassesStream stream;
  stream.BeginStep(0);
  stream.BeginPhase(Phase::kForward);
  stream.EndStep(0);
  for (int pass = 0; pass < 10; ++pass) stream.Pass(PassesStream::Number(pass));
  CHECK(FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0).empty());
}

}  // namespace tidemark::advice
