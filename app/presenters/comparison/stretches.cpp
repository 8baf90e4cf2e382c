#include "app/presenters/comparison/stretches.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::View;

// Between two steps: with what settings are told last, for by then what was before has been let go; else
// behind the step before.
EventIndex BeginOfNewRun(const View& view, const timeline::Step& before, const timeline::Step& first) {
  for (size_t i = view.markers().size(); i-- > 0 && view.markers()[i].index > before.end;) {
    const timeline::Marker& marker = view.markers()[i];
    if (marker.settings >= 0 && marker.index < first.begin) return marker.index;
  }
  return before.complete ? before.end + 1 : before.end;
}

}  // namespace

ComparedPart ComparedPartOf(const View& view) {
  const auto& steps = view.steps();
  for (size_t i = steps.size(); i-- > 1;) {
    if (steps[i].number < steps[i - 1].number) return {i, BeginOfNewRun(view, steps[i - 1], steps[i])};
  }
  return {0, view.first()};
}

bool TellsPhases(const View& view) {
  return std::ranges::any_of(
      view.phases(), [](const timeline::PhaseSpan& span) { return span.phase == events::Phase::kForward; });
}

std::vector<Stretch> PhaseStretches(const View& view, const Stretch& whole, bool by_phase) {
  constexpr auto kIdle = static_cast<int64_t>(events::Phase::kIdle);
  std::vector<Stretch> stretches = {{whole.begin, whole.end, kIdle}};
  if (!by_phase) return stretches;
  const auto& phases = view.phases();
  auto phase = std::upper_bound(phases.begin(), phases.end(), whole.begin,
                                [](EventIndex at, const timeline::PhaseSpan& span) { return at < span.end; });
  for (; phase != phases.end() && phase->begin < whole.end; ++phase) {
    const auto key = static_cast<int64_t>(phase->phase);
    const EventIndex begin = std::max(phase->begin, whole.begin);
    if (begin == stretches.back().begin) stretches.pop_back();
    if (!stretches.empty() && stretches.back().key == key) continue;
    if (!stretches.empty()) stretches.back().end = begin;
    stretches.push_back({begin, whole.end, key});
  }
  return stretches;
}

}  // namespace tidemark::presenters
