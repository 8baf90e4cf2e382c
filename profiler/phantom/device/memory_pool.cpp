#include "profiler/phantom/device/memory_pool.h"

#include <algorithm>
#include <iterator>

#include "profiler/base/pool_blocks.h"
#include "profiler/phantom/device/rounding.h"

namespace tidemark::phantom::device {
namespace {

constexpr size_t kPieceBytes = size_t{32} << 20;

}  // namespace

void* MemoryPool::Allocate(size_t bytes) {
  const size_t rounded = RoundUp(bytes, kPoolBlockUnitBytes);
  const MutexLock lock(mutex_);
  auto block = FindFree(rounded);
  if (block == blocks_.end()) block = Grow(rounded);
  if (block == blocks_.end()) return nullptr;
  if (block->second.bytes > rounded) {
    blocks_[block->first + rounded] = {block->second.bytes - rounded, 0, block->second.piece, true};
  }
  block->second = {rounded, bytes, block->second.piece, false};
  use_.used_bytes += rounded;
  use_.used_peak_bytes = std::max(use_.used_peak_bytes, use_.used_bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
  return reinterpret_cast<void*>(block->first);
}

MemoryPool::Blocks::iterator MemoryPool::FindFree(size_t bytes) {
  return std::find_if(blocks_.begin(), blocks_.end(), [bytes](const auto& entry) {
    return entry.second.free && entry.second.bytes >= bytes;
  });
}

MemoryPool::Blocks::iterator MemoryPool::Grow(size_t bytes) {
  const size_t piece_bytes = RoundUp(bytes, kPieceBytes);
  const auto piece = reinterpret_cast<uintptr_t>(memory_.Allocate(piece_bytes, card_));
  if (piece == 0) return blocks_.end();
  pieces_[piece] = piece_bytes;
  use_.reserved_bytes += piece_bytes;
  use_.reserved_peak_bytes = std::max(use_.reserved_peak_bytes, use_.reserved_bytes);
  return blocks_.emplace(piece, Block{piece_bytes, 0, piece, true}).first;
}

std::optional<size_t> MemoryPool::Free(void* pointer) {
  const MutexLock lock(mutex_);
  const auto block = blocks_.find(reinterpret_cast<uintptr_t>(pointer));
  if (block == blocks_.end() || block->second.free) return {};
  const size_t asked_bytes = block->second.asked_bytes;
  use_.used_bytes -= block->second.bytes;
  block->second.free = true;
  MergeWithNext(block);
  if (block != blocks_.begin()) MergeWithNext(std::prev(block));
  return asked_bytes;
}

void MemoryPool::MergeWithNext(Blocks::iterator block) {
  const auto next = std::next(block);
  if (next == blocks_.end() || !block->second.free || !next->second.free) return;
  if (block->second.piece != next->second.piece) return;
  block->second.bytes += next->second.bytes;
  blocks_.erase(next);
}

bool MemoryPool::Contains(const void* pointer) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const MutexLock lock(mutex_);
  const auto next = pieces_.upper_bound(address);
  return next != pieces_.begin() && address - std::prev(next)->first < std::prev(next)->second;
}

void MemoryPool::TrimTo(size_t kept_bytes) {
  const MutexLock lock(mutex_);
  for (auto piece = pieces_.begin(); piece != pieces_.end() && use_.reserved_bytes > kept_bytes;) {
    const auto block = blocks_.find(piece->first);
    const bool is_free = block->second.free && block->second.bytes == piece->second;
    if (!is_free || use_.reserved_bytes - piece->second < kept_bytes) {
      ++piece;
      continue;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
    memory_.Free(reinterpret_cast<void*>(piece->first));
    use_.reserved_bytes -= piece->second;
    blocks_.erase(block);
    piece = pieces_.erase(piece);
  }
}

MemoryPool::Use MemoryPool::use() const {
  const MutexLock lock(mutex_);
  return use_;
}

void MemoryPool::ResetPeaks() {
  const MutexLock lock(mutex_);
  use_.reserved_peak_bytes = use_.reserved_bytes;
  use_.used_peak_bytes = use_.used_bytes;
}

}  // namespace tidemark::phantom::device
