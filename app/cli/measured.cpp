#include "app/cli/measured.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tidemark::cli {
namespace {

bool IsSteady(const timeline::Step& step) { return step.complete && step.number > 0; }

double MedianSeconds(std::vector<int64_t> durations_ns) {
  if (durations_ns.empty()) return 0;
  const auto middle = durations_ns.begin() + static_cast<std::ptrdiff_t>(durations_ns.size() / 2);
  std::nth_element(durations_ns.begin(), middle, durations_ns.end());
  return static_cast<double>(*middle) * 1e-9;
}

}  // namespace

session::Prediction MeasuredPeaks(const timeline::View& view) {
  session::Prediction peaks;
  peaks.out_of_memory = !view.out_of_memory().empty();
  const bool any_steady = std::any_of(view.steps().begin(), view.steps().end(), IsSteady);
  const bool steady_only = any_steady && !peaks.out_of_memory;
  std::vector<int64_t> durations_ns;
  for (const timeline::Step& step : view.steps()) {
    if (step.complete && (IsSteady(step) || !any_steady)) durations_ns.push_back(step.end_ns - step.begin_ns);
    if (steady_only && !IsSteady(step)) continue;
    peaks.requested_peak_bytes = std::max(peaks.requested_peak_bytes, step.requested_peak);
    peaks.reserved_peak_bytes = std::max(peaks.reserved_peak_bytes, step.reserved_peak);
    const int64_t allocated = timeline::ValueOf(step.at_peak, timeline::Series::kAllocated);
    if (allocated <= peaks.allocated_peak_bytes) continue;
    peaks.allocated_peak_bytes = allocated;
    peaks.at_peak = step.at_peak;
  }
  peaks.step_seconds = MedianSeconds(std::move(durations_ns));
  return peaks;
}

}  // namespace tidemark::cli
