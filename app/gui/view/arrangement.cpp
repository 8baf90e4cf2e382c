#include "app/gui/view/arrangement.h"

#include <imgui.h>

#include <algorithm>

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
  docked_before_.clear();
  view.learning = layout == Layout::kLearn;
  Show(layout, view);
}

void Arrangement::Borrow(Layout layout, ViewState& view) {
  shown_before_ = view.shown;
  cut_before_ = view.cut_widths;
  docked_before_ = ImGui::SaveIniSettingsToMemory();
  Show(layout, view);
}

void Arrangement::GiveBack(ViewState& view) {
  if (docked_before_.empty()) return;
  view.shown = shown_before_;
  view.cut_widths = cut_before_;
  ImGui::SetWindowFocus(nullptr);  // what has the focus would come before the tab that was in front
  ImGui::LoadIniSettingsFromMemory(docked_before_.data(), docked_before_.size());
  docked_before_.clear();
}

void Arrangement::Show(Layout layout, ViewState& view) {
  *is_reset_ = true;
  for (size_t i = 0; i < kPanelCount; ++i) view.shown[i] = IsShownIn(layout, Panels()[i].name);
}

}  // namespace tidemark::gui
