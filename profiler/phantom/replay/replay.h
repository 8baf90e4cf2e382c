// The same requests once more, to PyTorch's own allocator on a phantom that differs from the first in the
// order of its addresses: between which figures what is reserved and allocated may lie. Any thread; in a
// process of its own, some 20 ms, and for each order some 2 ms and 0.1 us for each request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/phantom/address_order.h"
#include "profiler/phantom/replay/request.h"

namespace tidemark::phantom {

struct Replayer {
  std::filesystem::path executable;      // built for the torch whose allocator it is
  std::vector<std::string> environment;  // "NAME=value", what puts it on the phantom
};

// The highest among some requests that follow each other.
struct ReplayColumn {
  int64_t allocated_bytes = 0;
  int64_t reserved_bytes = 0;
  int64_t failures = 0;
  bool operator==(const ReplayColumn&) const = default;
};

// Of several devices together, each with a card's memory of its own.
struct Replayed {
  int64_t allocated_peak_bytes = 0;
  int64_t reserved_peak_bytes = 0;
  int64_t fullest_reserved_bytes = 0;  // on any one device
  int64_t retries = 0;                 // how often the allocator freed its cache since the card was full
  int64_t failures = 0;
  std::vector<ReplayColumn> curve;  // equal numbers of requests each; empty unless asked for
};

// One for each order, in their order. `columns`: how many its curve may have; each request then takes another
// 0.3 us. `progress` is asked several times a second; false from it ends the replay, which is an error.
Result<std::vector<Replayed>> Replay(const Replayer& replayer, const std::vector<Request>& requests,
                                     const std::vector<AddressOrder>& orders, size_t columns = 0,
                                     const Progress& progress = {});

struct AllocatedBand {
  int64_t least_bytes = 0;
  int64_t most_bytes = 0;
  bool is_moved() const { return least_bytes < most_bytes; }
};

struct ReservedBand {
  int64_t least_bytes = 0;
  int64_t most_bytes = 0;
  bool empties_cache = false;  // in some order the card was full, and PyTorch freed what it had cached
  // A free block that is at most 1 MiB larger than what is asked for is taken whole, so which of them is
  // taken decides this, too (should_split, CUDACachingAllocator.cpp).
  AllocatedBand allocated = {};
  bool is_moved() const { return least_bytes < most_bytes; }
};

// Over the likely orders. Fails with a sentence where replaying in the order that the program had does not
// give the peaks that it had: then it did what requests do not hold (CUDA graphs, say).
Result<ReservedBand> BandOfReserved(const Replayer& replayer, const std::vector<Request>& requests,
                                    const Replayed& as_it_was, const AddressOrder& own_order = {},
                                    const Progress& progress = {});

}  // namespace tidemark::phantom
