// Layer by layer: what it has, what it keeps for backward, and its share of the peak.
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/moment/layer_table.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct LayersInput {
  const presenters::SelectedOwners* selected = nullptr;
  const std::vector<presenters::LayerRow>* rows = nullptr;
  std::string moment;
  bool has_textbook = true;  // else there is nothing on paper: no shapes and formulas
  ByteUnit unit = ByteUnit::kMegabytes;
  bool on_phantom = false;         // the run is: its figures are predicted, too
  bool may_come = true;            // where there are no rows: the run, or another moment of it, may tell some
  bool activations_asked = false;  // a lesson asks for them: what is kept is not told
  std::string empty_reason;
};
struct LayersState {};

void DrawLayersPanel(const LayersInput& input, LayersState& state, CommandQueue& queue);

}  // namespace tidemark::gui
