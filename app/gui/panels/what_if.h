// The run that is shown, otherwise: its requests, put to PyTorch's allocator with other settings, on another
// card or after another run, before and after over each other. A part of the panel of what fits. UI thread,
// inside a frame.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/gui/background/trials.h"
#include "app/gui/commands/commands.h"
#include "app/gui/commands/other_setup.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::gui {

struct WhatIfInput {
  const Trials* trials = nullptr;
  const std::vector<phantom::Card>* cards = nullptr;
  std::string card;                     // the run's; where it names none the one that is chosen
  bool card_is_named = true;            // by the run
  int64_t limit_bytes = 0;              // of the run's memory, where it had less than its card; else 0
  networks::TrainingSettings settings;  // of a run that is begun so
  std::string allocator;                // PYTORCH_CUDA_ALLOC_CONF of the next run; "" = PyTorch's own
  bool can_try = false;                 // there is a run to replay
  bool can_start = false;               // a run of ours, with other settings of the allocator
  ByteUnit unit = ByteUnit::kMegabytes;
};

struct WhatIfState {
  OtherSetup setup;  // as far as it is chosen; what is typed is in the two below
  std::array<char, 32> memory{};
  std::array<char, 256> allocator{};
  int plotted = -1;  // the row; -1 = the one that does best
  size_t rows = 0;   // that were there before: where there are more, they come into sight
};

void DrawWhatIf(const WhatIfInput& input, WhatIfState& state, CommandQueue& queue);

}  // namespace tidemark::gui
