// The panel on the left while a program of the user's is shown: what it is, what it took, and how to end it.
// Our own runs have their controls there (run_controls.h).
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/run/program_facts.h"

namespace tidemark::gui {

struct CaptureLine;

struct ProgramInput {
  presenters::ProgramFacts facts;
  std::string state;  // "runs"
  bool can_stop = false;
};

void DrawProgramPanel(const ProgramInput& input, const std::vector<CaptureLine>& capture,
                      CommandQueue& queue);

}  // namespace tidemark::gui
