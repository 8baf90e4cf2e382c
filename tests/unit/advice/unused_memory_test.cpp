// Findings of reserved memory that a request could not have, or no block ever used.
#include "profiler/advice/findings.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::advice {
namespace {

using events::EventKind;

TEST_CASE("Segments that blocks never fill are fragmentation") {
  TrainingStream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x40000000, 64 * kMiB);
  for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
  const auto finding = Only(stream, FindingKind::kFragmentation);
  REQUIRE(finding);
  CHECK(finding->bytes == 72 * kMiB);  // 192 reserved, 120 allocated at most
}

TEST_CASE("What the latest segment has left, and little of a large card, is no fragmentation") {
  timeline::Stream hello;
  hello.Add(EventKind::kSegmentAllocate, 0x10000000, 20 * kMiB);
  hello.Allocate(0x10000000, 4 * kMiB);
  CHECK(FindingsIn(*hello.Publish(), ByteUnit::kMebibytes, 0).empty());
  const auto found_on = [](int64_t unused_segment, int64_t card_bytes) {
    TrainingStream stream;  // 128 MiB reserved, 120 MiB of them allocated at most
    stream.Add(EventKind::kSegmentAllocate, 0x40000000, unused_segment);
    for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
    return FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, card_bytes).size();
  };
  constexpr int64_t kLarge = int64_t{22} << 30;
  CHECK(found_on(16 * kMiB, int64_t{4} << 30) == 1);  // a sixth
  CHECK(found_on(16 * kMiB, 0) == 0);                 // of a card that nobody told, as a snapshot's
  CHECK(found_on(64 * kMiB, 0) == 1);
  CHECK(found_on(16 * kMiB, kLarge) == 0);
  CHECK(found_on(64 * kMiB, kLarge) == 0);
  CHECK(found_on(160 * kMiB, kLarge) == 1);
}

TEST_CASE("Segments that grow already are not advised to") {
  for (const auto kind : {EventKind::kSegmentAllocate, EventKind::kSegmentMap}) {
    TrainingStream stream;
    stream.Add(kind, 0x40000000, 64 * kMiB);
    for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
    const auto finding = Only(stream, FindingKind::kFragmentation);
    REQUIRE(finding);
    CHECK(finding->advice.starts_with("Segments grow already") == (kind == EventKind::kSegmentMap));
    CHECK(finding->can_be_tried == (kind == EventKind::kSegmentAllocate));
    CHECK(finding->advice.find("tidemark") == std::string::npos);  // the window has a button for it
  }
}

TEST_CASE("A request that failed though enough was free in pieces is fragmentation, steps or not") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x10000000, 128 * kMiB);
  stream.Allocate(0x10000000, 127 * kMiB);
  stream.Add(EventKind::kOutOfMemory, 0, 4 * kMiB).rounded_bytes = 3 * kMiB;
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMegabytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().kind == FindingKind::kFragmentation);
  CHECK(findings.front().moment == stream.latest());
  CHECK(Says(findings.front(),
             "4.0 MiB were asked for and not found, though 4.0 MiB were free in all: 1.0 MiB "));
}

TEST_CASE("Of what is cached only what the failed request could have had is told as gaps") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x10000000, 128 * kMiB);
  stream.Allocate(0x10000000, 127 * kMiB);
  stream.Add(EventKind::kSegmentAllocate, 0x20000000, 2 * kMiB);  // for small requests
  stream.Allocate(0x20000000, kMiB / 2);
  stream.Add(EventKind::kOutOfMemory, 0, 4 * kMiB).rounded_bytes = 3 * kMiB;
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMegabytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(Says(findings.front(),
             "4.0 MiB were asked for and not found, though 4.0 MiB were free within its reach: 1.0 MiB "));
}

TEST_CASE("A request that failed for want of what others had free is told what would have given it that") {
  timeline::Stream stream;
  const auto [pool, of_stream, evidence,
              advice] = GENERATE(table<uint8_t, uint64_t, std::string_view, std::string_view>({
      {uint8_t{1}, uint64_t{0}, "90.0 MiB of it in private pools (CUDA graphs have theirs).",
       "CUDA graphs that"},
      {uint8_t{0}, uint64_t{0x5555}, "90.0 MiB of it in memory of another stream.", "Make tensors on one"},
  }));
  events::Event& segment = stream.Add(EventKind::kSegmentAllocate, 0x10000000, 100 * kMiB);
  segment.pool = pool;
  segment.stream = of_stream;
  stream.Allocate(0x10000000, 10 * kMiB);
  stream.Add(EventKind::kOutOfMemory, 0, 30 * kMiB).rounded_bytes = kMiB;
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMegabytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().kind == FindingKind::kOutOfReach);
  CHECK(findings.front().bytes == 90 * kMiB);
  CHECK(findings.front().ran_out);
  CHECK_FALSE(findings.front().can_be_tried);
  CHECK(Says(findings.front(), "30.0 MiB were asked for and not found, though 91.0 MiB were free in all: " +
                                   std::string(evidence)));
  CHECK(findings.front().advice.starts_with(advice));
  CHECK(findings.front().advice.find("expandable_segments") == std::string::npos);
}

