#include "profiler/timeline/steps.h"

#include <algorithm>

namespace tidemark::timeline {
namespace {

const std::string* SettingsNumbered(const View& view, int32_t number) {
  const auto index = static_cast<size_t>(number);
  return number < 0 || index >= view.settings().size() ? nullptr : &view.settings()[index];
}

}  // namespace

Sequence<Step>::const_iterator FirstStepAfter(const View& view, EventIndex index) {
  return std::ranges::upper_bound(view.steps(), index, {}, &Step::begin);
}

const Step* LatestStepAt(const View& view, EventIndex index) {
  const auto after = FirstStepAfter(view, index);
  return after == view.steps().begin() ? nullptr : &*(after - 1);
}

const Step* StepAt(const View& view, EventIndex index) {
  const Step* latest = LatestStepAt(view, index);
  return latest != nullptr && index <= latest->end ? latest : nullptr;
}

size_t StepsUntilLastComplete(const View& view) {
  size_t steps = view.steps().size();
  while (steps > 0 && !view.steps()[steps - 1].complete) --steps;
  return steps;
}

const Step* LastCompleteStep(const View& view) {
  const size_t steps = StepsUntilLastComplete(view);
  return steps == 0 ? nullptr : &view.steps()[steps - 1];
}

const std::string* SettingsOf(const View& view, const Step& step) {
  return SettingsNumbered(view, step.settings);
}

const std::string* SettingsAt(const View& view, EventIndex index) {
  const Step* step = StepAt(view, index);
  return step == nullptr ? nullptr : SettingsOf(view, *step);
}

bool HasBegunAnewSince(const View& view, EventIndex index) {
  const auto after = FirstStepAfter(view, index);
  if (after == view.steps().begin() || after == view.steps().end()) return false;
  const Step& last = view.steps()[view.steps().size() - 1];
  return last.number - (after - 1)->number < view.steps().end() - after;
}

bool IsFirstWithItsSettings(const View& view, const Step& step) {
  if (step.number == 0) return true;
  const auto after = FirstStepAfter(view, step.begin);
  const bool has_one_before = after - view.steps().begin() > 1;
  return has_one_before && (after - 2)->settings != step.settings;
}

const Step* FirstWithLastSettings(const View& view) {
  const Step* first = nullptr;
  for (size_t i = view.steps().size(); i-- > 0;) {
    const Step& step = view.steps()[i];
    if (first == nullptr && !step.complete) continue;
    if (first != nullptr && step.settings != first->settings) break;
    first = &step;
  }
  return first;
}

EventIndex HighestMoment(const View& view, EventIndex begin, EventIndex end) {
  const Series level = view.peak_level();
  const View::Peak highest = view.PeakIn(level, begin, end);
  const int64_t bytes = ValueOf(highest.values, level);
  for (size_t i = view.steps().size(); i-- > 0;) {
    const Step& step = view.steps()[i];
    if (step.peak < begin) break;
    if (step.peak < end && ValueOf(step.at_peak, level) == bytes) return step.peak;
  }
  return highest.index;
}

const std::string* LatestSettings(const View& view) {
  for (size_t i = view.markers().size(); i-- > 0;) {
    if (view.markers()[i].settings >= 0) return SettingsNumbered(view, view.markers()[i].settings);
  }
  // The marker is let go with the events around it; the latest step ran with them.
  return view.steps().empty() ? nullptr : SettingsOf(view, view.steps().back());
}

}  // namespace tidemark::timeline
