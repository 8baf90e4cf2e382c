#include "app/presenters/settings_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/presenters/signed_bytes.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::Marker;
using timeline::Step;
using timeline::View;

constexpr size_t kTimedSteps = 8;
constexpr size_t kLeastTimedSteps = 3;

auto FirstStepFrom(const View& view, EventIndex index) {
  return std::ranges::lower_bound(view.steps(), index, {}, &Step::begin);
}

// Complete steps with the same settings that began before the event, the last one first; kTimedSteps at most.
std::vector<Step> StepsBefore(const View& view, EventIndex index) {
  std::vector<Step> found;
  auto step = FirstStepFrom(view, index);
  while (step != view.steps().begin() && found.size() < kTimedSteps) {
    --step;
    if (!found.empty() && step->settings != found.front().settings) break;
    if (step->complete) found.push_back(*step);
  }
  return found;
}

// Complete steps with these settings but the first, which may still make state, or let go of old; kTimedSteps
// at most.
std::vector<Step> SteadyStepsAfter(const View& view, const Marker& marker) {
  std::vector<Step> found;
  bool is_steady = false;
  for (auto step = FirstStepFrom(view, marker.index);
       step != view.steps().end() && step->settings == marker.settings && found.size() < kTimedSteps;
       ++step) {
    if (step->complete && is_steady) found.push_back(*step);
    is_steady = is_steady || step->complete;
  }
  return found;
}

// None where too few steps compute.
std::optional<int64_t> MedianNs(const std::vector<Step>& steps) {
  std::vector<int64_t> durations;
  for (const Step& step : steps) {
    if (step.loss.value_or(0) != 0) durations.push_back(Difference(step.end_ns, step.begin_ns));
  }
  if (durations.size() < kLeastTimedSteps) return std::nullopt;
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return *middle;
}

}  // namespace

std::optional<SettingsChange> ChangeAt(const View& view, const Marker& marker) {
  if (marker.settings < 0) return std::nullopt;
  const std::vector<Step> before = StepsBefore(view, marker.index);
  const std::vector<Step> after = SteadyStepsAfter(view, marker);
  if (before.empty() || after.empty()) return std::nullopt;
  SettingsChange change{marker.text, before.front(), after.front(), std::nullopt};
  const std::optional<int64_t> before_ns = MedianNs(before);
  const std::optional<int64_t> after_ns = MedianNs(after);
  if (after_ns && before_ns.value_or(0) > 0)
    change.times_as_long = static_cast<double>(*after_ns) / static_cast<double>(*before_ns);
  return change;
}

std::optional<SettingsChange> LatestChange(const View& view) {
  for (size_t number = view.markers().size(); number > 0; --number) {
    if (auto change = ChangeAt(view, view.markers()[number - 1])) return change;
  }
  return std::nullopt;
}

std::string ConsequenceOf(const SettingsChange& change, ByteUnit unit) {
  constexpr auto kAllocated = timeline::Series::kAllocated;
  const int64_t difference =
      Difference(ValueOf(change.after.at_peak, kAllocated), ValueOf(change.before.at_peak, kAllocated));
  constexpr double kNoise = 0.05;  // steps of one run differ by that
  const double times = change.times_as_long.value_or(1);
  const std::string price = std::abs(times - 1) > kNoise ? fmt::format(", time × {:.2f}", times) : "";
  return SignedBytes(difference, unit) + " at peak" + price;
}

}  // namespace tidemark::presenters
