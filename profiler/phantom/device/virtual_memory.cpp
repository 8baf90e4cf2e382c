#include "profiler/phantom/device/virtual_memory.h"

#include <vector>

#include "profiler/phantom/device/outside_memory.h"

namespace tidemark::phantom::device {

std::optional<uint64_t> VirtualMemory::Create(size_t bytes, int card) {
  const MutexLock lock(mutex_);
  if (!memory_.TakePhysical(bytes, card)) return {};
  pieces_[++pieces_made_] = {bytes, card, 0, false};
  return pieces_made_;
}

bool VirtualMemory::Release(uint64_t piece) {
  const MutexLock lock(mutex_);
  const auto found = pieces_.find(piece);
  if (found == pieces_.end() || found->second.released) return false;
  found->second.released = true;
  GiveBackIfUnused(piece);
  return true;
}

bool VirtualMemory::Map(void* pointer, size_t bytes, uint64_t piece) {
  const MutexLock lock(mutex_);
  const auto found = pieces_.find(piece);
  if (found == pieces_.end() || found->second.bytes < bytes) return false;
  if (!memory_.MapReserved(pointer, bytes)) return false;
  ++found->second.mappings;
  mappings_[reinterpret_cast<uintptr_t>(pointer)] = {bytes, piece};
  return true;
}

bool VirtualMemory::Unmap(void* pointer, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(pointer);
  const MutexLock lock(mutex_);
  std::vector<uintptr_t> inside;
  for (auto mapping = mappings_.lower_bound(begin);
       mapping != mappings_.end() && mapping->first < begin + bytes; ++mapping) {
    if (mapping->first + mapping->second.bytes > begin + bytes) return false;
    inside.push_back(mapping->first);
  }
  if (inside.empty()) return false;
  for (const uintptr_t address : inside) {
    const Mapping mapping = mappings_[address];
    mappings_.erase(address);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
    memory_.UnmapReserved(reinterpret_cast<void*>(address), mapping.bytes);
    --pieces_[mapping.piece].mappings;
    GiveBackIfUnused(mapping.piece);
  }
  return true;
}

void VirtualMemory::GiveBackIfUnused(uint64_t piece) {
  const Piece& it = pieces_[piece];
  if (!it.released || it.mappings > 0) return;
  memory_.GivePhysicalBack(it.bytes, it.card);
  pieces_.erase(piece);
  NoteGivenBack(piece);
}

}  // namespace tidemark::phantom::device
