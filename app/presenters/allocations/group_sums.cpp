#include "app/presenters/allocations/group_sums.h"

#include <algorithm>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "profiler/base/check.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::presenters {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::LiveBlock;
using timeline::View;

GroupSums::GroupSums(size_t groups, GroupOf group_of)
    : groups_(groups), group_of_(std::move(group_of)), now_(groups) {
  TIDEMARK_CHECK(groups > 0 && groups < kNowhere);
}

uint8_t GroupSums::GroupFor(const View& view, const LiveBlock& block) const {
  return static_cast<uint8_t>(std::min(group_of_(view, block), groups_ - 1));
}

bool GroupSums::Follow(const View& view, uint64_t most) {
  if (view.empty()) return true;
  if (!begun_ || end() < view.first()) Begin(view);
  LetGo(view.first());
  const EventIndex until = std::min<EventIndex>(view.end(), end() + most);
  for (EventIndex index = end(); index < until; ++index) Take(view, index);
  return end() >= view.end();
}

void GroupSums::Begin(const View& view) {
  begun_ = true;
  base_ = view.first();
  live_.clear();
  moves_.clear();
  replaced_.clear();
  std::fill(now_.begin(), now_.end(), 0);
  const timeline::State state = view.StateAt(base_);
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    const uint8_t group = GroupFor(view, block);
    live_[block.address] = {block, group};
    AddTo(now_[group], block.rounded_bytes);
  }
  moves_.emplace_back();
  kept_ = now_;
}

// In large pieces: what remains is moved each time.
void GroupSums::LetGo(EventIndex before) {
  constexpr uint64_t kPiece = uint64_t{1} << 22;
  if (before < base_ + kPiece) return;
  const uint64_t strides = (before - base_) / kStride;
  moves_.erase(moves_.begin(), moves_.begin() + static_cast<std::ptrdiff_t>(strides * kStride));
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(strides * groups_));
  base_ += strides * kStride;
}

void GroupSums::Take(const View& view, EventIndex index) {
  moves_.push_back(MoveOf(view, view.event(index), index));
  Apply(view, index, now_);
  if ((index - base_) % kStride == 0) kept_.insert(kept_.end(), now_.begin(), now_.end());
}

GroupSums::Move GroupSums::MoveOf(const View& view, const Event& event, EventIndex index) {
  Move move;
  if (event.kind == EventKind::kAllocate) Allocate(view, event, index, move);
  if (event.kind == EventKind::kCategorize) Categorize(view, event, move);
  if (event.kind == EventKind::kFreeRequested || event.kind == EventKind::kFreeCompleted) {
    if (const auto found = live_.find(event.address); found != live_.end()) {
      move.from = found->second.group;
      live_.erase(found);
    }
  }
  return move;
}

void GroupSums::Allocate(const View& view, const Event& event, EventIndex index, Move& move) {
  const LiveBlock block = BlockBornAt(event, index);
  move.to = GroupFor(view, block);
  const auto [place, fresh] = live_.try_emplace(event.address);
  if (!fresh) {
    move.from = place->second.group;
    replaced_.push_back({index, place->second.block.rounded_bytes});
  }
  place->second = {block, move.to};
}

void GroupSums::Categorize(const View& view, const Event& event, Move& move) {
  const auto found = live_.find(event.address);
  if (found == live_.end()) return;
  Block& block = found->second;
  block.block.category = event.category;
  block.block.name = event.name;
  const uint8_t group = GroupFor(view, block.block);
  if (group == block.group) return;
  move = {block.group, group};
  block.group = group;
}

void GroupSums::Apply(const View& view, EventIndex index, std::span<int64_t> sums) const {
  const Move move = moves_[index - base_];
  if (move.from == kNowhere && move.to == kNowhere) return;
  const Event& event = view.event(index);
  if (move.from != kNowhere) {
    int64_t bytes = event.rounded_bytes;
    if (event.kind == EventKind::kAllocate) {
      bytes = std::lower_bound(replaced_.begin(), replaced_.end(), index,
                               [](const Replaced& entry, EventIndex at) { return entry.index < at; })
                  ->bytes;
    }
    SubtractFrom(sums[move.from], bytes);
  }
  if (move.to != kNowhere) AddTo(sums[move.to], event.rounded_bytes);
}

void GroupSums::At(const View& view, EventIndex index, std::span<int64_t> sums) const {
  const EventIndex past = index - base_;
  const auto kept = kept_.begin() + static_cast<std::ptrdiff_t>(past / kStride * groups_);
  std::copy_n(kept, groups_, sums.begin());
  for (EventIndex at = base_ + past / kStride * kStride + 1; at <= index; ++at) Apply(view, at, sums);
}

}  // namespace tidemark::presenters
