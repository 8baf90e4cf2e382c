// The peak of a person's program over one of its options, run by run as they end: allocated, and what it
// takes of the card, whose line is above them. A click on a point runs the program with that value. UI thread
// only.
#pragma once

#include "app/gui/background/program_sweep.h"
#include "app/gui/commands/commands.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct ProgramSweepInput {
  const ProgramSweep* sweep = nullptr;  // none = the panel is not drawn
  ByteUnit unit = ByteUnit::kMegabytes;
};

void DrawProgramSweepPanel(const ProgramSweepInput& input, CommandQueue& queue);

}  // namespace tidemark::gui
