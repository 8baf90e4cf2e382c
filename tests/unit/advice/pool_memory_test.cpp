// What private pools keep for themselves.
#include "profiler/advice/findings.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"

namespace tidemark::advice {
namespace {

using events::EventKind;

// A capture that worked in `worked`, of which `kept` are its results, and steps after it.
TrainingStream StreamWithPools(std::string_view name, int pools, int64_t worked, int64_t kept) {
  TrainingStream stream;
  const events::NameId id = stream.Name(name);
  for (int pool = 1; pool <= pools; ++pool) {
    const uint64_t address = 0x40000000 + 0x10000000 * static_cast<uint64_t>(pool);
    const auto add = [&](events::Event& event) { event.pool = static_cast<uint8_t>(pool); };
    events::Event& segment = stream.Add(EventKind::kSegmentAllocate, address, worked + kept);
    segment.name = id;
    add(segment);
    add(stream.Allocate(address, kept));
    add(stream.Allocate(address + static_cast<uint64_t>(kept), worked));
    stream.Free(address + static_cast<uint64_t>(kept));
  }
  for (int64_t step = 0; step < 4; ++step) stream.StepWithoutFault(step);
  return stream;
}

TEST_CASE("What a CUDA graph keeps for its replays is told") {
  const auto finding =
      Only(StreamWithPools("private pool (1, 0)", 1, 90 * kMiB, 10 * kMiB), FindingKind::kPoolMemory);
  REQUIRE(finding);
  CHECK(finding->bytes == 90 * kMiB);
  CHECK(finding->evidence ==
        "90.0 MiB of the 100.0 MiB of a CUDA graph's private pool hold no tensor. Replays work there, which "
        "allocates nothing, and PyTorch uses it for nothing else between them. Of the 228.0 MiB that are "
        "reserved at most, the pool holds 43 %.");
  CHECK(finding->advice.starts_with("Let go of a graph"));
}

TEST_CASE("Several graphs are advised to share a pool; a pool that the program made is not said to be one") {
  const auto graphs =
      Only(StreamWithPools("private pool (1, 0)", 2, 90 * kMiB, 10 * kMiB), FindingKind::kPoolMemory);
  REQUIRE(graphs);
  CHECK(Says(*graphs, "180.0 MiB of the 200.0 MiB of 2 private pools of CUDA graphs hold no tensor."));
  CHECK(graphs->advice.find("can share a pool (torch.cuda.graph(graph, pool=first.pool()))") !=
        std::string::npos);
  const auto made =
      Only(StreamWithPools("private pool (0, 1)", 1, 90 * kMiB, 10 * kMiB), FindingKind::kPoolMemory);
  REQUIRE(made);
  CHECK(Says(*made,
             "a private pool that the program made (torch.cuda.MemPool, torch.cuda.graph_pool_handle) "
             "hold no tensor."));
  CHECK(made->advice.find("use_on_oom=True") != std::string::npos);
}

TEST_CASE("What pools keep is told of a large card where they hold much of what is reserved") {
  constexpr int64_t kCard = int64_t{140} << 30;
  const TrainingStream stream = StreamWithPools("private pool (1, 0)", 2, 24 * kMiB, 48 * kMiB);
  const std::vector<Finding> findings = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, kCard);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::kPoolMemory);
  CHECK(findings[0].bytes == 48 * kMiB);
  CHECK(Says(findings[0], "48.0 MiB of the 144.0 MiB of 2 private pools of CUDA graphs hold no tensor."));
  CHECK(Says(findings[0], " MiB that are reserved at most, the pools hold "));
}

TEST_CASE("Little that a pool keeps, and pools of which nobody tells whose they are, are not worth a word") {
  CHECK(Found(StreamWithPools("private pool (1, 0)", 1, 16 * kMiB, 10 * kMiB)).empty());
  CHECK(Found(StreamWithPools("", 1, 90 * kMiB, 10 * kMiB)).empty());
}

}  // namespace
}  // namespace tidemark::advice
