// Which panels are shown, and where, for what a person is about to do. UI thread only, with Dear ImGui's
// context.
#pragma once

#include <cstdint>
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

struct ShellState;  // shell.h

// A person's own arrangement, and the layouts that come in its place: for a while, or as a new beginning of
// it.
class Arrangement {
 public:
  explicit Arrangement(ShellState* shell) : shell_(shell) {}

  // As a person's own from now on; Return leads back to what it was before.
  void Take(Layout layout, ViewState& view);
  // For a while: the own one stays as it is.
  void Borrow(Layout layout, ViewState& view);
  // The own one, as it was; nothing where nothing is borrowed.
  void GiveBack(ViewState& view);
  // The same; where nothing is borrowed what the latest Take replaced, and once more the other way round.
  void Return(ViewState& view);
  // Low windows have places of their own for the panels, those of others stay as they are meanwhile.
  void TurnToOtherHeight(ViewState& view);

 private:
  ArrangedPanels AsItStands(const ViewState& view) const;
  void Show(Layout layout, ViewState& view);
  void PutBack(const ArrangedPanels& arranged, ViewState& view);
  void Dock(const Docking& docking, ViewState& view);

  ShellState* shell_;
};

}  // namespace tidemark::gui
