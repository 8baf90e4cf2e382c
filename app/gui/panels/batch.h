// The peak over the batch size: what the textbook and the phantom say of every batch, the card's line, and
// what was measured. Dragging through it changes the batch. UI thread only.
#pragma once

#include <optional>
#include <string>

#include "app/gui/commands/commands.h"
#include "app/presenters/advice/batch_curve.h"
#include "app/presenters/moment/peak_moment.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct BatchInput {
  const presenters::BatchCurve* curve = nullptr;  // none = nothing to show
  networks::TrainingSettings settings;            // that are chosen
  int batch = 0;                                  // that is looked at: dragged here, or by the slider
  std::optional<presenters::MeasuredPeak> measured;
  int64_t card_bytes = 0;   // 0 = not known
  bool on_phantom = false;  // the run is: the ring is predicted, too
  bool locked = false;      // by a lesson or a session code
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};
struct BatchState {
  std::optional<int> dragged;
  bool drawn = false;  // in this frame: a hidden tab is not prepared
};

void DrawBatchPanel(const BatchInput& input, BatchState& state, CommandQueue& queue);

}  // namespace tidemark::gui
