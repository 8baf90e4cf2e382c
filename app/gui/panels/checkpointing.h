// The price of checkpointing as a curve: what a step needs by each way to checkpoint, over how much of
// forward runs again for it; textbook, phantom, the card's line, and what was measured. A click on a point
// chooses its way. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/moment/peak_moment.h"
#include "profiler/base/format.h"
#include "profiler/lessons/glossary.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::gui {

struct CheckpointWay {
  networks::Checkpointing checkpoint;
  int64_t saved_bytes = 0;               // by the textbook, what backward needs at most
  int64_t total_bytes = 0;               // by the textbook, all of a step
  double share_run_again = 0;            // of forward's operations
  double step_seconds = 0;               // estimated; 0 = not known
  bool is_best = false;                  // no other has both fewer bytes and less run again
  std::optional<int64_t> phantom_bytes;  // allocated at the peak; of one that does not fit, what it exceeds
  bool does_not_fit = false;             // says the phantom
};

struct CheckpointingInput {
  std::vector<CheckpointWay> ways;  // by bytes; empty = nothing to show
  bool shown = false;               // in the frame before: what is not shown is not planned
  networks::TrainingSettings settings;
  bool planning = false;   // for other settings than the ways are of
  bool cancelled = false;  // by the person
  std::optional<presenters::MeasuredPeak> measured;
  int64_t card_bytes = 0;   // 0 = not known
  bool on_phantom = false;  // the run is: the ring is predicted, too
  bool locked = false;      // by a lesson or a session code
  ByteUnit unit = ByteUnit::kMegabytes;
  const lessons::Glossary* glossary = nullptr;
  std::string empty_reason;
};
struct CheckpointingState {
  bool drawn = false;  // in this frame: a hidden tab is not prepared
};

void DrawCheckpointingPanel(const CheckpointingInput& input, CheckpointingState& state, CommandQueue& queue);

// What a way gains or why it gains nothing, in a sentence. Pure.
std::string WhyOfWay(const CheckpointWay& way, const std::vector<CheckpointWay>& ways, ByteUnit unit);

}  // namespace tidemark::gui
