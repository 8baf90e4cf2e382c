#include "profiler/trace/importers/block_sizes.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

namespace tidemark::trace {
namespace {

// c10/core/AllocatorConfig.h and CUDACachingAllocator.cpp, PyTorch 2.11.
constexpr int64_t kMinBlockBytes = 512;
constexpr int64_t kSmallBytes = 1 << 20;
constexpr int kFirstDivision = 20;  // 1 MiB

constexpr int64_t kLargestBytes = std::numeric_limits<int64_t>::max() / 4;

}  // namespace

int64_t BlockSizes::Rounded(int64_t requested_bytes) const {
  const int64_t bytes = std::clamp<int64_t>(requested_bytes, 0, kLargestBytes);
  if (bytes < kMinBlockBytes) return kMinBlockBytes;
  const auto power = static_cast<int>(std::bit_width(static_cast<uint64_t>(bytes))) - 1;
  const auto last = static_cast<int>(rules_.roundup_power2_divisions.size()) - 1;
  const int64_t divisions =
      rules_.roundup_power2_divisions[static_cast<size_t>(std::clamp(power - kFirstDivision, 0, last))];
  if (divisions <= 1 || divisions > kSmallBytes || bytes <= kMinBlockBytes * divisions) {
    return (bytes + kMinBlockBytes - 1) / kMinBlockBytes * kMinBlockBytes;
  }
  if (std::has_single_bit(static_cast<uint64_t>(bytes))) return bytes;
  const int64_t floor = int64_t{1} << power;
  const int64_t division = floor >> (std::bit_width(static_cast<uint64_t>(divisions)) - 1);
  if (division == 0) return floor << 1;
  const int64_t below = bytes & ~(division - 1);
  return below == bytes ? bytes : below + division;
}

bool BlockSizes::Splits(const Block& block, int64_t rounded_bytes) const {
  const int64_t rest = block.bytes - rounded_bytes;
  if (rounded_bytes <= kSmallBytes || block.expandable) return rest >= kMinBlockBytes;
  const bool may_split = rules_.max_split_bytes < 0 || rounded_bytes < rules_.max_split_bytes;
  return may_split && rest > kSmallBytes;
}

// Free blocks of one segment are one block.
void BlockSizes::JoinNext(Blocks::iterator block) {
  const auto next = std::next(block);
  if (next == blocks_.end() || !block->second.free || !next->second.free) return;
  if (next->second.segment != block->second.segment) return;
  if (block->first + static_cast<uint64_t>(block->second.bytes) != next->first) return;
  block->second.bytes += next->second.bytes;
  blocks_.erase(next);
}

void BlockSizes::Reserve(uint64_t address, int64_t bytes, bool expandable) {
  if (bytes <= 0 || bytes > kLargestBytes || address > static_cast<uint64_t>(kLargestBytes)) return;
  Release(address, bytes);
  uint32_t segment = ++last_segment_;
  const auto after = blocks_.lower_bound(address);
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  if (expandable && after != blocks_.end() && after->first == end && after->second.expandable) {
    segment = after->second.segment;
  }
  if (expandable && after != blocks_.begin()) {
    const auto before = std::prev(after);
    const bool touches = before->first + static_cast<uint64_t>(before->second.bytes) == address;
    if (touches && before->second.expandable) segment = before->second.segment;
  }
  const auto block = blocks_.insert_or_assign(address, Block{bytes, segment, true, expandable}).first;
  JoinNext(block);
  if (block != blocks_.begin()) JoinNext(std::prev(block));
}

void BlockSizes::Release(uint64_t address, int64_t bytes) {
  if (bytes <= 0 || bytes > kLargestBytes || address > static_cast<uint64_t>(kLargestBytes)) return;
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  auto block = blocks_.lower_bound(address);
  if (block != blocks_.begin()) {
    const auto before = std::prev(block);
    const uint64_t before_end = before->first + static_cast<uint64_t>(before->second.bytes);
    if (before_end > end)
      blocks_.emplace(end, Block(before->second)).first->second.bytes =
          static_cast<int64_t>(before_end - end);
    if (before_end > address) before->second.bytes = static_cast<int64_t>(address - before->first);
  }
  while (block != blocks_.end() && block->first < end) {
    const uint64_t block_end = block->first + static_cast<uint64_t>(block->second.bytes);
    Block rest = block->second;
    block = blocks_.erase(block);
    if (block_end <= end) continue;
    rest.bytes = static_cast<int64_t>(block_end - end);
    blocks_.emplace(end, rest);
    return;
  }
}

// The free block that begins at the address; one that holds it is cut there. end() if `bytes` are not free.
BlockSizes::Blocks::iterator BlockSizes::FreeBlockAt(uint64_t address, int64_t bytes) {
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return blocks_.end();
  --block;
  const auto before = static_cast<int64_t>(address - block->first);
  if (!block->second.free || before < 0 || before > block->second.bytes - bytes) return blocks_.end();
  if (before == 0) return block;
  Block rest = block->second;
  rest.bytes -= before;
  block->second.bytes = before;
  return blocks_.emplace(address, rest).first;
}

int64_t BlockSizes::Take(uint64_t address, int64_t requested_bytes) {
  const int64_t rounded = Rounded(requested_bytes);
  const auto block = FreeBlockAt(address, rounded);
  if (block == blocks_.end()) return rounded;
  if (!Splits(block->second, rounded)) {
    block->second.free = false;
    return block->second.bytes;
  }
  TakeExactly(address, rounded);
  return rounded;
}

void BlockSizes::TakeExactly(uint64_t address, int64_t bytes) {
  if (bytes <= 0 || bytes > kLargestBytes) return;
  const auto block = FreeBlockAt(address, bytes);
  if (block == blocks_.end()) return;
  Block rest = block->second;
  rest.bytes -= bytes;
  block->second.bytes = bytes;
  block->second.free = false;
  if (rest.bytes > 0) blocks_.emplace(address + static_cast<uint64_t>(bytes), rest);
}

void BlockSizes::Free(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || block->second.free) return;
  block->second.free = true;
  JoinNext(block);
  if (block != blocks_.begin()) JoinNext(std::prev(block));
}

}  // namespace tidemark::trace
