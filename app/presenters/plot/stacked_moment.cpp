#include "app/presenters/plot/stacked_moment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "profiler/base/wrapping.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::LiveBlock;
using timeline::View;

struct Ending {
  EventIndex end = 0;
  int64_t bytes = 0;
};

// What it counts as where the block above it is seen.
events::Category CategoryBeside(const View& view, const StackedMoment& seen, const LiveBlock& older,
                                std::optional<EventIndex> end) {
  if (const LiveBlock* there = seen.BornAt(older.born)) return there->category;
  if (!end) return older.category;
  const std::optional<events::Event> free = view.FreeIn(*end);
  return free ? free->category : older.category;
}

}  // namespace

StackedMoment::StackedMoment(const View& view, EventIndex index) : state_(view.StateAt(index)) {
  for (size_t i = 0; i < state_.blocks.size(); ++i) {
    const LiveBlock& block = state_.blocks[i];
    if (!timeline::Counts(block)) continue;
    std::vector<Placed>& band = placed_[static_cast<size_t>(block.category)];
    int64_t top = band.empty() ? 0 : band.back().top_bytes;
    AddTo(top, block.rounded_bytes);
    band.push_back({i, top});
  }
}

const LiveBlock* StackedMoment::BlockAt(int64_t bytes) const {
  if (bytes < 0) return nullptr;
  for (size_t category = 0; category < placed_.size(); ++category) {
    const int64_t height = std::max<int64_t>(0, state_.values[category]);
    if (bytes >= height) {
      bytes -= height;
      continue;
    }
    const std::vector<Placed>& band = placed_[category];
    const auto found = std::ranges::upper_bound(band, bytes, {}, &Placed::top_bytes);
    return found == band.end() ? nullptr : &state_.blocks[found->block];
  }
  return nullptr;
}

const LiveBlock* StackedMoment::BornAt(EventIndex born) const {
  const auto found = std::ranges::lower_bound(state_.blocks, born, {}, &LiveBlock::born);
  return found == state_.blocks.end() || found->born != born ? nullptr : &*found;
}

OlderBlocks::OlderBlocks(const View& view, const StackedMoment& seen, const LiveBlock& block) {
  std::vector<Ending> endings;
  int64_t endless = 0;
  for (const LiveBlock& older : view.StateAt(block.born).blocks) {
    if (older.born >= block.born || !timeline::Counts(older)) continue;
    const std::optional<EventIndex> end = view.StopsCountingAt(older.born);
    if (CategoryBeside(view, seen, older, end) != block.category) continue;
    if (end) endings.push_back({*end, older.rounded_bytes});
    if (!end) AddTo(endless, older.rounded_bytes);
    all_ended_ = all_ended_ && end.has_value();
  }
  std::ranges::sort(endings, {}, &Ending::end);
  ends_.resize(endings.size());
  ending_from_.assign(endings.size() + 1, endless);
  for (size_t i = endings.size(); i-- > 0;) {
    ends_[i] = endings[i].end;
    ending_from_[i] = ending_from_[i + 1];
    AddTo(ending_from_[i], endings[i].bytes);
  }
}

int64_t OlderBlocks::AliveAfter(EventIndex index) const {
  const auto first = std::ranges::upper_bound(ends_, index);
  return ending_from_.empty() ? 0 : ending_from_[static_cast<size_t>(first - ends_.begin())];
}

}  // namespace tidemark::presenters
