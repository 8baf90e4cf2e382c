// What a program asked PyTorch's CUDA allocator for, in order: the file that the replayer reads is an array
// of these. Plain data of one machine, never kept. And how the replayer's answers begin, each a line.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tidemark::phantom {

// Before the JSON; what is loaded into the replayer may print lines of its own.
inline constexpr std::string_view kAnswerPrefix = "tidemark-replayer: ";

struct Request {
  enum class Kind : uint64_t {
    kAllocate,     // `bytes` as requested
    kTry,          // the same, but it is given back at once: it had failed
    kFree,         // the block of the latest kAllocate with this `block`
    kEmptyCache,   // torch.cuda.empty_cache()
    kReleasePool,  // nobody allocates from `pool` any more: what it has cached can be freed
    kCountHence,   // what was before only made the state that it begins with: no peak, failure or curve of it
  };
  Kind kind = Kind::kAllocate;
  uint64_t block = 0;  // its address in the program that asked
  int64_t bytes = 0;
  uint64_t stream = 0;
  uint64_t pool = 0;           // a private one's number (events::Event::pool); 0 = none
  uint64_t device = 0;         // of a kFree, its block's; of what is of all devices, 0
  uint64_t pool_is_whole = 0;  // 1 = what `pool` has is not split: torch.cuda.MemPool(no_split=True)

  bool operator==(const Request&) const = default;
};
static_assert(std::is_trivially_copyable_v<Request>);

}  // namespace tidemark::phantom
