#include "profiler/capture/cupti/driver_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::capture::cupti {

void DriverMemory::Change(int64_t bytes, uint64_t address) {
  if (bytes == 0) return;
  live_bytes_ += bytes;
  listener_(live_bytes_, bytes, address);
}

void DriverMemory::Allocated(uint64_t address, uint64_t bytes, const void* context) {
  const MutexLock lock(mutex_);
  if (address == 0 || is_over_) return;
  const auto [block, is_new] = blocks_.try_emplace(address, Block{bytes, context, false});
  if (!is_new && !block->second.leaves) return;  // told twice
  if (!is_new) Change(-static_cast<int64_t>(block->second.bytes), address);
  block->second = {bytes, context, false};
  ++allocations_;
  Change(static_cast<int64_t>(bytes), address);
}

void DriverMemory::Freed(uint64_t address) {
  const MutexLock lock(mutex_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || !block->second.leaves) return;
  const auto bytes = static_cast<int64_t>(block->second.bytes);
  blocks_.erase(block);
  Change(-bytes, address);
}

void DriverMemory::Leaves(uint64_t address) { SetLeaves(address, true); }
void DriverMemory::Stays(uint64_t address) { SetLeaves(address, false); }

void DriverMemory::SetLeaves(uint64_t address, bool leaves) {
  const MutexLock lock(mutex_);
  if (const auto block = blocks_.find(address); block != blocks_.end()) block->second.leaves = leaves;
}

void DriverMemory::ContextGone(const void* context) {
  const MutexLock lock(mutex_);
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    if (block->second.context != context) {
      ++block;
      continue;
    }
    const auto [address, gone] = *block;
    block = blocks_.erase(block);
    Change(-static_cast<int64_t>(gone.bytes), address);
  }
}

std::vector<Region> DriverMemory::RegionsOf(const void* context) const {
  const MutexLock lock(mutex_);
  std::vector<Region> regions;
  for (const auto& [address, block] : blocks_) {
    if (block.context == context) regions.push_back({address, block.bytes});
  }
  return regions;
}

void DriverMemory::Created(uint64_t handle, uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (is_over_) return;
  const auto [known, is_new] = handles_.try_emplace(handle);
  if (!is_new && !known->second.leaves) return;  // told twice
  if (!is_new) LetGo(known->second.piece);
  known->second = {++pieces_so_far_, false};
  pieces_[pieces_so_far_] = {bytes, 1, false};
  Change(static_cast<int64_t>(bytes), 0);
}

void DriverMemory::HandleLeaves(uint64_t handle) { SetHandleLeaves(handle, true); }
void DriverMemory::HandleStays(uint64_t handle) { SetHandleLeaves(handle, false); }

void DriverMemory::SetHandleLeaves(uint64_t handle, bool leaves) {
  const MutexLock lock(mutex_);
  if (const auto known = handles_.find(handle); known != handles_.end()) known->second.leaves = leaves;
}

void DriverMemory::Released(uint64_t handle) {
  const MutexLock lock(mutex_);
  const auto known = handles_.find(handle);
  if (known == handles_.end() || !known->second.leaves) return;
  const uint64_t piece = known->second.piece;
  handles_.erase(known);
  LetGo(piece);
}

bool DriverMemory::Mapped(uint64_t address, uint64_t bytes, uint64_t handle) {
  const MutexLock lock(mutex_);
  const auto known = handles_.find(handle);
  if (known == handles_.end()) return false;
  const auto [mapping, is_new] = mappings_.try_emplace(address);
  if (!is_new && !mapping->second.leaves) return false;  // told twice
  if (!is_new) LetGo(mapping->second.piece);
  mapping->second = {bytes, known->second.piece, false};
  Piece& piece = pieces_[known->second.piece];
  ++piece.users;
  return !std::exchange(piece.was_mapped, true);
}

void DriverMemory::MappingsLeave(uint64_t address, uint64_t bytes) { SetMappingsLeave(address, bytes, true); }
void DriverMemory::MappingsStay(uint64_t address, uint64_t bytes) { SetMappingsLeave(address, bytes, false); }

void DriverMemory::SetMappingsLeave(uint64_t address, uint64_t bytes, bool leave) {
  const MutexLock lock(mutex_);
  auto mapping = mappings_.lower_bound(address);
  for (; mapping != mappings_.end() && mapping->first - address < bytes; ++mapping) {
    mapping->second.leaves = leave;
  }
}

void DriverMemory::Unmapped(uint64_t address, uint64_t bytes) {
  const MutexLock lock(mutex_);
  auto mapping = mappings_.lower_bound(address);
  while (mapping != mappings_.end() && mapping->first - address < bytes) {
    const auto next = std::next(mapping);
    if (mapping->second.leaves) {
      const uint64_t piece = mapping->second.piece;
      mappings_.erase(mapping);
      LetGo(piece);
    }
    mapping = next;
  }
}

void DriverMemory::PoolIs(uint64_t address, const PoolSize& size, uint64_t time_ns) {
  const MutexLock lock(mutex_);
  if (is_over_) return;
  Pool& known = pools_[address];
  if (known.is_elsewhere || time_ns < known.time_ns) return;
  const auto before = static_cast<int64_t>(known.size.reserved_bytes);
  known = {size, time_ns, false};
  Change(static_cast<int64_t>(size.reserved_bytes) - before, address);
}

bool DriverMemory::PoolsMayShrink() const {
  const MutexLock lock(mutex_);
  return std::ranges::any_of(
      pools_, [](const auto& pool) { return pool.second.size.reserved_bytes > pool.second.size.kept_bytes; });
}

void DriverMemory::PoolIsElsewhere(uint64_t address) {
  const MutexLock lock(mutex_);
  if (is_over_) return;
  Pool& known = pools_[address];
  const auto counted = static_cast<int64_t>(known.size.reserved_bytes);
  known = {{}, 0, true};
  Change(-counted, address);
}

void DriverMemory::CountNoMore() {
  const MutexLock lock(mutex_);
  is_over_ = true;
  blocks_.clear();
  pieces_.clear();
  handles_.clear();
  mappings_.clear();
  pools_.clear();
  Change(-live_bytes_, 0);
}

std::vector<Region> DriverMemory::RegionsIn(uint64_t address, uint64_t bytes) const {
  const MutexLock lock(mutex_);
  std::vector<Region> regions;
  const auto add_from = [&](const auto& map, auto size_of) {
    auto next = map.upper_bound(address);
    if (next != map.begin()) --next;
    for (; next != map.end() && (next->first < address || next->first - address < bytes); ++next) {
      const uint64_t size = size_of(next->second);
      if (next->first >= address || address - next->first < size) regions.push_back({next->first, size});
    }
  };
  add_from(blocks_, [](const Block& block) { return block.bytes; });
  add_from(mappings_, [](const Mapping& mapping) { return mapping.bytes; });
  return regions;
}

int64_t DriverMemory::live_bytes() const {
  const MutexLock lock(mutex_);
  return live_bytes_;
}

uint64_t DriverMemory::allocations() const {
  const MutexLock lock(mutex_);
  return allocations_;
}

// One user less.
void DriverMemory::LetGo(uint64_t piece) {
  const auto known = pieces_.find(piece);
  if (known == pieces_.end() || --known->second.users > 0) return;
  const auto bytes = static_cast<int64_t>(known->second.bytes);
  pieces_.erase(known);
  Change(-bytes, 0);
}

}  // namespace tidemark::capture::cupti
