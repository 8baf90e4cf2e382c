#include "app/presenters/moment/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/base/saturating.h"

namespace tidemark::presenters {
namespace {

using timeline::Barrier;
using timeline::LaidOutSegment;
using timeline::LiveBlock;
using timeline::Piece;
using timeline::Segment;
using timeline::State;

void Add(int64_t& sum, int64_t bytes) { sum = SaturatingSum(sum, bytes); }

class Mapper {
 public:
  explicit Mapper(const State& state)
      : state_(state), layout_(timeline::LayOut(state)), barriers_(timeline::BarriersToUsual(layout_)) {}

  MemoryMap Map() {
    map_.barred = timeline::BarredBy(barriers_, layout_);
    map_.segments.reserve(state_.segments.size());
    for (size_t i = 0; i < state_.segments.size(); ++i) Place(i);
    for (const size_t block : layout_.outside) Add(map_.outside_bytes, state_.blocks[block].rounded_bytes);
    if (map_.largest_free_bytes > 0) map_.segments[largest_.segment].gaps[largest_.gap].is_largest = true;
    if (map_.reserved_bytes > 0) {
      map_.share_free = static_cast<double>(SaturatingDifference(map_.reserved_bytes, map_.occupied_bytes)) /
                        static_cast<double>(map_.reserved_bytes);
    }
    return std::move(map_);
  }

 private:
  void AddGap(MapSegment& segment, const Piece& free) {
    segment.gaps.push_back({free.offset_bytes, free.bytes});
    if (segment.barrier || free.bytes <= map_.largest_free_bytes) return;
    map_.largest_free_bytes = free.bytes;
    largest_ = {map_.segments.size(), segment.gaps.size() - 1};
  }

  void AddBlock(MapSegment& segment, const Piece& piece) {
    const LiveBlock& block = state_.blocks[*piece.block];
    const bool continues = std::exchange(latest_block_, piece.block) == piece.block;
    const int64_t rounding =
        continues ? 0 : std::max<int64_t>(0, SaturatingDifference(block.rounded_bytes, block.bytes));
    segment.blocks.push_back(
        {piece.offset_bytes, piece.bytes, rounding, *piece.block, block.category, block.pending_free});
    Add(map_.occupied_bytes, piece.bytes);
    Add(map_.rounding_bytes, rounding);
    if (block.pending_free) Add(map_.pending_bytes, piece.bytes);
  }

  void Place(size_t number) {
    const Segment& source = state_.segments[number];
    const LaidOutSegment& laid_out = layout_.segments[number];
    MapSegment segment{source.address,
                       map_.reserved_bytes,
                       source.bytes,
                       source.expandable,
                       source.born,
                       laid_out.list,
                       barriers_[number],
                       {},
                       {}};
    for (const Piece& piece : laid_out.pieces)
      piece.block ? AddBlock(segment, piece) : AddGap(segment, piece);
    if (laid_out.list.pool != 0) Add(map_.pool_bytes, source.bytes);
    map_.has_streams = map_.has_streams || laid_out.list.stream != layout_.segments[0].list.stream;
    Add(map_.reserved_bytes, source.bytes);
    map_.segments.push_back(std::move(segment));
  }

  struct GapPlace {
    size_t segment = 0;
    size_t gap = 0;
  };

  const State& state_;
  const timeline::Layout layout_;
  const std::vector<std::optional<Barrier>> barriers_;
  MemoryMap map_;
  std::optional<size_t> latest_block_;  // one that spans two segments lies in both
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
  if (map.pool_bytes > 0) text += " · " + FormatBytes(map.pool_bytes, unit) + " in private pools (dashed)";
  if (map.pending_bytes > 0) text += " · " + FormatBytes(map.pending_bytes, unit) + " wait to be freed";
  return text;
}

namespace {

std::string_view OwnerInWords(events::PoolOwner owner) {
  switch (owner) {
    case events::PoolOwner::kGraph:
      return " (a CUDA graph's)";
    case events::PoolOwner::kProgram:
      return " (the program's: a torch.cuda.MemPool, or a handle for CUDA graphs)";
    case events::PoolOwner::kNotTold:
      break;
  }
  return "";
}

}  // namespace

std::string WhoseSegment(const MemoryMap& map, const MapSegment& segment) {
  std::string text;
  if (segment.list.pool != 0)
    text = fmt::format("private pool {}{}{}", segment.list.pool,
                       segment.list.pool == events::kManyPools ? " or later" : "",
                       OwnerInWords(segment.list.pool_owner));
  if (map.has_streams) {
    const uint64_t stream = segment.list.stream;
    text += (text.empty() ? "" : " · ") +
            (stream == 0 ? std::string("default stream") : fmt::format("stream {:#x}", stream));
  }
  return text;
}

namespace {

// "90.0 MB of it in private pools (CUDA graphs have theirs) and 2.0 MB of it in memory of other streams"
std::string BarredFree(const MemoryMap& map, int64_t free_bytes, ByteUnit unit) {
  std::string text;
  const auto add = [&](Barrier barrier, std::string_view where) {
    const int64_t bytes = map.barred[barrier];
    if (bytes <= 0) return;
    const std::string part = bytes == free_bytes ? "all" : FormatBytes(bytes, unit);
    text += fmt::format("{}{} of it in {}", text.empty() ? "" : " and ", part, where);
  };
  add(Barrier::kPool, timeline::PoolsInWords(map.barred.owner_of_pools));
  add(Barrier::kStream, "memory of other streams");
  return text;
}

}  // namespace

std::string ExplainFreeMemory(const MemoryMap& map, ByteUnit unit) {
  if (map.reserved_bytes <= 0) return "";
  const int64_t free_bytes = SaturatingDifference(map.reserved_bytes, map.occupied_bytes);
  if (free_bytes <= 0)
    return "Every reserved byte is in use: the next allocation makes PyTorch reserve more.";
  size_t pieces = 0;
  for (const MapSegment& segment : map.segments) pieces += segment.barrier ? 0 : segment.gaps.size();
  std::string all = fmt::format("{} of the {} reserved are free", FormatBytes(free_bytes, unit),
                                FormatBytes(map.reserved_bytes, unit));
  const std::string barred = BarredFree(map, free_bytes, unit);
  if (!barred.empty()) {
    all += ", " + barred + ", which PyTorch uses for nothing else. ";
    if (pieces == 0) return all + "Any other request makes PyTorch reserve more from the card.";
    all += "The rest is free";
  }
  if (pieces == 1) return all + ", in one piece: a larger request makes PyTorch reserve more from the card.";
  return fmt::format(
      "{}, in {} pieces. The largest is {}: a larger request would make PyTorch reserve more from the card, "
      "although more than that is free in all (fragmentation). Whether that cost this run memory, Findings "
      "tells.",
      all, FormatNumber(static_cast<int64_t>(pieces)), FormatBytes(map.largest_free_bytes, unit));
}

}  // namespace tidemark::presenters
