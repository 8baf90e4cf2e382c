// What happened, line by line: changes, failures, and after every epoch what a PyTorch script would print.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/run/run_log.h"

namespace tidemark::gui {

struct RunLogInput {
  const std::vector<presenters::LogLine>* lines = nullptr;
};
// A row on the screen: a line of the log, or what of a long one wraps.
struct RunLogRow {
  size_t line = 0;
  std::string text;
  bool begins = true;
};
// The rows that lines have at a width. Kept, for thousands of lines are too many to measure in each frame.
class RunLogRows {
 public:
  // O(new lines); all anew where the width has changed, or the lines are others.
  const std::vector<RunLogRow>& Of(const std::vector<presenters::LogLine>& lines, float width);

 private:
  float width_ = 0;
  float text_size_ = 0;
  size_t lines_ = 0;
  presenters::LogLine last_;  // of them
  std::vector<RunLogRow> rows_;
};
struct RunLogState {
  size_t rows_drawn = 0;  // to notice new ones
  RunLogRows rows;
};

void DrawRunLogPanel(const RunLogInput& input, RunLogState& state, CommandQueue& queue);

}  // namespace tidemark::gui
