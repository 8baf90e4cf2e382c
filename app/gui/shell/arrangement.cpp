#include "app/gui/shell/arrangement.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/gui/shell/shell.h"
#include "app/gui/view/panel_table.h"

namespace tidemark::gui {
namespace {

// Pages bring up the others where they need them.
constexpr std::array<std::string_view, 8> kLearning = {"run_controls", "timeline", "memory_map", "layers",
                                                       "breakdown",    "bridge",   "findings",   "lessons"};
constexpr std::array<std::string_view, 3> kComparing = {"timeline", "live_tree", "compare"};
constexpr std::array<std::string_view, 3> kWalking = {"timeline", "memory_map", "slow_motion"};
constexpr std::array<std::string_view, 4> kNotOfAProfile = {"lessons", "compare", "batch", "checkpointing"};

}  // namespace

bool IsShownIn(Layout layout, std::string_view panel) {
  const auto is_among = [panel](const auto& names) { return std::ranges::count(names, panel) > 0; };
  switch (layout) {
    case Layout::kAll:
      return true;
    case Layout::kProfile:
      return !is_among(kNotOfAProfile);
    case Layout::kCompare:
      return is_among(kComparing);
    case Layout::kLearn:
      return is_among(kLearning);
    case Layout::kWalk:
      return is_among(kWalking);
  }
  return true;
}

void Arrangement::Take(Layout layout, ViewState& view) {
  view.replaced = view.own ? *std::exchange(view.own, std::nullopt) : AsItStands(view);
  Show(layout, view);
}

void Arrangement::Borrow(Layout layout, ViewState& view) {
  if (!view.own) view.own = AsItStands(view);
  Show(layout, view);
}

void Arrangement::GiveBack(ViewState& view) {
  if (view.own) PutBack(*std::exchange(view.own, std::nullopt), view);
}

void Arrangement::Return(ViewState& view) {
  if (view.own) return GiveBack(view);
  if (view.replaced) PutBack(*std::exchange(view.replaced, AsItStands(view)), view);
}

void Arrangement::TurnToOtherHeight(ViewState& view) {
  const std::optional<Docking> other = std::exchange(view.in_other_height, AsItStands(view));
  Dock(other.value_or(Docking()), view);
}

// Where no window is open nothing is docked.
ArrangedPanels Arrangement::AsItStands(const ViewState& view) const {
  ArrangedPanels arranged = view;
  arranged.layout = ImGui::GetCurrentContext() == nullptr ? "" : LayoutToKeep(*shell_);
  return arranged;
}

void Arrangement::Show(Layout layout, ViewState& view) {
  view.learning = layout == Layout::kLearn;
  view.in_other_height.reset();
  for (size_t i = 0; i < kPanelCount; ++i) view.shown[i] = IsShownIn(layout, Panels()[i].name);
  shell_->reset_layout = true;
}

void Arrangement::PutBack(const ArrangedPanels& arranged, ViewState& view) {
  static_cast<ArrangedPanels&>(view) = arranged;
  Dock(arranged, view);
}

void Arrangement::Dock(const Docking& docking, ViewState& view) {
  static_cast<Docking&>(view) = docking;
  ForgetPassing(*shell_);
  shell_->reset_layout = docking.layout.empty();
  if (docking.layout.empty()) return;
  ImGui::SetWindowFocus(nullptr);  // what has the focus would come before the tab that was in front
  ImGui::LoadIniSettingsFromMemory(docking.layout.data(), docking.layout.size());
}

}  // namespace tidemark::gui
