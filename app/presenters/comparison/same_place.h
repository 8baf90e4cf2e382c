// Where a moment of one run lies in another: aligned by step, of those since each of the two last began anew
// (ComparedPart), within a step by phase where both know phases, and within those by how much of them is
// over. Where one of the two does not know them, as a snapshot, by the allocations that agree. Pure
// functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/presenters/comparison/step_numbers.h"
#include "app/presenters/comparison/stream_comparison.h"
#include "app/presenters/comparison/stretches.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Whether one of the two knows no steps or no phases: then the allocations that agree in order
// (stream_comparison.h) tell what lies where. `same` below is of `shown` and `other`, or of these when they
// were shorter; it counts only there. Where none agree the two lie over each other step by step, else event
// by event from their beginnings. O(phases).
bool AlignByAllocations(const timeline::View& shown, const timeline::View& other);

// The places of a run's moments in another, for many that ascend: the step that was asked for last is kept.
// One thread; the views and `same` outlive it.
class SamePlaces {
 public:
  // O(steps and markers since they began anew).
  SamePlaces(const timeline::View& shown, const timeline::View& other, std::span<const SameEvent> same);

  // The event of the other that lies where `index` lies in `shown`; nothing where the other has no such step,
  // or ended before, and of what was before `shown` began anew. O(log steps + phases of a step + log `same`);
  // and O(phases) where there is no forward.
  std::optional<events::EventIndex> Of(events::EventIndex index);

 private:
  // A step with what follows until the next, or what comes before the first.
  struct StepSpan {
    events::EventIndex begin = 0;
    events::EventIndex end = 0;
    bool grows = false;  // it has not ended yet, or never will: how much of it is over is not known
  };
  struct Paired {
    Stretch shown;
    Stretch other;  // empty: the other lacks it, and here is where it would be
  };
  static StepSpan BeforeSteps(const timeline::View& view, const ComparedPart& part);
  static StepSpan SpanOfStep(const timeline::View& view, size_t position);
  bool AgreesIn(const StepSpan& span) const;
  std::optional<events::EventIndex> Beside(events::EventIndex index) const;
  void Pair(size_t step);
  std::optional<events::EventIndex> InStep(events::EventIndex index) const;

  const timeline::View& shown_;
  const timeline::View& other_;
  std::span<const SameEvent> same_;
  ComparedPart part_of_shown_;
  ComparedPart part_of_other_;
  StepNumbers other_steps_;
  bool by_phase_;
  std::optional<size_t> step_;  // of the part, counts from 1; 0 is what comes before the first
  StepSpan in_shown_;
  std::optional<StepSpan> in_other_;  // none: the other lacks it
  std::vector<Paired> pairs_;         // ascend in both
};

// One of them.
std::optional<events::EventIndex> SamePlace(const timeline::View& shown, events::EventIndex index,
                                            const timeline::View& other,
                                            std::span<const SameEvent> same = {});

}  // namespace tidemark::presenters
