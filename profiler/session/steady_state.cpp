#include "profiler/session/steady_state.h"

#include <algorithm>

namespace tidemark::session {

Prediction SteadyState(const timeline::View& view) {
  using timeline::Series;
  const auto& steps = view.steps();
  Prediction peaks;
  if (steps.empty()) return peaks;
  const bool settled = steps.size() > 1 && steps[1].complete;
  double shortest_seconds = 0;
  for (const timeline::Step& step : steps) {
    if (settled && (!step.complete || step.number == 0)) continue;
    peaks.requested_peak_bytes = std::max(peaks.requested_peak_bytes, step.requested_peak);
    peaks.reserved_peak_bytes = std::max(peaks.reserved_peak_bytes, step.reserved_peak);
    const int64_t allocated = timeline::ValueOf(step.at_peak, Series::kAllocated);
    if (allocated > peaks.allocated_peak_bytes) {
      peaks.allocated_peak_bytes = allocated;
      peaks.at_peak = step.at_peak;
    }
    const double seconds = static_cast<double>(step.end_ns - step.begin_ns) * 1e-9;
    shortest_seconds = shortest_seconds == 0 ? seconds : std::min(shortest_seconds, seconds);
  }
  peaks.step_seconds = shortest_seconds;
  return peaks;
}

}  // namespace tidemark::session
