#include "profiler/capture/roles/block_roles.h"

#include <utility>

namespace tidemark::capture {

using events::Category;

namespace {

bool Yields(Category before, Category role) {
  if (role == Category::kGradient)
    return before == Category::kActivation || before == Category::kCommunication;
  return role == Category::kParameter && before == Category::kInput;
}

}  // namespace

bool BlockRoles::Take(uint64_t address, Category role) {
  const MutexLock lock(mutex_);
  const auto [entry, is_new] = roles_.try_emplace(address, role);
  if (is_new) return true;
  if (!Yields(entry->second, role)) return false;
  entry->second = role;
  return true;
}

bool BlockRoles::Is(uint64_t address, Category role) {
  const MutexLock lock(mutex_);
  const auto found = roles_.find(address);
  return found != roles_.end() && found->second == role;
}

void BlockRoles::Born(uint64_t address, Category category, bool in_optimizer) {
  const MutexLock lock(mutex_);
  if (IsFromBirth(category)) roles_[address] = category;
  if (in_optimizer) made_by_optimizer_.insert(address);
}

bool BlockRoles::Died(uint64_t address) {
  const MutexLock lock(mutex_);
  made_by_optimizer_.erase(address);
  std::erase_if(awaiting_forward_, [&](const Block& block) { return block.address == address; });
  return roles_.erase(address) > 0;
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
  const std::unordered_set<uint64_t> made = std::exchange(made_by_optimizer_, {});
  return {made.begin(), made.end()};
}

BlockRoles& Roles() {
  static auto& roles = *new BlockRoles;  // threads of LibTorch outlive main
  return roles;
}

}  // namespace tidemark::capture
