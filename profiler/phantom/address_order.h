// In which order a driver hands out addresses. PyTorch's allocator, until 2.11, takes the lowest of equal
// free blocks, so the order shows in what it reserves, and (where a block is too little larger than what was
// asked for to be split, by up to 1 MiB) in what counts as allocated; never in what is requested. Pure
// functions.
//
// Both systems' rules are read off the addresses in memory histories of PyTorch that others published: 215 of
// native Linux with 24,000 segments that came and went, 30 of WSL2 and Windows; that of driver 580 off the
// recordings of an H200 (tests/gpu/fixtures/h200/recordings).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

struct AddressOrder {
  enum class Kind : uint8_t {
    kLinux,      // pieces of 32 MiB and multiples, each below the last; in a piece addresses rise
    kLinux580,   // the same, and what the driver holds until the first kernel leaves a piece with room
    kWsl,        // the lowest place that is large enough; Windows, too
    kScattered,  // anywhere; which addresses, `seed` decides
  };
  Kind kind = Kind::kLinux;
  uint64_t seed = 0;

  bool operator==(const AddressOrder&) const = default;
};

// "linux", "linux-580", "wsl", "scattered-7".
std::string TextOf(const AddressOrder& order);
Result<AddressOrder> AddressOrderFromText(std::string_view text);

// Those between which what is reserved is expected: the systems', and some without any order.
std::vector<AddressOrder> LikelyOrders();

}  // namespace tidemark::phantom
