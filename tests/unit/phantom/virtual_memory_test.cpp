// Addresses, physical memory and mappings, each with a life of its own; and the stream-ordered pool.
#include "profiler/phantom/device/virtual_memory.h"

#include <algorithm>
#include <random>
#include <vector>

#include "profiler/phantom/device/memory_pool.h"
#include "tests/support/catch.h"

namespace tidemark::phantom::device {
namespace {

constexpr int64_t kCardBytes = int64_t{1} << 30;
constexpr size_t kPieceUnit = size_t{1} << 20;

void* AddressAt(void* pointer, size_t bytes) { return static_cast<char*>(pointer) + bytes; }

TEST_CASE("Memory is taken when it is created and back when it is released and mapped nowhere") {
  Memory memory(kCardBytes, 0);
  VirtualMemory virtual_memory(memory);
  void* addresses = memory.ReserveAddresses(2 * kCardBytes, 0);  // more than there is memory
  REQUIRE(addresses != nullptr);
  CHECK(memory.free_bytes(0) == kCardBytes);
  CHECK_FALSE(memory.IsAllocated(addresses, 1));

  const std::optional<uint64_t> piece = virtual_memory.Create(20 * kPieceUnit, 0);
  REQUIRE(piece.has_value());
  CHECK(memory.free_bytes(0) == kCardBytes - 20 * kPieceUnit);
  REQUIRE(virtual_memory.Map(addresses, 20 * kPieceUnit, *piece));
  CHECK(memory.IsAllocated(addresses, 20 * kPieceUnit));
  CHECK_FALSE(memory.IsAllocated(addresses, 20 * kPieceUnit + 1));
  CHECK_FALSE(virtual_memory.Map(addresses, 20 * kPieceUnit, *piece));  // there is something there already

  REQUIRE(virtual_memory.Release(*piece));
  CHECK_FALSE(virtual_memory.Release(*piece));
  CHECK(memory.free_bytes(0) == kCardBytes - 20 * kPieceUnit);  // still mapped
  CHECK_FALSE(virtual_memory.Unmap(addresses, 10 * kPieceUnit));
  REQUIRE(virtual_memory.Unmap(addresses, 20 * kPieceUnit));
  CHECK(memory.free_bytes(0) == kCardBytes);
  CHECK_FALSE(memory.IsAllocated(addresses, 1));
  CHECK_FALSE(memory.Free(addresses).has_value());
  CHECK(memory.FreeAddresses(addresses));
  CHECK_FALSE(memory.FreeAddresses(addresses));
}

TEST_CASE("A piece is of the card that it was made on, wherever it is mapped") {
  Memory memory(kCardBytes, 0, {}, {}, 0, 2);
  VirtualMemory virtual_memory(memory);
  const std::optional<uint64_t> piece = virtual_memory.Create(4 * kPieceUnit, 1);
  REQUIRE(piece.has_value());
  void* addresses = memory.ReserveAddresses(4 * kPieceUnit, 0);
  REQUIRE(virtual_memory.Map(addresses, 4 * kPieceUnit, *piece));
  CHECK(memory.free_bytes(0) == kCardBytes);
  CHECK(memory.free_bytes(1) == kCardBytes - 4 * kPieceUnit);
  REQUIRE(virtual_memory.Release(*piece));
  REQUIRE(virtual_memory.Unmap(addresses, 4 * kPieceUnit));
  CHECK(memory.free_bytes(1) == kCardBytes);
}

TEST_CASE("What does not fit or does not belong there is refused") {
  Memory memory(kCardBytes, 0);
  VirtualMemory virtual_memory(memory);
  CHECK_FALSE(virtual_memory.Create(2 * kCardBytes, 0).has_value());
  const std::optional<uint64_t> piece = virtual_memory.Create(4 * kPieceUnit, 0);
  void* addresses = memory.ReserveAddresses(8 * kPieceUnit, 0);
  CHECK_FALSE(
      virtual_memory.Map(AddressAt(addresses, 6 * kPieceUnit), 4 * kPieceUnit, *piece));  // past their end
  CHECK_FALSE(virtual_memory.Map(addresses, 4 * kPieceUnit, *piece + 1));
  void* block = memory.Allocate(4 * kPieceUnit, 0);
  CHECK_FALSE(virtual_memory.Map(block, 4 * kPieceUnit, *piece));
  CHECK_FALSE(virtual_memory.Unmap(addresses, 8 * kPieceUnit));
  CHECK_FALSE(memory.FreeAddresses(block));
}

TEST_CASE("Ordinary allocations and reserved addresses keep out of each other's way") {
  Memory memory(kCardBytes, 0);
  std::vector<std::pair<uintptr_t, size_t>> ranges;
  for (int i = 0; i < 6; ++i) {
    ranges.emplace_back(reinterpret_cast<uintptr_t>(memory.ReserveAddresses(kCardBytes, 0)), kCardBytes);
    ranges.emplace_back(reinterpret_cast<uintptr_t>(memory.Allocate(100 * kPieceUnit, 0)), 100 * kPieceUnit);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 0; i + 1 < ranges.size(); ++i)
    CHECK(ranges[i].first + ranges[i].second <= ranges[i + 1].first);
  CHECK(ranges.front().first != 0);
}

TEST_CASE("Sixty-four expandable segments have room beside each other, in any order of addresses") {
  constexpr int64_t kH200Bytes = 150'754'820'096;
  constexpr size_t kSegmentBytes = size_t{kH200Bytes} / 8 * 9 / kGranuleBytes * kGranuleBytes;
  for (const AddressOrder& order : LikelyOrders()) {
    CAPTURE(TextOf(order));
    Memory memory(kH200Bytes, 0, {}, order);
    std::vector<uintptr_t> starts;
    for (int i = 0; i < 64; ++i) {
      REQUIRE(memory.Allocate(20 * kMebibyte, 0) != nullptr);
      void* segment = memory.ReserveAddresses(kSegmentBytes, 0);
      REQUIRE(segment != nullptr);
      CHECK(memory.IsDevice(Plus(segment, kSegmentBytes - 1)));
      starts.push_back(reinterpret_cast<uintptr_t>(segment));
    }
    std::sort(starts.begin(), starts.end());
    for (size_t i = 1; i < starts.size(); ++i) CHECK(starts[i] - starts[i - 1] >= kSegmentBytes);
    for (int i = 0; i < 200; ++i) {  // and theirs can be had again
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      REQUIRE(memory.FreeAddresses(reinterpret_cast<void*>(starts[static_cast<size_t>(i) % 64])));
      void* again = memory.ReserveAddresses(kSegmentBytes, 0);
      REQUIRE(again != nullptr);
      starts[static_cast<size_t>(i) % 64] = reinterpret_cast<uintptr_t>(again);
    }
    CHECK(memory.ReserveAddresses(SIZE_MAX, 0) == nullptr);
    CHECK(memory.ReserveAddresses(size_t{1} << 60, 0) == nullptr);
  }
}

TEST_CASE("A pool takes memory in steps, uses it again and gives it back when it is trimmed") {
  Memory memory(kCardBytes, 0);
  MemoryPool pool(memory, 0);
  void* first = pool.Allocate(1000);
  REQUIRE(first != nullptr);
  CHECK(pool.use().used_bytes == 1024);
  CHECK(pool.use().reserved_bytes == 32 * kPieceUnit);
  CHECK(memory.free_bytes(0) == kCardBytes - 32 * kPieceUnit);
  CHECK_FALSE(pool.Free(AddressAt(first, 512)).has_value());
  CHECK(pool.Free(first) == 1000);
  CHECK_FALSE(pool.Free(first).has_value());
  CHECK(pool.Allocate(30 * kPieceUnit) == first);
  CHECK(pool.use().reserved_bytes == 32 * kPieceUnit);
  CHECK(pool.Allocate(2 * kCardBytes) == nullptr);
  pool.TrimTo(0);
  CHECK(pool.use().reserved_bytes == 32 * kPieceUnit);  // it is used
  pool.Free(first);
  pool.TrimTo(0);
  CHECK(pool.use().reserved_bytes == 0);
  CHECK(memory.free_bytes(0) == kCardBytes);
  CHECK(pool.use().used_peak_bytes == 30 * kPieceUnit);
  pool.ResetPeaks();
  CHECK(pool.use().used_peak_bytes == 0);
}

TEST_CASE("A pool that is trimmed keeps at least what it is to keep") {
  Memory memory(kCardBytes, 0);
  MemoryPool pool(memory, 0);
  void* blocks[3] = {};
  for (void*& block : blocks) block = pool.Allocate(32 * kMebibyte);
  CHECK(pool.Contains(Plus(blocks[1], 100)));
  for (void* block : blocks) REQUIRE(pool.Free(block).has_value());
  CHECK(pool.Contains(blocks[1]));
  pool.TrimTo(50 * kMebibyte);
  CHECK(pool.use().reserved_bytes == 64 * kMebibyte);
  pool.TrimTo(32 * kMebibyte);
  CHECK(pool.use().reserved_bytes == 32 * kMebibyte);
  pool.TrimTo(1);
  CHECK(pool.use().reserved_bytes == 32 * kMebibyte);
  pool.TrimTo(0);
  CHECK(pool.use().reserved_bytes == 0);
  CHECK_FALSE(pool.Contains(blocks[0]));
}

TEST_CASE("Blocks of a pool never overlap, whatever comes and goes") {
  Memory memory(kCardBytes, 0);
  MemoryPool pool(memory, 0);
  std::mt19937 random(7);
  std::vector<std::pair<uintptr_t, size_t>> live;
  size_t used = 0;
  for (int i = 0; i < 5000; ++i) {
    if (live.size() > 50 || (!live.empty() && random() % 3 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      REQUIRE(pool.Free(reinterpret_cast<void*>(live.back().first)) == live.back().second);
      used -= (live.back().second + 511) / 512 * 512;
      live.pop_back();
    } else {
      const size_t bytes = 1 + random() % (4 * kPieceUnit);
      const auto address = reinterpret_cast<uintptr_t>(pool.Allocate(bytes));
      REQUIRE(address != 0);
      for (const auto& [other, other_bytes] : live) {
        REQUIRE((address + bytes <= other || other + other_bytes <= address));
      }
      live.emplace_back(address, bytes);
      used += (bytes + 511) / 512 * 512;
    }
    REQUIRE(pool.use().used_bytes == used);
  }
}

}  // namespace
}  // namespace tidemark::phantom::device
