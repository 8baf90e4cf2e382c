// Of which moment is told: the peak of a step or of the run, or any other, and what it is called; and where
// the run had more. Pure functions, any thread. O(steps + log events).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Whose peak is told.
enum class Told : uint8_t {
  kStep,  // the last complete one
  // The same; all of the run where there is none, since a program need not have steps, and where more was
  // allocated after the last complete one: it may go on without.
  kStepOrRun,
};

struct PeakMoment {
  int64_t step = -1;  // or where memory ran out after it; -1 = all of the run, or between steps
  events::EventIndex index = 0;
  events::EventIndex step_end = 0;
  int64_t requested_bytes = 0;  // of a peak the highest of the step or run, else as it stood at that moment
  int64_t reserved_bytes = 0;   // the same
  std::string title;  // "at the peak of step 42", "at the peak of the run", "at the peak of the run,
                      // in step 3", "where memory ran out in step 3"
  bool is_peak = true;
  bool ran_out = false;  // memory did, at this moment
};
// Where the run ended for want of memory both are of that moment.
std::optional<PeakMoment> LatestPeak(const timeline::View& view, Told told = Told::kStep);
// Of a run that is over: the step that needed the most, the last of equals; all of the run where that was in
// no complete step.
std::optional<PeakMoment> PeakOfRun(const timeline::View& view);

// A peak as curves over a setting mark it.
struct MeasuredPeak {
  int64_t bytes = 0;     // allocated; where memory ran out, with the request that failed
  bool ran_out = false;  // so that the card has less
  std::optional<networks::TrainingSettings> settings;  // in force then; none where nobody told
};
MeasuredPeak MeasuredAt(const timeline::View& view, const PeakMoment& peak);

// Any event's: the peak of its step where it is that; else what was asked for and reserved then, "at event
// 318 of step 42". The index must be in the view.
PeakMoment ToldAt(const timeline::View& view, events::EventIndex index);

// As bytes of a level are told: "1.04 GB allocated", "1.04 GB from the driver".
std::string_view HeldAs(timeline::Series level);

// Where the run, as far as it is in the view, had more of View::peak_level() than at a moment, the last time
// it had.
struct HigherMoment {
  events::EventIndex index = 0;  // of the most
  int64_t bytes = 0;
  timeline::Series level = timeline::Series::kAllocated;
  std::string where;  // "in step 2", "after step 2, before the run began anew", "at event 318"
};
std::optional<HigherMoment> HigherElsewhere(const timeline::View& view, const PeakMoment& moment);
// "The most of the run, 346.96 MB allocated, was in step 2."
std::string InWords(const HigherMoment& higher, ByteUnit unit);

}  // namespace tidemark::presenters
