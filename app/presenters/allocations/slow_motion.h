// One step, operator by operator: where slow motion can stop, and which blocks come and go at each stop. Pure
// functions, any thread.
//
// A stop reaches from one operator's beginning to that of the next, so that what is freed when an operator
// has returned counts with it. What the step lets go of before its first operator, the gradients of the step
// before, is a stop without an operator; where it is nothing, the first operator's reaches back to the step's
// beginning. A program's step may begin inside its first operator (course.h): that is then the first stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct OperatorStop {
  events::EventIndex begin = 0;
  events::EventIndex end = 0;
  events::EventIndex highest =
      0;  // the last event at which most is allocated: what comes is there, nothing is gone
  events::Phase phase = events::Phase::kIdle;
  bool recompute = false;
  int64_t micro_batch = -1;  // -1 before the first
  events::NameId layer = 0;
  events::NameId op = 0;     // 0: none
  int64_t bytes_before = 0;  // allocated
  int64_t bytes_highest = 0;
  int64_t bytes_after = 0;
};

struct StepWalk {
  int64_t step = 0;
  events::EventIndex begin = 0;
  events::EventIndex end = 0;
  int64_t bytes_highest = 0;
  std::vector<OperatorStop> stops;   // empty where nobody tells of operators
  std::vector<int64_t> bytes_after;  // allocated after each event from `begin` on
};

// Operators that are drawn as one column.
struct StopColumn {
  size_t first = 0;  // index into StepWalk::stops
  size_t end = 0;
  events::Phase phase = events::Phase::kIdle;  // of the highest of them
  int64_t bytes_highest = 0;
  int64_t bytes_after = 0;  // the last
};
// As many as there are operators, but `most` (1 at least), of which each has as many operators. O(stops).
std::vector<StopColumn> ColumnsOf(const std::vector<OperatorStop>& stops, size_t most);

// O(events of the step). Nothing where `progress` ended it.
std::optional<StepWalk> WalkStep(const timeline::View& view, const timeline::Step& step,
                                 const Progress& progress = {});
// The one that a moment belongs to; the nearest for one outside of the step. There must be stops.
size_t StopAt(const StepWalk& walk, events::EventIndex moment);
// "conv2 backward", "conv1 forward again", "optimizer".
std::string TitleOf(const timeline::View& view, const OperatorStop& stop);

// The lines that led to what a stop allocates first, a line each, from the innermost; "" where nobody tells.
std::string StackOf(const timeline::View& view, const OperatorStop& stop);

enum class Change : uint8_t {
  kComes,    // and stays when the operator has returned
  kPasses,   // comes, and is gone again
  kBecomes,  // was there, and is something else from here on
  kGoes,
};
struct BlockChange {
  Change change = Change::kComes;
  std::string title;  // its tensor's name, also one that it gets only later; else who made it
  std::string role;   // "kept for backward"
  events::Category category = events::Category::kUnknown;
  int64_t bytes = 0;  // the block's
  uint64_t address = 0;
};
// In their order. O(events of the step).
std::vector<BlockChange> ChangesAt(const timeline::View& view, const StepWalk& walk, size_t stop);

}  // namespace tidemark::presenters
