#include "profiler/timeline/live_blocks.h"

#include <utility>

#include "profiler/base/check.h"
#include "profiler/timeline/address_set.h"

namespace tidemark::timeline {

LiveBlocks::LiveBlocks() : slots_(64) {}

size_t LiveBlocks::HomeOf(uint64_t address) const { return HashOfAddress(address) & (slots_.size() - 1); }

size_t LiveBlocks::SlotOf(uint64_t address) const {
  size_t slot = HomeOf(address);
  while (slots_[slot].node != kNone && slots_[slot].address != address)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

LiveBlock* LiveBlocks::Find(uint64_t address) {
  const Slot& slot = slots_[SlotOf(address)];
  return slot.node == kNone ? nullptr : &nodes_[slot.node].block;
}

void LiveBlocks::Grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& slot : old) {
    if (slot.node != kNone) slots_[SlotOf(slot.address)] = slot;
  }
}

uint32_t LiveBlocks::TakeNode(const LiveBlock& block) {
  if (free_nodes_ == kNone) {
    nodes_.push_back({block, kNone, kNone});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  const uint32_t node = free_nodes_;
  free_nodes_ = nodes_[node].after;
  nodes_[node] = {block, kNone, kNone};
  return node;
}

void LiveBlocks::Add(const LiveBlock& block) {
  if (2 * (size_ + 1) > slots_.size()) Grow();
  Slot& slot = slots_[SlotOf(block.address)];
  TIDEMARK_CHECK(slot.node == kNone);
  const uint32_t node = TakeNode(block);
  slot = {block.address, node};
  nodes_[node].before = youngest_;
  if (youngest_ != kNone) nodes_[youngest_].after = node;
  if (oldest_ == kNone) oldest_ = node;
  youngest_ = node;
  ++size_;
}

// Linear probing without tombstones: what follows the gap moves into it unless that would take it before its
// home.
void LiveBlocks::CloseGap(size_t gap) {
  const size_t mask = slots_.size() - 1;
  for (size_t next = (gap + 1) & mask; slots_[next].node != kNone; next = (next + 1) & mask) {
    const size_t home = HomeOf(slots_[next].address);
    if (((next - home) & mask) < ((next - gap) & mask)) continue;
    slots_[gap] = slots_[next];
    gap = next;
  }
  slots_[gap].node = kNone;
}

LiveBlock LiveBlocks::Remove(uint64_t address) {
  const size_t slot = SlotOf(address);
  const uint32_t number = slots_[slot].node;
  TIDEMARK_CHECK(number != kNone);
  CloseGap(slot);
  Node& node = nodes_[number];
  (node.before == kNone ? oldest_ : nodes_[node.before].after) = node.after;
  (node.after == kNone ? youngest_ : nodes_[node.after].before) = node.before;
  node.after = free_nodes_;
  free_nodes_ = number;
  --size_;
  return node.block;
}

void LiveBlocks::AppendTo(std::vector<LiveBlock>& blocks) const {
  blocks.reserve(blocks.size() + size_);
  for (uint32_t node = oldest_; node != kNone; node = nodes_[node].after)
    blocks.push_back(nodes_[node].block);
}

}  // namespace tidemark::timeline
