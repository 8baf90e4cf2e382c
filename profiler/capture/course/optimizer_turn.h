// One turn of an optimizer in a program that is not ours: a range that torch.optim announces around step()
// (gates/user_scope_gate.h), as a part of the course. On the thread that announces it.
#pragma once

#include <optional>
#include <string_view>

#include "profiler/capture/course/course.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/tensor_names.h"
#include "profiler/events/torch_ranges.h"

namespace tidemark::capture {

struct OptimizerTurn {
  const void* optimizer = nullptr;  // Python's object; null where it is not found
  events::NameId state = 0;         // what it leaves is called
  bool is_in_course = false;        // inside backward it is not, and then it has none to end

  // Nothing where the range is none of an optimizer, and in a forked child. `source` names the state.
  static std::optional<OptimizerTurn> Begin(std::string_view range,
                                            events::Source source = events::Source::kTrainer) {
    if (!EventStreamIsOpen() || !range.starts_with(events::kOptimizerRangePrefix)) return std::nullopt;
    OptimizerTurn turn;
    turn.optimizer = FirstArgumentOf(kOptimizerWrapper, kOptimizerFile);
    turn.state = Intern(events::OptimizerStateName(range), source);
    turn.is_in_course = TheCourse().BeginOptimizer();
    return turn;
  }
  void End() const {
    if (is_in_course) TheCourse().EndOptimizer(optimizer);
  }
};

}  // namespace tidemark::capture
