// Which panels are shown, and where, for what a person is about to do. UI thread only, with Dear ImGui's
// context.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "app/gui/view/view_state.h"

namespace tidemark::gui {

enum class Layout : uint8_t {
  kAll,
  kProfile,  // a run and nothing else
  kCompare,
  kLearn,  // with the lessons on the right
  kWalk,   // through a step, in slow motion
};
// By the panel's name.
bool IsShownIn(Layout layout, std::string_view panel);

class Arrangement {
 public:
  // `is_reset`: the next frame docks all panels where they belong, and sets it back.
  explicit Arrangement(bool* is_reset) : is_reset_(is_reset) {}

  // What was borrowed is not given back after that.
  void Take(Layout layout, ViewState& view);
  // For a while.
  void Borrow(Layout layout, ViewState& view);
  // As it was before; nothing where nothing is borrowed.
  void GiveBack(ViewState& view);

 private:
  void Show(Layout layout, ViewState& view);

  bool* is_reset_;
  std::array<bool, kPanelCount> shown_before_{};
  std::map<unsigned, CutWidth> cut_before_;
  std::string docked_before_;  // as Dear ImGui writes it; "" = nothing is borrowed
};

}  // namespace tidemark::gui
