#include "profiler/capture/roles/block_roles.h"

#include <utility>

namespace tidemark::capture {

using events::Category;

namespace {

bool Yields(Category before, Category role) {
  if (role == Category::kGradient)
    return before == Category::kActivation || before == Category::kCommunication;
  return before == Category::kInput && (role == Category::kParameter || role == Category::kOptimizerState);
}

}  // namespace

void BlockRoles::Assign(Known& block, Category role) {
  block.role = role;
  block.turn = ++turns_;
}

bool BlockRoles::Take(uint64_t address, Category role, events::NameId gradient_name) {
  const MutexLock lock(mutex_);
  Known& block = blocks_[address];
  const bool has_new_name = role == Category::kParameter && block.role == role && gradient_name != 0 &&
                            gradient_name != block.gradient_name;
  if (block.turn != 0 && !Yields(block.role, role) && !has_new_name) return false;
  Assign(block, role);
  block.gradient_name = gradient_name;
  return true;
}

events::NameId BlockRoles::GradientNameOf(uint64_t address) {
  const MutexLock lock(mutex_);
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? 0 : found->second.gradient_name;
}

uint64_t BlockRoles::TurnOf(uint64_t address, Category role) {
  const MutexLock lock(mutex_);
  const auto found = blocks_.find(address);
  return found != blocks_.end() && found->second.role == role ? found->second.turn : 0;
}

void BlockRoles::Born(uint64_t address, Category category, bool in_optimizer) {
  const MutexLock lock(mutex_);
  Known& block = blocks_[address];
  block = {};
  if (IsFromBirth(category)) Assign(block, category);
  block.made_by_optimizer = in_optimizer;
  if (in_optimizer) made_by_optimizer_.push_back(address);
}

void BlockRoles::BornBeforeGradients(uint64_t address) {
  const MutexLock lock(mutex_);
  blocks_[address] = {.was_before_gradients = true};
}

bool BlockRoles::WasBeforeGradients(uint64_t address) {
  const MutexLock lock(mutex_);
  const auto found = blocks_.find(address);
  return found != blocks_.end() && found->second.was_before_gradients;
}

void BlockRoles::Died(uint64_t address) {
  const MutexLock lock(mutex_);
  std::erase_if(awaiting_forward_, [&](const Block& block) { return block.address == address; });
  blocks_.erase(address);
}

void BlockRoles::AwaitForward(const std::optional<Block>& block) {
  const MutexLock lock(mutex_);
  if (block) {
    awaiting_forward_.push_back(*block);
  } else {
    awaiting_forward_.clear();
  }
}

std::vector<Block> BlockRoles::TakeAwaitingForward() {
  const MutexLock lock(mutex_);
  return std::exchange(awaiting_forward_, {});
}

std::vector<uint64_t> BlockRoles::TakeMadeByOptimizer() {
  const MutexLock lock(mutex_);
  std::vector<uint64_t> alive;
  for (const uint64_t address : made_by_optimizer_) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) continue;
    // Once, though one that died before it may have had its address.
    if (std::exchange(found->second.made_by_optimizer, false)) alive.push_back(address);
  }
  made_by_optimizer_.clear();
  return alive;
}

}  // namespace tidemark::capture
