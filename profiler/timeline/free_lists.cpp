#include "profiler/timeline/free_lists.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "profiler/base/saturating.h"
#include "profiler/timeline/segments.h"

namespace tidemark::timeline {
namespace {

std::vector<size_t> ByAddress(const std::vector<LiveBlock>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return blocks[a].address < blocks[b].address; });
  return order;
}

// A segment's blocks are of its stream and pool: they tell where its own event did not, and they alone tell
// of what sizes an expandable one is.
FreeList ListOf(const Segment& segment, const LiveBlock* block) {
  FreeList list{segment.stream, segment.device, segment.pool, segment.bytes <= kSmallSegment,
                segment.pool_owner};
  if (block == nullptr) return list;
  if (list.stream == 0) list.stream = block->stream;
  if (list.pool == 0) list.pool = block->pool;
  list.is_small = block->rounded_bytes <= kLargestSmallRequest;
  return list;
}

class Layer {
 public:
  explicit Layer(const State& state) : state_(state), order_(ByAddress(state.blocks)) {}

  Layout LayOut() {
    layout_.segments.reserve(state_.segments.size());
    for (const Segment& segment : state_.segments) Place(segment);
    layout_.outside.insert(layout_.outside.end(), order_.begin() + static_cast<std::ptrdiff_t>(next_),
                           order_.end());
    return std::move(layout_);
  }

 private:
  const LiveBlock& Next() const { return state_.blocks[order_[next_]]; }
  bool IsNextBefore(uint64_t address) const { return next_ < order_.size() && Next().address < address; }

  uint64_t BlockEnd(size_t block) const {
    return EndOf(state_.blocks[block].address, state_.blocks[block].rounded_bytes);
  }
  // Pieces of an expandable segment that were told apart: a block may span them.
  bool ContinuesLast(const Segment& source) const {
    const size_t number = layout_.segments.size();
    if (number == 0) return false;
    const Segment& last = state_.segments[number - 1];
    return last.expandable && source.expandable && EndOf(last.address, last.bytes) == source.address;
  }
  const LiveBlock* FirstBlockIn(const LaidOutSegment& segment) const {
    const auto first =
        std::ranges::find_if(segment.pieces, [](const Piece& piece) { return piece.block.has_value(); });
    return first == segment.pieces.end() ? nullptr : &state_.blocks[*first->block];
  }

  static void AddFree(LaidOutSegment& segment, int64_t from, int64_t until) {
    if (from >= until) return;
    segment.pieces.push_back({from, until - from, {}});
    segment.free_bytes += until - from;
  }

  void Place(const Segment& source) {
    while (IsNextBefore(source.address)) layout_.outside.push_back(order_[next_++]);
    const uint64_t end = EndOf(source.address, source.bytes);
    const auto offset = [&](uint64_t address) { return static_cast<int64_t>(address - source.address); };
    LaidOutSegment segment;
    segment.bytes = source.bytes;
    uint64_t taken_until = source.address;
    const auto take = [&](size_t block) {
      const uint64_t from = std::max(state_.blocks[block].address, taken_until);
      const uint64_t until = std::min(BlockEnd(block), end);
      if (from >= until) return;
      AddFree(segment, offset(taken_until), offset(from));
      segment.pieces.push_back({offset(from), static_cast<int64_t>(until - from), block});
      taken_until = until;
      last_placed_ = block;
    };
    if (last_placed_ && ContinuesLast(source)) take(*last_placed_);
    for (; IsNextBefore(end); ++next_) take(order_[next_]);
    AddFree(segment, offset(taken_until), offset(end));
    segment.list = ListOf(source, FirstBlockIn(segment));
    layout_.segments.push_back(std::move(segment));
  }

  const State& state_;
  const std::vector<size_t> order_;
  size_t next_ = 0;
  std::optional<size_t> last_placed_;
  Layout layout_;
};

std::optional<Barrier> BarrierBetween(const FreeList& request, const FreeList& free) {
  if (free.pool != request.pool) return Barrier::kPool;
  if (free.stream != request.stream) return Barrier::kStream;
  if (free.is_small && !request.is_small) return Barrier::kSize;
  return {};
}

