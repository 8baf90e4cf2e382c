// A step of training, operator by operator: the line of code that runs, the blocks that it brings and takes,
// and what is alive. UI thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/gui/panels/timeline/timeline.h"
#include "app/presenters/allocations/slow_motion.h"
#include "profiler/base/format.h"
#include "profiler/lessons/step_code.h"

namespace tidemark::gui {

struct SlowMotionInput {
  const timeline::View* view = nullptr;        // for names
  const presenters::StepWalk* walk = nullptr;  // none = not in slow motion, or no step to walk yet
  size_t stop = 0;
  const std::vector<presenters::BlockChange>* changes = nullptr;  // at the stop
  const timeline::State* state = nullptr;                         // where the stop is highest
  const std::vector<lessons::CodeLine>* code = nullptr;           // empty for a program that is not ours
  const lessons::CodePlace* place = nullptr;
  std::string stack;        // of a program that is not ours: the lines that led here; "" = not told
  bool tells_lines = true;  // of some operator of the step it is
  bool active = false;
  bool can_begin = false;  // there are operators to walk through, or may be
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};
// The walk itself is view state: it moves the moment that all panels show.
struct SlowMotionState {
  bool active = false;
  bool held = false;     // the run was asked to pause for it
  bool goes_on = false;  // it ran before, so it does again when this is left
  // Likewise what was looked at; none of a run that came since.
  std::optional<ShownTimeline> timeline;
  std::optional<events::EventIndex> pinned;
  size_t stop = 0;
  std::optional<events::EventIndex> shown;  // the moment that was pinned for the stop
  bool cpp = false;                         // where there is room for one language only
};

void DrawSlowMotionPanel(const SlowMotionInput& input, SlowMotionState& state, CommandQueue& queue);

}  // namespace tidemark::gui
