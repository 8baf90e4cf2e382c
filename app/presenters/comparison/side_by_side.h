// What the Compare panel shows: two runs at a moment each, or one run at two moments: of a person's choice,
// or before and after a change of settings. Pure functions; see state_comparison.h for their cost. Blocks are
// told by the sizes that were set aside, which every run knows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/presenters/comparison/state_comparison.h"
#include "app/presenters/comparison/stream_comparison.h"
#include "app/presenters/moment/settings_change.h"
#include "profiler/base/format.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct SideBySide {
  std::string title_a;      // "this run", "before", "step 3", "event 1,204"
  std::string title_b;      // "fp16.tide", "after"
  std::string moment;       // "at each one's peak", "at the peaks of steps 12 and 14"
  std::string headline;     // "fp16 on: −45.4 MB at peak"; "" of two runs
  bool of_one_run = false;  // both sides are of the run that is shown; else only A is
  std::vector<ComparedBytes> levels;
  StateComparison states;
  std::shared_ptr<const TwoMoments> moments;  // that the states are of; they point to the views
};

// At `moment` of the shown run and the same place of the other (same_place.h tells of `same`); at each
// one's own peak since it began anew without a moment, and where the other is as high where this one's is,
// but for rounding, there. Nothing where the other has no such place, or `progress` ended it.
std::optional<SideBySide> CompareRunsAt(const timeline::View& shown, const timeline::View& other,
                                        const std::string& other_title,
                                        std::optional<events::EventIndex> moment,
                                        std::span<const SameEvent> same = {}, const Progress& progress = {});

// What changed from one moment of a run to another: what grew, and which blocks came and stayed.
std::optional<SideBySide> CompareMoments(const timeline::View& view, events::EventIndex a,
                                         events::EventIndex b, const Progress& progress = {});

// Two steps of a run, each at its peak (compared_peaks.h).
std::optional<SideBySide> CompareSteps(const timeline::View& view, const timeline::Step& a,
                                       const timeline::Step& b, const Progress& progress = {});
std::optional<SideBySide> CompareChange(const timeline::View& view, const SettingsChange& change,
                                        ByteUnit unit, const Progress& progress = {});

}  // namespace tidemark::presenters
