#include "app/presenters/moment/settings_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/presenters/moment/signed_bytes.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::Marker;
using timeline::Step;
using timeline::View;

constexpr size_t kTimedSteps = 8;
constexpr size_t kLeastTimedSteps = 3;

std::optional<networks::TrainingSettings> SettingsIn(const std::string* told) {
  const auto settings = networks::SettingsFromJson(told == nullptr ? "" : *told);
  return settings ? std::optional(*settings) : std::nullopt;
}

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

struct Durations {
  int64_t quarter_ns = 0;
  int64_t median_ns = 0;
  int64_t three_quarters_ns = 0;
};

// None where too few steps compute.
std::optional<Durations> DurationsOf(const std::vector<Step>& steps) {
  std::vector<int64_t> sorted;
  for (const Step& step : steps) {
    if (step.loss.value_or(0) != 0) sorted.push_back(SaturatingDifference(step.end_ns, step.begin_ns));
  }
  if (sorted.size() < kLeastTimedSteps) return std::nullopt;
  std::ranges::sort(sorted);
  const size_t last = sorted.size() - 1;
  return Durations{sorted[last / 4], sorted[sorted.size() / 2], sorted[last - last / 4]};
}

// None where it is not clear: steps of one run differ, too.
std::optional<double> TimesAsLong(const std::vector<Step>& before, const std::vector<Step>& after) {
  const std::optional<Durations> from = DurationsOf(before);
  const std::optional<Durations> to = DurationsOf(after);
  if (!from || !to || from->median_ns <= 0) return std::nullopt;
  const bool overlap = from->quarter_ns <= to->three_quarters_ns && to->quarter_ns <= from->three_quarters_ns;
  if (overlap) return std::nullopt;
  return static_cast<double>(to->median_ns) / static_cast<double>(from->median_ns);
}

}  // namespace

std::optional<SettingsChange> ChangeAt(const View& view, const Marker& marker) {
  if (marker.settings < 0) return std::nullopt;
  const std::vector<Step> before = StepsBefore(view, marker.index);
  const std::vector<Step> after = SteadyStepsAfter(view, marker);
  if (before.empty() || after.empty()) return std::nullopt;
  return SettingsChange{marker.text, before.front(), after.front(), TimesAsLong(before, after),
                        view.peak_level()};
}

std::optional<SettingsChange> LatestChange(const View& view) {
  for (size_t number = view.markers().size(); number > 0; --number) {
    if (auto change = ChangeAt(view, view.markers()[number - 1])) return change;
  }
  return std::nullopt;
}

std::optional<networks::TrainingSettings> SettingsInForce(const View& view, EventIndex index) {
  return SettingsIn(timeline::SettingsAt(view, index));
}

std::optional<networks::TrainingSettings> LastSettings(const View& view) {
  return SettingsIn(timeline::LatestSettings(view));
}

std::string SettingsDifference(const timeline::View& first, const timeline::View& second) {
  const auto settings = LastSettings(first);
  const auto others = LastSettings(second);
  return settings && others ? networks::DescribeChange(*settings, *others) : "";
}

bool GoesWith(const View& view, const networks::TrainingSettings& settings) {
  const std::string* told = view.steps().empty() ? nullptr : timeline::SettingsOf(view, view.steps().back());
  return told != nullptr && *told == networks::ToJson(settings);
}

std::string PriceOfTime(double times_as_long) {
  constexpr double kWorthTelling = 0.01;
  return std::abs(times_as_long - 1) < kWorthTelling ? "" : fmt::format(", time × {:.2f}", times_as_long);
}

std::string ConsequenceOf(const SettingsChange& change, ByteUnit unit) {
  const int64_t difference = SaturatingDifference(ValueOf(change.after.at_peak, change.level),
                                                  ValueOf(change.before.at_peak, change.level));
  return SignedBytes(difference, unit) + " at peak" + PriceOfTime(change.times_as_long.value_or(1));
}

}  // namespace tidemark::presenters
