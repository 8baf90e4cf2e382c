// The panel of what fits: the phantom's largest batch, the changes that make a step fit with what each costs,
// memory against time, techniques tried on a person's program (program_techniques.h), and the run itself,
// otherwise (what_if.h).
#pragma once

#include <string>

#include "app/gui/commands/commands.h"
#include "app/gui/panels/program_techniques.h"
#include "app/gui/panels/what_if.h"
#include "app/presenters/advice/fit_advice.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::gui {

struct FitInput {
  const presenters::FitAdvice* advice = nullptr;
  networks::TrainingSettings settings;  // as they are now
  std::string card_title;
  std::string found_for_other;  // than what is shown: the answer is; "" = it is not
  bool can_search = false;      // a network of ours on a card
  bool is_program = false;      // of somebody's, whose command is known
  std::string allocator;        // PYTORCH_CUDA_ALLOC_CONF of the next run; "" = PyTorch's own
  bool live = false;
  ByteUnit unit = ByteUnit::kMegabytes;
  ProgramTechniquesInput techniques;
  WhatIfInput what_if;
};

void DrawFitPanel(const FitInput& input, WhatIfState& what_if, CommandQueue& queue);

}  // namespace tidemark::gui
