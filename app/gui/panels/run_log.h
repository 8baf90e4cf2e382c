// What happened, line by line: changes, failures, and after every epoch what a PyTorch script would print.
#pragma once

#include <cstdint>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/run_log.h"

namespace tidemark::gui {

struct RunLogInput {
  const std::vector<presenters::LogLine>* lines = nullptr;
};
struct RunLogState {
  size_t lines_drawn = 0;  // to notice new ones
};

void DrawRunLogPanel(const RunLogInput& input, RunLogState& state, CommandQueue& queue);

}  // namespace tidemark::gui
