// The panel of what fits: the phantom's largest batch, the changes that make a step fit with what each costs,
// memory against time, and what other settings of PyTorch's allocator would do to the run.
#pragma once

#include <string>

#include "app/gui/commands.h"
#include "app/gui/fit_advice.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::gui {

struct FitInput {
  const FitAdvice* advice = nullptr;
  networks::TrainingSettings settings;  // as they are now
  std::string card_title;
  bool can_search = false;  // a network of ours on a card
  bool can_try = false;     // there is a run to replay
  std::string allocator;    // PYTORCH_CUDA_ALLOC_CONF of the next run; "" = PyTorch's own
  bool can_start = false;   // a run of ours, with other settings of the allocator
  bool live = false;
  ByteUnit unit = ByteUnit::kMegabytes;
};

void DrawFitPanel(const FitInput& input, CommandQueue& queue);

}  // namespace tidemark::gui
