// What lies where in the segments of a state, and which requests can have what is free there: PyTorch's
// allocator serves a request from free blocks of its own card, stream, private pool and size class only
// (c10/cuda/CUDACachingAllocator.cpp: get_pool, get_free_block). Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

struct FreeList {
  uint64_t stream = 0;
  uint8_t device = 0;
  uint8_t pool = 0;       // private; 0 = none, or not told
  bool is_small = false;  // of requests of kLargestSmallRequest at most
  events::PoolOwner pool_owner = events::PoolOwner::kNotTold;
};
// CUDACachingAllocator.h: kSmallSize, kSmallBuffer.
inline constexpr int64_t kLargestSmallRequest = int64_t{1} << 20;
inline constexpr int64_t kSmallSegment = int64_t{2} << 20;

struct Piece {
  int64_t offset_bytes = 0;  // in its segment
  int64_t bytes = 0;
  std::optional<size_t>
      block;  // index into State::blocks, of one that spans two segments in both; none = free
};

struct LaidOutSegment {
  FreeList list;
  int64_t bytes = 0;
  int64_t free_bytes = 0;
  std::vector<Piece> pieces;  // by address, without overlap; blocks that wait to be freed are there, too
};

struct Layout {
  std::vector<LaidOutSegment> segments;  // as State::segments
  std::vector<size_t> outside;           // blocks that lie in no segment: indices into State::blocks
};
// O((segments + blocks) · log).
Layout LayOut(const State& state);

// What keeps free memory from a request.
enum class Barrier : uint8_t {
  kHeldBack,  // a segment without a block, which PyTorch gives back to the card before it fails; but not
              // while a CUDA graph is captured or a torch.cuda.MemPool is in use
  kSize,      // in segments for small requests, of a large one; a small one is short of what lies in gaps of
              // other segments by fragmentation: without the blocks there PyTorch would have given them back
  kStream,
  kPool,  // a private one; of a request in one, all other memory
};
inline constexpr int kBarrierCount = 4;
struct BarredBytes : std::array<int64_t, kBarrierCount> {
  // Of all pools whose free memory is behind kPool; not told where they are several's.
  events::PoolOwner owner_of_pools = events::PoolOwner::kNotTold;

  bool operator==(const BarredBytes&) const = default;
  using std::array<int64_t, kBarrierCount>::operator[];
  int64_t& operator[](Barrier barrier) { return (*this)[static_cast<size_t>(barrier)]; }
  int64_t operator[](Barrier barrier) const { return (*this)[static_cast<size_t>(barrier)]; }
};

// How much of what is free on its card a request could not have. Nothing where blocks lie outside of
// segments: then nobody told what lies where.
BarredBytes BarredFrom(const FreeList& request, const Layout& layout);

// By segment, what keeps its free memory from requests outside of private pools on the usual stream, which
// has the most blocks of each card's; none = they can have it.
using Barriers = std::vector<std::optional<Barrier>>;
Barriers BarriersToUsual(const Layout& layout);
// How much is free behind these.
BarredBytes BarredBy(const Barriers& barriers, const Layout& layout);

// One past the last event from `first` on up to which no less is reserved than there. O(log²) in a view's
// chunks.
EventIndex EndWhileReserved(const View& view, EventIndex first);

// What private pools hold, of one owner or of all.
struct PoolBytes {
  int64_t bytes = 0;
  int64_t free_bytes = 0;
  size_t pools = 0;
};
PoolBytes BytesOfPools(const Layout& layout, std::optional<events::PoolOwner> owner = {});
// "private pools (CUDA graphs have theirs)"
std::string_view PoolsInWords(events::PoolOwner owner);

}  // namespace tidemark::timeline
