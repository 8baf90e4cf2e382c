#include "app/presenters/comparison/stretches.h"

namespace tidemark::presenters {

using events::EventIndex;
using timeline::View;

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
