#include "profiler/timeline/steps.h"

#include <algorithm>

namespace tidemark::timeline {

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

}  // namespace tidemark::timeline
