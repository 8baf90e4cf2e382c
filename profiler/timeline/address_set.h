// A set of addresses: open addressing, a power of two of places, at most half taken. Not thread safe. Add and
// Contains O(1) expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::timeline {

// MurmurHash3's finalizer: allocators' addresses differ in their middle bits only.
inline uint64_t HashOfAddress(uint64_t address) {
  uint64_t hash = address;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53ULL;
  hash ^= hash >> 33;
  return hash;
}

class AddressSet {
 public:
  void Add(uint64_t address);
  bool Contains(uint64_t address) const {
    return address == kFree ? holds_free_ : places_[PlaceOf(address)] == address;
  }

 private:
  static constexpr uint64_t kFree = 0;  // of a place; itself a member by holds_free_

  size_t PlaceOf(uint64_t address) const {  // where it is, or the free place where it would go
    size_t place = HashOfAddress(address) & (places_.size() - 1);
    while (places_[place] != kFree && places_[place] != address) place = (place + 1) & (places_.size() - 1);
    return place;
  }
  void Grow();

  std::vector<uint64_t> places_ = std::vector<uint64_t>(64, kFree);
  size_t size_ = 0;
  bool holds_free_ = false;
};

}  // namespace tidemark::timeline