void Add(BarredBytes& barred, std::optional<Barrier> barrier, const LaidOutSegment& segment) {
  if (!barrier || segment.free_bytes == 0) return;
  int64_t& sum = barred[*barrier];
  if (*barrier == Barrier::kPool) {
    const events::PoolOwner owner = segment.list.pool_owner;
    const bool is_same = sum == 0 || owner == barred.owner_of_pools;
    barred.owner_of_pools = is_same ? owner : events::PoolOwner::kNotTold;
  }
  sum = SaturatingSum(sum, segment.free_bytes);
}

// A private pool's segments are given back once nobody uses it any more.
bool IsHeldBack(const LaidOutSegment& segment) {
  return segment.list.pool == 0 && segment.free_bytes == segment.bytes;
}

// By card, the stream that has the most blocks outside of private pools; of as many, the most in them.
std::map<uint8_t, uint64_t> UsualStreams(const Layout& layout) {
  using Blocks = std::pair<std::ptrdiff_t, int64_t>;  // how many, and their bytes
  std::map<uint8_t, std::map<uint64_t, Blocks>> blocks;
  for (const LaidOutSegment& segment : layout.segments) {
    if (segment.list.pool != 0) continue;
    auto& [count, bytes] = blocks[segment.list.device][segment.list.stream];
    count +=
        std::ranges::count_if(segment.pieces, [](const Piece& piece) { return piece.block.has_value(); });
    bytes = SaturatingSum(bytes, segment.bytes - segment.free_bytes);
  }
  std::map<uint8_t, uint64_t> usual;
  for (const auto& [device, by_stream] : blocks)
    usual[device] = std::ranges::max_element(by_stream, {}, [](const auto& of) { return of.second; })->first;
  return usual;
}

}  // namespace

Layout LayOut(const State& state) { return Layer(state).LayOut(); }

BarredBytes BarredFrom(const FreeList& request, const Layout& layout) {
  BarredBytes barred{};
  if (!layout.outside.empty()) return barred;
  for (const LaidOutSegment& segment : layout.segments) {
    if (segment.list.device != request.device) continue;
    Add(barred, IsHeldBack(segment) ? Barrier::kHeldBack : BarrierBetween(request, segment.list), segment);
  }
  return barred;
}

Barriers BarriersToUsual(const Layout& layout) {
  std::map<uint8_t, uint64_t> usual = UsualStreams(layout);
  Barriers barriers;
  barriers.reserve(layout.segments.size());
  for (const LaidOutSegment& segment : layout.segments) {
    const FreeList& list = segment.list;
    barriers.push_back(BarrierBetween({usual[list.device], list.device, 0, list.is_small}, list));
  }
  return barriers;
}

BarredBytes BarredBy(const Barriers& barriers, const Layout& layout) {
  BarredBytes barred{};
  for (size_t i = 0; i < barriers.size(); ++i) Add(barred, barriers[i], layout.segments[i]);
  return barred;
}

EventIndex EndWhileReserved(const View& view, EventIndex first) {
  const auto lowest_until = [&](EventIndex end) {
    Bucket reserved;
    view.Envelope(Series::kReserved, first, end, {&reserved, 1});
    return reserved.min;
  };
  const int64_t reserved = ValueOf(view.ValuesAt(first), Series::kReserved);
  EventIndex end = first + 1;
  for (EventIndex most = view.end(); end < most;) {
    const EventIndex middle = most - (most - end) / 2;
    lowest_until(middle) < reserved ? most = middle - 1 : end = middle;
  }
  return end;
}

PoolBytes BytesOfPools(const Layout& layout, std::optional<events::PoolOwner> owner) {
  PoolBytes held;
  std::set<std::pair<uint8_t, uint8_t>> pools;
  for (const LaidOutSegment& segment : layout.segments) {
    if (segment.list.pool == 0 || (owner && segment.list.pool_owner != *owner)) continue;
    held.bytes = SaturatingSum(held.bytes, segment.bytes);
    held.free_bytes = SaturatingSum(held.free_bytes, segment.free_bytes);
    pools.emplace(segment.list.device, segment.list.pool);
  }
  held.pools = pools.size();
  return held;
}

std::string_view PoolsInWords(events::PoolOwner owner) {
  return owner == events::PoolOwner::kProgram
             ? "private pools that the program made (torch.cuda.MemPool, torch.cuda.graph_pool_handle)"
             : "private pools (CUDA graphs have theirs)";
}

}  // namespace tidemark::timeline
