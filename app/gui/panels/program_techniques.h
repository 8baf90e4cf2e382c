// Techniques that a person's program does not use itself, tried on it: what each takes, and whether it fits.
// A part of the panel of what fits. UI thread, inside a frame.
#pragma once

#include <vector>

#include "app/gui/background/program_techniques.h"
#include "app/gui/commands/commands.h"
#include "profiler/base/format.h"
#include "profiler/session/program_order.h"

namespace tidemark::gui {

struct ProgramTechniquesInput {
  // What there is to try, the run that is shown first; none or empty = nothing.
  const std::vector<session::TechniqueOrder>* to_try = nullptr;
  const ProgramTechniques* found = nullptr;  // none = nobody has tried them
  bool was_started_elsewhere = false;        // on a phantom, but not from this window
  ByteUnit unit = ByteUnit::kMegabytes;

  bool can_try() const { return to_try != nullptr && to_try->size() > 1; }
};

void DrawProgramTechniques(const ProgramTechniquesInput& input, const std::string& card_title,
                           CommandQueue& queue);

}  // namespace tidemark::gui
