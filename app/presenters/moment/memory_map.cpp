#include "app/presenters/moment/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "profiler/base/saturating.h"
#include "profiler/timeline/segments.h"

namespace tidemark::presenters {
namespace {

using timeline::LiveBlock;
using timeline::Segment;
using timeline::State;

std::vector<size_t> ByAddress(const std::vector<LiveBlock>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return blocks[a].address < blocks[b].address; });
  return order;
}

void Add(int64_t& sum, int64_t bytes) { sum = SaturatingSum(sum, bytes); }

class Mapper {
 public:
  explicit Mapper(const State& state) : state_(state), order_(ByAddress(state.blocks)) {}

  MemoryMap Map() {
    for (const Segment& segment : state_.segments) Place(segment);
    while (next_ < order_.size()) AddOutside();
    if (map_.largest_free_bytes > 0) map_.segments[largest_.segment].gaps[largest_.gap].is_largest = true;
    if (map_.reserved_bytes > 0) {
      map_.share_free = static_cast<double>(SaturatingDifference(map_.reserved_bytes, map_.occupied_bytes)) /
                        static_cast<double>(map_.reserved_bytes);
    }
    return std::move(map_);
  }

 private:
  const LiveBlock& Next() const { return state_.blocks[order_[next_]]; }
  void AddOutside() {
    Add(map_.outside_bytes, Next().rounded_bytes);
    ++next_;
  }

  void AddGap(MapSegment& segment, uint64_t from, uint64_t until) {
    if (from >= until) return;
    const auto bytes = static_cast<int64_t>(until - from);
    segment.gaps.push_back({static_cast<int64_t>(from - segment.address), bytes});
    if (bytes <= map_.largest_free_bytes) return;
    map_.largest_free_bytes = bytes;
    largest_ = {map_.segments.size(), segment.gaps.size() - 1};
  }

  void Place(const Segment& source) {
    MapSegment segment{
        source.address, map_.reserved_bytes, source.bytes, source.expandable, source.born, {}, {}};
    const uint64_t end = timeline::EndOf(source.address, source.bytes);
    uint64_t taken_until = source.address;
    while (next_ < order_.size() && Next().address < source.address) AddOutside();
    for (; next_ < order_.size() && Next().address < end; ++next_) {
      const LiveBlock& block = Next();
      const uint64_t from = std::max(block.address, taken_until);
      const uint64_t until = std::min(timeline::EndOf(block.address, block.rounded_bytes), end);
      if (from >= until) continue;
      AddGap(segment, taken_until, from);
      const int64_t rounding = std::max<int64_t>(0, SaturatingDifference(block.rounded_bytes, block.bytes));
      segment.blocks.push_back({static_cast<int64_t>(from - source.address),
                                static_cast<int64_t>(until - from), rounding, order_[next_], block.category,
                                block.pending_free});
      Add(map_.occupied_bytes, static_cast<int64_t>(until - from));
      Add(map_.rounding_bytes, rounding);
      if (block.pending_free) Add(map_.pending_bytes, static_cast<int64_t>(until - from));
      taken_until = until;
    }
    AddGap(segment, taken_until, end);
    Add(map_.reserved_bytes, source.bytes);
    map_.segments.push_back(std::move(segment));
  }

  struct GapPlace {
    size_t segment = 0;
    size_t gap = 0;
  };

  const State& state_;
  const std::vector<size_t> order_;
  size_t next_ = 0;
  MemoryMap map_;
  GapPlace largest_;
};

}  // namespace

MemoryMap MakeMemoryMap(const State& state) { return Mapper(state).Map(); }

std::string WhyNoMap(const MemoryMap& map) {
  if (map.reserved_bytes == 0 || map.occupied_bytes > 0 || map.outside_bytes == 0) return "";
  return "This run tells how much was reserved, but not where: none of its blocks lies in a segment that it "
         "tells. So it is with torch.profiler's traces; PyTorch's memory snapshots and recordings tell "
         "segments.";
}

std::string MapSummary(const MemoryMap& map, ByteUnit unit) {
  size_t blocks = 0;
  for (const MapSegment& segment : map.segments) blocks += segment.blocks.size();
  const auto counted = [](size_t count, const char* one) {
    return FormatNumber(static_cast<int64_t>(count)) + " " + one + (count == 1 ? "" : "s");
  };
  std::string text = fmt::format("{} · {} · {:.0f} % free", counted(map.segments.size(), "segment"),
                                 counted(blocks, "block"), 100 * map.share_free);
  if (map.rounding_bytes > 0) {  // none at all: nobody told what was asked for
    const double share = static_cast<double>(map.rounding_bytes) /
                         static_cast<double>(std::max<int64_t>(1, map.occupied_bytes));
    text += " · " + FormatBytes(map.rounding_bytes, unit) +
            (share < 0.001 ? " (< 0.1 %)" : fmt::format(" ({:.1f} %)", 100 * share)) + " rounding";
  }
  if (map.pending_bytes > 0) text += " · " + FormatBytes(map.pending_bytes, unit) + " wait to be freed";
  return text;
}

std::string ExplainFreeMemory(const MemoryMap& map, ByteUnit unit) {
  if (map.reserved_bytes <= 0) return "";
  const int64_t free_bytes = SaturatingDifference(map.reserved_bytes, map.occupied_bytes);
  if (free_bytes <= 0)
    return "Every reserved byte is in use: the next allocation makes PyTorch reserve more.";
  size_t pieces = 0;
  for (const MapSegment& segment : map.segments) pieces += segment.gaps.size();
  const std::string all = fmt::format("{} of the {} reserved are free", FormatBytes(free_bytes, unit),
                                      FormatBytes(map.reserved_bytes, unit));
  if (pieces == 1) return all + ", in one piece: a larger request makes PyTorch reserve more from the card.";
  return fmt::format(
      "{}, in {} pieces. The largest is {}: a larger request would make PyTorch reserve more from the card, "
      "although more than that is free in all (fragmentation). Whether that cost this run memory, Findings "
      "tells.",
      all, FormatNumber(static_cast<int64_t>(pieces)), FormatBytes(map.largest_free_bytes, unit));
}

}  // namespace tidemark::presenters
