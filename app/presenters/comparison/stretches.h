// Events of two runs that belong together: steps by their numbers, and within a step phases. What the
// comparison of streams and the curve of a second run are aligned by. Pure functions, any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "app/presenters/comparison/alignment.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Events, and what makes them comparable: the number of a step, or a phase.
struct Stretch {
  events::EventIndex begin = 0;
  events::EventIndex end = 0;
  int64_t key = 0;
};

// What of a run is compared: what came since it last began anew, which is all of most runs. What was before
// is a run of its own, with settings, perhaps a network, that it has no more, and numbers its steps from 0 as
// this does. O(steps and markers since).
struct ComparedPart {
  size_t first_step = 0;  // of View::steps()
  events::EventIndex begin = 0;

  bool is_whole() const { return first_step == 0; }
};
ComparedPart ComparedPartOf(const timeline::View& view);

// Whether it knows where forward is: a snapshot's annotations tell of optimizers alone. O(phases).
bool TellsPhases(const timeline::View& view);

// The phases of a stretch, in order and without gaps; of neighbours of the same phase one. All of it where
// phases do not count. O(log phases + phases in it).
std::vector<Stretch> PhaseStretches(const timeline::View& view, const Stretch& whole, bool by_phase);

// Calls `both` for stretches that belong together, and `alone` for those that only one run has, beside the
// place in the other where they would be, which is an empty stretch; in their order. No run has none.
template <typename Both, typename Alone>
void PairStretches(const std::vector<Stretch>& a, const std::vector<Stretch>& b, Both both, Alone alone) {
  const auto keys = [](const std::vector<Stretch>& stretches) {
    std::vector<int64_t> list;
    std::transform(stretches.begin(), stretches.end(), std::back_inserter(list),
                   [](const Stretch& stretch) { return stretch.key; });
    return list;
  };
  const auto place = [](const std::vector<Stretch>& stretches, size_t at) {
    const events::EventIndex event = at < stretches.size() ? stretches[at].begin : stretches.back().end;
    return Stretch{event, event, 0};
  };
  size_t i = 0;
  size_t j = 0;
  const auto pair_until = [&](size_t end) {
    while (i < end) both(a[i++], b[j++]);
  };
  for (const AlignmentGap& gap : Align(keys(a), keys(b), 1).gaps) {
    pair_until(gap.a);
    for (; i < gap.a + gap.only_a; ++i) alone(a[i], place(b, gap.b));
    for (; j < gap.b + gap.only_b; ++j) alone(place(a, i), b[j]);
  }
  pair_until(a.size());
}

}  // namespace tidemark::presenters
