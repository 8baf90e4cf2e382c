// In which order a driver hands out addresses. PyTorch's allocator takes the lowest of equal free blocks, so
// the order shows in what it reserves, and (where a block is too little larger than what was asked for to be
// split, by up to 1 MiB) in what counts as allocated; never in what is requested. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

struct AddressOrder {
  enum class Kind : uint8_t {
    kFalling,  // as Linux drivers mostly do
    kRising,
    kScattered,  // anywhere; which addresses, `seed` decides
  };
  Kind kind = Kind::kFalling;
  uint64_t seed = 0;

  bool operator==(const AddressOrder&) const = default;
};

// "falling", "rising", "scattered-7".
std::string TextOf(const AddressOrder& order);
Result<AddressOrder> AddressOrderFromText(std::string_view text);

// Those between which what is reserved is expected: both directions, and some without any.
std::vector<AddressOrder> LikelyOrders();

}  // namespace tidemark::phantom
