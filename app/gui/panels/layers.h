// Layer by layer: what it has, what it keeps for backward, and its share of the peak.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/moment/layer_table.h"
#include "profiler/base/format.h"
#include "profiler/events/event.h"

namespace tidemark::gui {

struct LayersInput {
  const presenters::SelectedOwners* selected = nullptr;
  const std::vector<presenters::LayerRow>* rows = nullptr;
  std::string moment;
  bool has_textbook = true;  // else there is nothing on paper: no shapes and formulas
  ByteUnit unit = ByteUnit::kMegabytes;
  bool on_phantom = false;  // the run is: its figures are predicted, too
  bool may_come = true;     // where there are no rows: the run, or another moment of it, may tell some
  std::set<events::Category> asked;  // a lesson asks for these: their figures are not told
  std::string empty_reason;
};
enum class LayerColumn : uint8_t {
  kOutput,
  kType,
  kParameters,
  kKeptOnPaper,
  kKept,
  kMadeAgain,
  kGradients,
  kOptimizer,
  kTemporary,
  kWorkspace,
  kShare
};
struct LayersState {
  std::optional<LayerColumn> sort;  // none: as the network has them, or the run met them
  bool descending = true;
  std::string sought = {};  // the selected layer whose row was brought into sight
};

void DrawLayersPanel(const LayersInput& input, LayersState& state, CommandQueue& queue);

}  // namespace tidemark::gui
