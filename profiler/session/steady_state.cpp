#include "profiler/session/steady_state.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "profiler/base/saturating.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/computed_types.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::session {
namespace {

using timeline::Series;

bool IsSteady(const timeline::Step& step) { return step.complete && step.number > 0; }

double MedianSeconds(std::vector<int64_t> durations_ns) {
  if (durations_ns.empty()) return 0;
  const auto middle = durations_ns.begin() + static_cast<std::ptrdiff_t>(durations_ns.size() / 2);
  std::nth_element(durations_ns.begin(), middle, durations_ns.end());
  return static_cast<double>(*middle) * 1e-9;
}

void TakePeak(const timeline::View& view, const timeline::State& state, Prediction& peaks) {
  peaks.at_peak = state.values;
  if (state.index < view.end()) peaks.phase_at_peak = view.event(state.index).phase;
  peaks.requested_at_peak = timeline::RequestedByCategory(state);
}

void AddFailures(const timeline::View& view, timeline::EventIndex begin, Prediction& peaks) {
  peaks.out_of_memory = !WentOnAfterFailures(view, begin);
  if (peaks.out_of_memory) return;
  peaks.times_survived = std::ranges::count_if(
      view.out_of_memory(), [begin](const timeline::OutOfMemory& failure) { return failure.index >= begin; });
}

}  // namespace

std::vector<int64_t> CurveOf(const timeline::View& view, const timeline::Step& step) {
  const timeline::EventIndex begin = std::max(step.begin, view.first());
  const timeline::EventIndex end = std::min(step.end, view.end());
  if (end < begin + kStepColumns) return {};
  std::vector<timeline::Bucket> buckets(kStepColumns);
  view.Envelope(Series::kAllocated, begin, end, buckets);
  std::vector<int64_t> curve;
  curve.reserve(buckets.size());
  for (const timeline::Bucket& bucket : buckets) curve.push_back(bucket.max);
  return curve;
}

Prediction LargestSince(const timeline::View& view, timeline::EventIndex begin) {
  const auto peak = [&](Series series) { return view.PeakIn(series, begin, view.end()).values; };
  Prediction peaks;
  const timeline::EventIndex highest = timeline::HighestMoment(view, begin, view.end());
  TakePeak(view, timeline::SettledStateAt(view, highest, timeline::SettledBy(view, highest)), peaks);
  peaks.allocated_peak_bytes = ValueOf(peaks.at_peak, Series::kAllocated);
  peaks.requested_peak_bytes = ValueOf(peak(Series::kRequested), Series::kRequested);
  peaks.reserved_peak_bytes = ValueOf(peak(Series::kReserved), Series::kReserved);
  AddFailures(view, begin, peaks);
  return peaks;
}

Prediction SteadyState(const timeline::View& view, timeline::EventIndex begin) {
  if (!WentOnAfterFailures(view, begin)) return LargestSince(view, begin);
  const bool any_steady =
      std::any_of(view.steps().begin(), view.steps().end(),
                  [&](const timeline::Step& step) { return step.begin >= begin && IsSteady(step); });
  Prediction peaks;
  const timeline::Step* largest = nullptr;
  std::vector<int64_t> durations_ns;
  for (const timeline::Step& step : view.steps()) {
    if (step.begin < begin || (any_steady && !IsSteady(step))) continue;
    if (step.complete) durations_ns.push_back(SaturatingDifference(step.end_ns, step.begin_ns));
    peaks.requested_peak_bytes = std::max(peaks.requested_peak_bytes, step.requested_peak);
    const int64_t allocated = ValueOf(step.at_peak, Series::kAllocated);
    if (allocated <= peaks.allocated_peak_bytes) continue;
    peaks.allocated_peak_bytes = allocated;
    largest = &step;
  }
  if (largest != nullptr) {
    peaks.reserved_peak_bytes =
        ValueOf(view.PeakIn(Series::kReserved, begin, view.end()).values, Series::kReserved);
    TakePeak(view, timeline::SettledStateAt(view, largest->peak, largest->end), peaks);
    peaks.step_curve = CurveOf(view, *largest);
    peaks.types_of_layers = timeline::ComputedTypes(view, *largest);
  }
  peaks.step_seconds = MedianSeconds(std::move(durations_ns));
  AddFailures(view, begin, peaks);
  return peaks;
}

}  // namespace tidemark::session
