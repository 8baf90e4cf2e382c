// Which private pools of PyTorch's allocator split nothing (torch.cuda.MemPool(no_split=True)). PyTorch tells
// it to nobody; it is known of a pool where it made a difference. Not thread safe; O(log pools) an event.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "profiler/events/event.h"

namespace tidemark::session {

// Its device and its number (events::Event::pool, never 0).
using PrivatePool = std::pair<uint64_t, uint64_t>;

class WholePools {
 public:
  void Take(const events::Event& event);
  bool Has(const PrivatePool& pool) const { return pools_.contains(pool); }

 private:
  std::set<PrivatePool> pools_;
};

}  // namespace tidemark::session
