#include "app/gui/choice_history.h"

#include <utility>

namespace tidemark::gui {
namespace {

constexpr size_t kUndoLimit = 200;

}  // namespace

bool StartAlike(const Choices& a, const Choices& b) {
  return a.settings == b.settings && a.device == b.device && a.allocator == b.allocator &&
         a.kernels == b.kernels;
}

bool IsSame(const Choices& a, const Choices& b) { return StartAlike(a, b) && a.second.run == b.second.run; }

void ChoiceHistory::Remember(Choices now) {
  undo_.push_back(std::move(now));
  if (undo_.size() > kUndoLimit) {
    let_go_(std::move(undo_.front().second.run));
    undo_.erase(undo_.begin());
  }
  for (Choices& undone : std::exchange(redo_, {})) let_go_(std::move(undone.second.run));
}

std::optional<Choices> ChoiceHistory::Return(std::vector<Choices>& from, std::vector<Choices>& to,
                                             Choices now) {
  if (from.empty()) return std::nullopt;
  to.push_back(std::move(now));
  Choices wanted = std::move(from.back());
  from.pop_back();
  return wanted;
}

}  // namespace tidemark::gui
