#include "app/presenters/moment/memory_map.h"

#include <limits>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;

MemoryMap MapOf(const timeline::Stream& stream) {
  const auto view = stream.Publish();
  return MakeMemoryMap(view->StateAt(view->end() - 1));
}

}  // namespace

TEST_CASE("The map places blocks and gaps to the byte") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x200000, 4096);
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 8192);
  stream.Allocate(0x100000 + 1024, 1000);
  stream.Allocate(0x100000, 512);
  stream.Allocate(0x200000, 4096);
  const MemoryMap map = MapOf(stream);
  REQUIRE(map.segments.size() == 2);
  const MapSegment& first = map.segments[0];
  CHECK(first.address == 0x100000);
  CHECK(first.position_bytes == 0);
  CHECK(map.segments[1].position_bytes == 8192);
  REQUIRE(first.blocks.size() == 2);
  CHECK(first.blocks[0].offset_bytes == 0);
  CHECK(first.blocks[0].block == 1);
  CHECK(first.blocks[1].offset_bytes == 1024);
  CHECK(first.blocks[1].bytes == 1024);
  REQUIRE(first.gaps.size() == 2);
  CHECK(first.gaps[0].offset_bytes == 512);
  CHECK(first.gaps[0].bytes == 512);
  CHECK(first.gaps[1].offset_bytes == 2048);
  CHECK(map.segments[1].gaps.empty());
  CHECK(map.reserved_bytes == 12'288);
  CHECK(map.occupied_bytes == 512 + 1024 + 4096);
  CHECK(map.rounding_bytes == 24);
  CHECK(map.largest_free_bytes == 6144);
  CHECK(map.share_free == Approx(1.0 - 5632.0 / 12'288));
  CHECK(map.outside_bytes == 0);
}

TEST_CASE("Sizes that no memory has leave shares between none and all") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, std::numeric_limits<int64_t>::min());
  stream.Add(EventKind::kSegmentAllocate, 0x200000, 4096);
  events::Event& block = stream.Allocate(0x200000, std::numeric_limits<int64_t>::min());
  block.rounded_bytes = kMost;
  const MemoryMap map = MapOf(stream);
  CHECK(map.rounding_bytes >= 0);
  CHECK(map.occupied_bytes >= 0);
  CHECK(ExplainFreeMemory(map, ByteUnit::kMegabytes).find('-') == std::string::npos);
}

TEST_CASE("The map says in one line what it comes to") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 8192);
  stream.Allocate(0x100000, 512);
  CHECK(MapSummary(MapOf(stream), ByteUnit::kMegabytes) == "1 segment · 1 block · 94 % free");
  stream.Allocate(0x100000 + 1024, 1000);
  CHECK(MapOf(stream).pending_bytes == 0);
  stream.Add(EventKind::kFreeRequested, 0x100000, 512);
  CHECK(MapOf(stream).pending_bytes == 512);
  CHECK(MapSummary(MapOf(stream), ByteUnit::kMegabytes) ==
        "1 segment · 2 blocks · 81 % free · 24 B (1.6 %) rounding · 512 B wait to be freed");
  stream.Add(EventKind::kFreeCompleted, 0x100000, 512);
  CHECK(MapOf(stream).pending_bytes == 0);
}

TEST_CASE("Blocks outside of segments are summed, not drawn") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  CHECK(MapOf(stream).segments.empty());
  CHECK(MapOf(stream).outside_bytes == 512);
  CHECK(MapOf(stream).share_free == 0);
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 4096);
  stream.Allocate(0x900000, 1024);
  CHECK(MapOf(stream).outside_bytes == 1536);
  CHECK(MapOf(stream).largest_free_bytes == 4096);
  CHECK(WhyNoMap(MapOf(stream)).find("but not where") != std::string::npos);
  stream.Allocate(0x100000, 512);
  CHECK(WhyNoMap(MapOf(stream)).empty());
}

TEST_CASE("Blocks that overlap or overhang are cut to what fits") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 4096);
  stream.Allocate(0x100000, 2048);
  stream.Allocate(0x100000 + 1024, 2048);
  stream.Allocate(0x100000 + 1536, 512);
  stream.Allocate(0x100000 + 3584, 1 << 20);
  stream.Add(EventKind::kAllocate, 0x100000 + 4000, std::numeric_limits<int64_t>::max()).rounded_bytes =
      std::numeric_limits<int64_t>::max();
  const MemoryMap map = MapOf(stream);
  REQUIRE(map.segments.size() == 1);
  int64_t covered = 0;
  for (const MapBlock& block : map.segments[0].blocks) {
    CHECK(block.offset_bytes >= covered);
    covered = block.offset_bytes + block.bytes;
  }
  CHECK(covered <= 4096);
  CHECK(map.occupied_bytes == 3072 + 512);
  CHECK(map.largest_free_bytes == 512);
}

TEST_CASE("What a block that spans two segments was rounded by counts once") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentMap, 0x100000, 4096).pool = 1;
  stream.Add(EventKind::kSegmentMap, 0x101000, 4096);
  stream.Allocate(0x100000, 6000);
  const MemoryMap map = MapOf(stream);
  CHECK(map.segments.size() == 2);
  CHECK(map.occupied_bytes == 6144);
  CHECK(map.rounding_bytes == 144);
}

