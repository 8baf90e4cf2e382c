// What a program was doing, from its operators, where nobody says it: backward is where autograd's engine
// evaluates, and forward where operators run that backward will need. Not thread safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/events/event.h"
#include "profiler/events/torch_ranges.h"
#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {

class GuessedPhase {
 public:
  events::Phase now() const { return now_; }
  void Set(events::Phase phase) { now_ = phase; }
  // Whether that changed the phase. Within an optimizer's step nothing does.
  bool Begin(const TraceSlice& slice, std::string_view name) {
    const bool is_node = name.starts_with(events::kEngineRangePrefix);
    nodes_ += is_node ? 1 : 0;
    const events::Phase before = now_;
    if (now_ != events::Phase::kOptimizer && is_node) now_ = events::Phase::kBackward;
    if (now_ != events::Phase::kOptimizer && nodes_ == 0 && slice.is_differentiable)
      now_ = events::Phase::kForward;
    return now_ != before;
  }
  void End(std::string_view name) { nodes_ -= name.starts_with(events::kEngineRangePrefix) ? 1 : 0; }

 private:
  events::Phase now_ = events::Phase::kIdle;
  int64_t nodes_ = 0;  // of backward's graph that are being evaluated, on all threads
};

}  // namespace tidemark::trace
