#include "app/gui/panels/map_strips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "app/presenters/plot/stacking.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::MapBlock;
using presenters::MapSegment;

// Says what a strip of several blocks looks like.
class Mixture {
 public:
  Mixture(const std::vector<MapBlock>& blocks, const std::vector<uint8_t>* groups)
      : blocks_(blocks), groups_(groups) {}

  void Clear() {
    shares_ = {};
    most_ = 0;
  }
  void Add(size_t block, bool lit, MapStrip* strip) {
    const MapBlock& own = blocks_[block];
    ++strip->blocks;
    strip->bytes = SaturatingSum(strip->bytes, own.bytes);
    strip->rounding_bytes = SaturatingSum(strip->rounding_bytes, own.rounding_bytes);
    if (lit && !strip->lit) Clear();
    strip->lit = strip->lit || lit;
    if (lit != strip->lit) return;  // others are seen
    const auto part = groups_ == nullptr ? static_cast<size_t>(own.category) : (*groups_)[own.block];
    Share& share = shares_[part];
    if (share.bytes == 0 || own.bytes > blocks_[share.largest].bytes) share.largest = block;
    share.bytes = SaturatingSum(share.bytes, own.bytes);
    if (share.bytes > shares_[most_].bytes) most_ = part;
    strip->shown = shares_[most_].largest;
  }

 private:
  struct Share {
    int64_t bytes = 0;
    size_t largest = 0;  // of its blocks
  };
  const std::vector<MapBlock>& blocks_;
  const std::vector<uint8_t>* groups_;
  // By what has a colour.
  std::array<Share, std::max<size_t>(events::kCategoryCount, presenters::kMostStackGroups)> shares_{};
  size_t most_ = 0;
};

}  // namespace

std::vector<MapStrip> StripsOf(const MapSegment& segment, float width, const std::vector<bool>* lit,
                               const std::vector<uint8_t>* groups) {
  std::vector<MapStrip> strips;
  strips.reserve(std::min(segment.blocks.size(), 2 * static_cast<size_t>(width) + 1));
  const double scale = width / static_cast<double>(std::max<int64_t>(1, segment.bytes));
  Mixture mixture(segment.blocks, groups);
  bool is_shared = false;  // the last strip, by all that are too narrow and begin in its pixel
  for (size_t i = 0; i < segment.blocks.size(); ++i) {
    const MapBlock& block = segment.blocks[i];
    auto left = static_cast<float>(static_cast<double>(block.offset_bytes) * scale);
    auto wide = static_cast<float>(static_cast<double>(block.bytes) * scale);
    const bool is_narrow = wide < 1;
    if (is_narrow) {
      left = std::floor(left);
      wide = 1;
    }
    if (!is_narrow || !is_shared || strips.back().left != left) {
      strips.push_back({left, std::min(width, left + wide)});
      mixture.Clear();
    }
    is_shared = is_narrow;
    mixture.Add(i, lit != nullptr && (*lit)[block.block], &strips.back());
  }
  return strips;
}

std::vector<MapSpan> FreeSpansOf(const MapSegment& segment, float width) {
  std::vector<MapSpan> spans;
  spans.reserve(std::min(segment.gaps.size(), 2 * static_cast<size_t>(width) + 1));
  const double scale = width / static_cast<double>(std::max<int64_t>(1, segment.bytes));
  for (const presenters::MapGap& gap : segment.gaps) {
    const auto left = static_cast<float>(static_cast<double>(gap.offset_bytes) * scale);
    const auto wide = static_cast<float>(static_cast<double>(gap.bytes) * scale);
    if (wide < 1 && !spans.empty() && left < spans.back().right) continue;
    spans.push_back({left, std::min(width, left + std::max(1.0F, wide)), gap.bytes, gap.is_largest});
  }
  return spans;
}

const MapStrip* StripAt(const std::vector<MapStrip>& strips, float x) {
  const auto after = std::ranges::upper_bound(strips, x, {}, &MapStrip::left);
  if (after == strips.begin()) return nullptr;
  const MapStrip& strip = *std::prev(after);
  return x < strip.right ? &strip : nullptr;
}

}  // namespace tidemark::gui
