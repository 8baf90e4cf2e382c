#include "profiler/capture/roles/block_roles.h"

#include <utility>

namespace tidemark::capture {

using events::Category;

namespace {

bool Yields(Category before, Category role) {
  if (before == Category::kOutput) return role != before;
  if (role == Category::kGradient)
    return before == Category::kActivation || before == Category::kCommunication;
  return before == Category::kInput && (role == Category::kParameter || role == Category::kOptimizerState);
}

}  // namespace

void BlockRoles::Assign(Known& block, Category role) {
  block.role = role;
  block.turn = ++turns_;
}

bool BlockRoles::Take(uint64_t address, Category role, events::NameId gradient_name, int64_t bytes) {
  const MutexLock lock(mutex_);
  Known& block = blocks_[address];
  if (!TakeKnown(block, role, gradient_name)) return false;
  block.bytes = bytes;
  if (role == Category::kParameter) parameter_bytes_.insert(bytes);
  return true;
}

bool BlockRoles::TakeCopy(uint64_t address, const Block& original) {
  const MutexLock lock(mutex_);
  const auto of = blocks_.find(original.address);
  const bool is_whole =
      of != blocks_.end() && of->second.role == Category::kParameter && of->second.bytes == original.bytes;
  if (!is_whole) return false;
  Known& block = blocks_[address];
  if (!TakeKnown(block, Category::kParameter, 0)) return false;
  block.is_copy = true;
  block.bytes = original.bytes;
  return true;
}

bool BlockRoles::TakeKnown(Known& block, Category role, events::NameId gradient_name) {
  const bool has_new_name = role == Category::kParameter && block.role == role && gradient_name != 0 &&
                            gradient_name != block.gradient_name;
  const bool yields =
      Yields(block.role, role) || (block.is_copy && role != block.role && role != Category::kOutput);
  if (block.turn != 0 && !yields && !has_new_name) return false;
  Assign(block, role);
  block.is_copy = false;
  block.gradient_name = gradient_name;
  // It may be made where an optimizer's closure runs, and is nothing that the optimizer leaves.
  if (role == Category::kInput) {
    Forget(block);
    block.maker = kNobody;
    block.awaits = 0;
  }
  return true;
}

bool BlockRoles::TakeArgument(uint64_t address) {
  const MutexLock lock(mutex_);
  Known& block = blocks_[address];
  return !block.is_of_model && block.role != Category::kOutput && TakeKnown(block, Category::kInput, 0);
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

// Its address may be that of one whose end was lost.
void BlockRoles::Born(uint64_t address, const Birth& birth) {
  const MutexLock lock(mutex_);
  Known& block = blocks_[address];
  Forget(block);
  block = {.maker = birth.maker,
           .was_before_gradients = birth.before_gradients,
           .is_of_model = birth.in_model,
           .bytes = birth.bytes};
  if (IsFromBirth(birth.category)) Assign(block, birth.category);
  if (birth.maker == kNobody) return;
  block.birth = ++births_;
  made_by_[birth.maker].emplace(block.birth, address);
}

void BlockRoles::Forget(const Known& block) {
  awaiting_.erase(block.awaits);
  if (block.maker != kNobody) made_by_[block.maker].erase(block.birth);
}

bool BlockRoles::WasBeforeGradients(uint64_t address) {
  const MutexLock lock(mutex_);
  const auto found = blocks_.find(address);
  return found != blocks_.end() && found->second.was_before_gradients;
}

Category BlockRoles::ReadInUpdate(const Block& block, bool is_changed) {
  const MutexLock lock(mutex_);
  if (!parameter_bytes_.contains(block.bytes)) return Category::kUnknown;
  Known& known = blocks_[block.address];
  if (known.turn != 0 || known.maker == kUpdate) return Category::kUnknown;
  known.bytes = block.bytes;
  if (known.maker == kBackward) {
    Assign(known, Category::kGradient);
  } else {
    known.is_read = true;
    if (is_changed) changed_.insert(block.address);
  }
  return known.role;
}

Left BlockRoles::EndUpdate() {
  TakeMadeBy(kBackward);  // what the program keeps of that is no gradient of the next update
  const std::vector<uint64_t> made = TakeMadeBy(kUpdate);
  Left left;
  const MutexLock lock(mutex_);
  was_update_ = true;
  TakeChanged(left);
  for (const uint64_t address : made) {
    Known& block = blocks_[address];
    if (block.turn != 0) continue;
    const auto let_go = state_let_go_.find(block.bytes);
    if (let_go != state_let_go_.end() && let_go->second-- > 0) {
      TakeState(address, block, left);
    } else {
      left.unknown.push_back({address, block.bytes});
    }
  }
  state_let_go_.clear();
  return left;
}

void BlockRoles::TakeState(uint64_t address, Known& block, Left& left) {
  Assign(block, Category::kOptimizerState);
  left.state.push_back({address, block.bytes});
}

void BlockRoles::TakeChanged(Left& left) {
  for (const uint64_t address : std::exchange(changed_, {})) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end() || found->second.turn != 0) continue;
    found->second.adds_up = found->second.adds_up || !was_update_;
    if (found->second.is_read && !found->second.adds_up) TakeState(address, found->second, left);
  }
}

Left BlockRoles::ForgetUpdate() {
  const std::vector<uint64_t> made = TakeMadeBy(kUpdate);
  Left left;
  const MutexLock lock(mutex_);
  TakeChanged(left);
  was_update_ = false;
  for (const uint64_t address : made) {
    if (const Known& block = blocks_[address]; block.turn == 0)
      left.unknown.push_back({address, block.bytes});
  }
  state_let_go_.clear();
  return left;
}

Death BlockRoles::Died(uint64_t address) {
  const MutexLock lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return {};
  const Known block = found->second;
  Forget(block);
  blocks_.erase(found);
  const bool is_untold = block.turn == 0;
  const bool was_read = is_untold && block.is_read && !block.adds_up;
  if (was_read || block.role == Category::kOptimizerState) ++state_let_go_[block.bytes];
  return {block.role, is_untold ? block.maker : kNobody, was_read};
}

void BlockRoles::AwaitUse(const Block& block, bool records_gradients) {
  const MutexLock lock(mutex_);
  Known& known = blocks_[block.address];
  awaiting_.erase(known.awaits);
  known.awaits = ++copies_;
  awaiting_.emplace(known.awaits, block);
  if (!records_gradients) first_for_forward_ = copies_ + 1;
}

std::vector<Block> BlockRoles::TakeAwaitingForward() {
  const MutexLock lock(mutex_);
  return TakeAwaitingFrom(first_for_forward_);
}

std::vector<Block> BlockRoles::TakeAwaitingEvaluation() {
  const MutexLock lock(mutex_);
  return TakeAwaitingFrom(0);
}

std::vector<Block> BlockRoles::TakeAwaitingFrom(uint64_t first) {
  std::vector<Block> taken;
  const auto begin = awaiting_.lower_bound(first);
  for (auto awaiting = begin; awaiting != awaiting_.end(); ++awaiting) {
    taken.push_back(awaiting->second);
    blocks_[awaiting->second.address].awaits = 0;
  }
  awaiting_.erase(begin, awaiting_.end());
  return taken;
}

std::vector<uint64_t> BlockRoles::TakeMadeBy(Maker maker) {
  const MutexLock lock(mutex_);
  const auto made = made_by_.extract(maker);
  if (made.empty()) return {};
  std::vector<uint64_t> alive;
  for (const auto& [birth, address] : made.mapped()) {
    blocks_[address].maker = kNobody;
    alive.push_back(address);
  }
  return alive;
}

}  // namespace tidemark::capture
