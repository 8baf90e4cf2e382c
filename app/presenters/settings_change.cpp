#include "app/presenters/settings_change.h"

#include <algorithm>

#include "app/presenters/signed_bytes.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::Marker;
using timeline::Step;
using timeline::View;

// The last complete step that began before the event.
const Step* StepBefore(const View& view, EventIndex index) {
  const auto& steps = view.steps();
  auto after = std::lower_bound(steps.begin(), steps.end(), index,
                                [](const Step& step, EventIndex at) { return step.begin < at; });
  while (after != steps.begin()) {
    --after;
    if (after->complete) return &*after;
  }
  return nullptr;
}

// The second complete step with these settings: the first may still make state, or let go of old.
const Step* SteadyStepAfter(const View& view, const Marker& marker) {
  const auto& steps = view.steps();
  auto step = std::lower_bound(steps.begin(), steps.end(), marker.index,
                               [](const Step& candidate, EventIndex at) { return candidate.begin < at; });
  int complete = 0;
  for (; step != steps.end() && step->settings == marker.settings; ++step) {
    if (step->complete && ++complete == 2) return &*step;
  }
  return nullptr;
}

}  // namespace

std::optional<SettingsChange> ChangeAt(const View& view, const Marker& marker) {
  if (marker.settings < 0) return std::nullopt;
  const Step* before = StepBefore(view, marker.index);
  const Step* after = SteadyStepAfter(view, marker);
  if (before == nullptr || after == nullptr) return std::nullopt;
  return SettingsChange{marker.text, *before, *after};
}

std::optional<SettingsChange> LatestChange(const View& view) {
  for (size_t number = view.markers().size(); number > 0; --number) {
    if (auto change = ChangeAt(view, view.markers()[number - 1])) return change;
  }
  return std::nullopt;
}

std::string ConsequenceOf(const SettingsChange& change, ByteUnit unit) {
  constexpr auto kAllocated = timeline::Series::kAllocated;
  return SignedBytes(Difference(ValueOf(change.after.at_peak, kAllocated),
                                ValueOf(change.before.at_peak, kAllocated)),
                     unit) +
         " at peak";
}

}  // namespace tidemark::presenters
