#include "app/gui/choice_history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "app/gui/scene/learning.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

constexpr size_t kUndoLimit = 200;

}  // namespace

bool StartAlike(const Choices& a, const Choices& b) {
  return a.settings == b.settings && a.device == b.device && a.allocator == b.allocator &&
         a.kernels == b.kernels;
}

bool IsSame(const Choices& a, const Choices& b) { return StartAlike(a, b) && a.second.run == b.second.run; }

std::string DescribeChange(const Choices& from, const Choices& to, const std::vector<phantom::Card>& cards) {
  std::vector<std::string> changes;
  if (const std::string change = networks::DescribeChange(from.settings, to.settings); !change.empty())
    changes.push_back(change);
  if (to.device != from.device) {
    const phantom::Card* const card = phantom::CardNamed(cards, to.device.card);
    if (to.device.kind != networks::DeviceKind::kPhantom) {
      changes.push_back("on " + InWords(to.device));
    } else if (card != nullptr) {
      changes.push_back("on the " + session::ShortCardTitle(card->title));
    }
  }
  if (to.allocator != from.allocator) {
    changes.push_back(to.allocator.empty() ? "PyTorch's own allocator settings"
                                           : "allocator " + to.allocator);
  }
  if (to.kernels != from.kernels) changes.emplace_back(to.kernels ? "kernels told" : "kernels not told");
  return fmt::format("{}", fmt::join(changes, ", "));
}

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