TEST_CASE("One gap of a map is its largest, of several that are as large the first") {
  timeline::Stream stream;
  for (const uint64_t segment : {0x100000, 0x200000, 0x300000}) {
    stream.Add(EventKind::kSegmentAllocate, segment, 4096);
    stream.Allocate(segment + 512, segment == 0x100000 ? 2048 : 512);
  }
  std::vector<int64_t> largest;
  for (const MapSegment& segment : MapOf(stream).segments) {
    for (const MapGap& gap : segment.gaps) {
      if (gap.is_largest) largest.push_back(segment.position_bytes + gap.offset_bytes);
    }
  }
  CHECK(largest == std::vector<int64_t>{4096 + 1024});
}

TEST_CASE("What private pools and other streams have free is told apart from what requests can have") {
  timeline::Stream stream;
  const auto add = [&stream](uint64_t address, int64_t bytes, uint8_t pool, uint64_t of_stream) {
    events::Event& segment = stream.Add(EventKind::kSegmentAllocate, address, bytes);
    segment.pool = pool;
    segment.stream = of_stream;
  };
  add(0x10000000, 20'000'000, 0, 0);
  stream.Allocate(0x10000000, 20'000'000).rounded_bytes = 20'000'000;
  add(0x20000000, 90'000'000, 1, 0);
  CHECK(ExplainFreeMemory(MapOf(stream), ByteUnit::kMegabytes) ==
        "90.0 MB of the 110.0 MB reserved are free, all of it in private pools (CUDA graphs have theirs), "
        "which PyTorch uses for nothing else. Any other request makes PyTorch reserve more from the card.");
  CHECK(MapOf(stream).largest_free_bytes == 0);
  CHECK(MapOf(stream).pool_bytes == 90'000'000);
  CHECK(MapSummary(MapOf(stream), ByteUnit::kMegabytes) ==
        "2 segments · 1 block · 82 % free · 90.0 MB in private pools (dashed)");
  CHECK(WhoseSegment(MapOf(stream), MapOf(stream).segments[0]).empty());
  CHECK(WhoseSegment(MapOf(stream), MapOf(stream).segments[1]) == "private pool 1");
  add(0x30000000, 12'000'000, 0, 0x5555);
  add(0x40000000, 10'000'000, 0, 0);
  const MemoryMap map = MapOf(stream);
  CHECK(
      ExplainFreeMemory(map, ByteUnit::kMegabytes) ==
      "112.0 MB of the 132.0 MB reserved are free, 90.0 MB of it in private pools (CUDA graphs have theirs) "
      "and 12.0 MB of it in memory of other streams, which PyTorch uses for nothing else. The rest is free, "
      "in one piece: a larger request makes PyTorch reserve more from the card.");
  CHECK(map.largest_free_bytes == 10'000'000);
  CHECK(map.segments[3].gaps[0].is_largest);
  CHECK(WhoseSegment(map, map.segments[0]) == "default stream");
  CHECK(WhoseSegment(map, map.segments[1]) == "private pool 1 · default stream");
  CHECK(WhoseSegment(map, map.segments[2]) == "stream 0x5555");
}

TEST_CASE("A graph's private pool and one that the program made are told apart") {
  timeline::Stream stream;
  const auto add = [&stream](uint64_t address, uint8_t pool, std::string_view name) {
    const events::NameId id = stream.Name(name);
    events::Event& segment = stream.Add(EventKind::kSegmentAllocate, address, 20'000'000);
    segment.pool = pool;
    segment.name = id;
  };
  add(0x10000000, 1, "private pool (0, 1)");
  CHECK(WhoseSegment(MapOf(stream), MapOf(stream).segments[0]) ==
        "private pool 1 (the program's: a torch.cuda.MemPool, or a handle for CUDA graphs)");
  CHECK(ExplainFreeMemory(MapOf(stream), ByteUnit::kMegabytes)
            .find("all of it in private pools that the program made (torch.cuda.MemPool, "
                  "torch.cuda.graph_pool_handle), which") != std::string::npos);
  add(0x20000000, 2, "private pool (1, 0)");
  CHECK(WhoseSegment(MapOf(stream), MapOf(stream).segments[1]) == "private pool 2 (a CUDA graph's)");
  CHECK(ExplainFreeMemory(MapOf(stream), ByteUnit::kMegabytes).find("(CUDA graphs have theirs)") !=
        std::string::npos);
}

TEST_CASE("What is free is put into words") {
  CHECK(ExplainFreeMemory({}, ByteUnit::kMegabytes).empty());
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 10'000'000);
  stream.Add(EventKind::kSegmentAllocate, 0x2000000, 20'000'000);
  CHECK(ExplainFreeMemory(MapOf(stream), ByteUnit::kMegabytes) ==
        "30.0 MB of the 30.0 MB reserved are free, in 2 pieces. The largest is 20.0 MB: a larger request "
        "would make PyTorch reserve more from the card, although more than that is free in all "
        "(fragmentation). Whether that cost this run memory, Findings tells.");
  stream.Allocate(0x100000, 10'000'000).rounded_bytes = 10'000'000;
  CHECK(ExplainFreeMemory(MapOf(stream), ByteUnit::kMegabytes).find("in one piece") != std::string::npos);
  stream.Allocate(0x2000000, 20'000'000).rounded_bytes = 20'000'000;
  CHECK(ExplainFreeMemory(MapOf(stream), ByteUnit::kMegabytes).find("Every reserved byte") == 0);
}

}  // namespace tidemark::presenters