TEST_CASE("A small request that fails beside gaps of large segments is advised other segments") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x10000000, 100 * kMiB);
  stream.Allocate(0x10000000, 10 * kMiB);
  stream.Add(EventKind::kOutOfMemory, 0, kMiB / 2).rounded_bytes = kMiB / 4;
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMegabytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().kind == FindingKind::kFragmentation);
  CHECK(findings.front().bytes == 90 * kMiB);
}

TEST_CASE("Where it is not told whether a private pool asked, none is advised to be let go") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x10000000, 100 * kMiB).pool = 1;
  stream.Allocate(0x10000000, 10 * kMiB);
  events::Event& failure = stream.Add(EventKind::kOutOfMemory, 0, 30 * kMiB);
  failure.rounded_bytes = kMiB;
  failure.pool = events::kManyPools;
  CHECK(FindingsIn(*stream.Publish(), ByteUnit::kMegabytes, 0).empty());
}

// Four steps of which each needs 120 MiB, and what is reserved beside them.
TrainingStream StreamBeside(int64_t bytes, uint8_t pool, uint64_t of_stream) {
  TrainingStream stream;
  events::Event& segment = stream.Add(EventKind::kSegmentAllocate, 0x40000000, bytes);
  segment.pool = pool;
  segment.stream = of_stream;
  for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
  return stream;
}

TEST_CASE("What private pools have free is no fragmentation: their graphs use it and do not tell") {
  CHECK(Only(StreamBeside(64 * kMiB, 0, 0), FindingKind::kFragmentation));
  CHECK(Found(StreamBeside(64 * kMiB, 1, 0)).empty());
}

TEST_CASE("Gaps beside what private pools have free are told without it") {
  TrainingStream stream = StreamBeside(64 * kMiB, 1, 0);
  stream.Add(EventKind::kSegmentAllocate, 0x70000000, 64 * kMiB);
  for (int64_t step = 4; step < 8; ++step) stream.StepWithoutFault(step);
  const auto finding = Only(stream, FindingKind::kFragmentation);
  REQUIRE(finding);
  CHECK(finding->bytes == 72 * kMiB);
  CHECK(Says(*finding, ", beside 64.0 MiB free in private pools (CUDA graphs have theirs): 72.0 MiB lay in"));
}

TEST_CASE("What another stream has free is not advised to grow") {
  const auto finding = Only(StreamBeside(100 * kMiB, 0, 0x5555), FindingKind::kOutOfReach);
  REQUIRE(finding);
  CHECK(Says(*finding, "100.0 MiB of it in memory of other streams"));
  CHECK(finding->advice.starts_with("Make tensors on one stream"));
  CHECK_FALSE(Only(StreamBeside(100 * kMiB, 0, 0x5555), FindingKind::kFragmentation));
}

// Of one segment, at the most one block.
void AddSegment(timeline::Stream& stream, uint64_t address, int64_t bytes, int64_t taken, uint8_t pool,
                uint64_t of_stream) {
  const auto add = [&](events::Event& event) {
    event.pool = pool;
    event.stream = of_stream;
  };
  add(stream.Add(EventKind::kSegmentAllocate, address, bytes));
  if (taken > 0) add(stream.Allocate(address, taken));
}

TEST_CASE("A segment of another stream that is filled at once is none of the memory that nothing used") {
  timeline::Stream stream;
  AddSegment(stream, 0x10000000, 200 * kMiB, 110 * kMiB, 0, 0);
  AddSegment(stream, 0x40000000, 100 * kMiB, 100 * kMiB, 0, 0x5555);
  stream.Free(0x40000000);
  stream.Add(EventKind::kSegmentFree, 0x40000000, 100 * kMiB);
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().kind == FindingKind::kFragmentation);
  CHECK(findings.front().bytes == 90 * kMiB);
}

TEST_CASE("No more is told of other streams than nothing ever used") {
  timeline::Stream stream;
  AddSegment(stream, 0x10000000, 200 * kMiB, 200 * kMiB, 0, 0);
  stream.Free(0x10000000);
  stream.Allocate(0x10000000, 10 * kMiB);
  AddSegment(stream, 0x40000000, 100 * kMiB, 100 * kMiB, 0, 0x5555);  // 190 MiB are free on the other now
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(Says(findings.front(),
             "never more than 200.0 MiB of it allocated: 100.0 MiB lay in gaps and in segments of other "
             "sizes, 100.0 MiB of it in memory of other streams."));
}

TEST_CASE("Memory of a private pool that was in use when the most was allocated is taken off once") {
  timeline::Stream stream;
  AddSegment(stream, 0x10000000, 300 * kMiB, 300 * kMiB, 0, 0);
  AddSegment(stream, 0x40000000, 400 * kMiB, 400 * kMiB, 1, 0x5555);
  stream.Free(0x40000000);
  AddSegment(stream, 0x70000000, 300 * kMiB, 10 * kMiB, 0, 0);
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().kind == FindingKind::kFragmentation);
  CHECK(findings.front().bytes == 290 * kMiB);
  CHECK(Says(findings.front(),
             "were reserved at most, and of it at the fullest 310.0 MiB taken, beside 400.0 MiB "
             "free in private pools (CUDA graphs have theirs): 290.0 MiB lay in gaps"));
}

}  // namespace
}  // namespace tidemark::advice
