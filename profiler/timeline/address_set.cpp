#include "profiler/timeline/address_set.h"

#include <utility>

namespace tidemark::timeline {

void AddressSet::Add(uint64_t address) {
  if (address == kFree) {
    holds_free_ = true;
    return;
  }
  const size_t place = PlaceOf(address);
  if (places_[place] == address) return;
  places_[place] = address;
  if (2 * ++size_ >= places_.size()) Grow();
}

void AddressSet::Grow() {
  const std::vector<uint64_t> old = std::exchange(places_, std::vector<uint64_t>(places_.size() * 2, kFree));
  for (const uint64_t address : old) {
    if (address != kFree) places_[PlaceOf(address)] = address;
  }
}

}  // namespace tidemark::timeline
