#include "app/presenters/moment/peak_moment.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/presenters/moment/moment_title.h"
#include "app/presenters/moment/settings_change.h"
#include "profiler/base/saturating.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using timeline::Series;
using timeline::Step;
using timeline::View;

std::string TitleOfPeak(const Step& step) { return "at the peak of step " + FormatNumber(step.number); }

PeakMoment PeakOf(const Step& step) {
  return {step.number, step.peak, step.end, step.requested_peak, step.reserved_peak, TitleOfPeak(step)};
}

// Where the run ended for it.
std::optional<PeakMoment> WhereMemoryRanOut(const View& view) {
  const timeline::OutOfMemory* const failure = session::FailureThatEnded(view);
  if (failure == nullptr || failure->index < view.first()) return std::nullopt;
  const events::EventIndex index = failure->index;
  PeakMoment moment = ToldAt(view, index);
  const Step* const latest = timeline::LatestStepAt(view, index);
  const std::string where = StepTitle(view, index);
  moment.title = "where memory ran out";
  if (!where.empty()) moment.title += (where.starts_with("step") ? " in " : " ") + where;
  if (latest != nullptr) moment.step = latest->number;
  moment.is_peak = false;
  moment.ran_out = true;
  return moment;
}

int64_t HighestIn(const View& view, Series series) {
  return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
}

// The last complete one that had so much of View::peak_level(); null where none had.
const Step* LastStepWith(const View& view, int64_t bytes) {
  const auto& steps = view.steps();
  for (size_t number = steps.size(); number > 0; --number) {
    const Step& step = steps[number - 1];
    if (step.complete && ValueOf(step.at_peak, view.peak_level()) >= bytes) return &step;
  }
  return nullptr;
}

PeakMoment OfWholeRun(const View& view) {
  return {-1,
          HighestMoment(view, view.first(), view.end()),
          view.end(),
          HighestIn(view, Series::kRequested),
          HighestIn(view, Series::kReserved),
          "at the peak of the run"};
}

}  // namespace

std::optional<PeakMoment> LatestPeak(const View& view, Told told) {
  if (view.empty()) return std::nullopt;
  if (std::optional<PeakMoment> failure = WhereMemoryRanOut(view)) return failure;
  const Step* step = timeline::LastCompleteStep(view);
  const bool goes_on = told == Told::kStepOrRun && step != nullptr &&
                       view.PeakIn(view.peak_level(), view.first(), view.end()).index >= step->end;
  if (step != nullptr && !goes_on) return PeakOf(*step);
  if (told == Told::kStep) return std::nullopt;
  return OfWholeRun(view);
}

std::optional<PeakMoment> PeakOfRun(const View& view) {
  if (view.empty()) return std::nullopt;
  if (std::optional<PeakMoment> failure = WhereMemoryRanOut(view)) return failure;
  const Step* const step = LastStepWith(view, HighestIn(view, view.peak_level()));
  if (step == nullptr) return OfWholeRun(view);
  PeakMoment peak = PeakOf(*step);
  peak.title = "at the peak of the run, in step " + FormatNumber(step->number);
  peak.requested_bytes = HighestIn(view, Series::kRequested);
  peak.reserved_bytes = HighestIn(view, Series::kReserved);
  return peak;
}

std::string_view HeldAs(Series level) {
  switch (level) {
    case Series::kDriver:
      return "from the driver";
    case Series::kProcess:
      return "of the process";
    case Series::kCard:
      return "of the card";
    default:
      return NameOf(level);
  }
}

MeasuredPeak MeasuredAt(const View& view, const PeakMoment& peak) {
  MeasuredPeak measured{ValueOf(view.ValuesAt(peak.index), Series::kAllocated), peak.ran_out,
                        SettingsInForce(view, peak.index)};
  const timeline::OutOfMemory* const failure = peak.ran_out ? session::FailureThatEnded(view) : nullptr;
  if (failure == nullptr) return measured;
  measured.bytes = SaturatingSum(failure->allocated_bytes, failure->requested_bytes);
  if (const Step* step = timeline::StepAt(view, peak.index); step != nullptr)
    measured.bytes = std::max(measured.bytes, ValueOf(step->at_peak, Series::kAllocated));
  return measured;
}

PeakMoment ToldAt(const View& view, events::EventIndex index) {
  const timeline::SeriesValues values = view.ValuesAt(index);
  PeakMoment moment{-1,
                    index,
                    timeline::SettledBy(view, index),
                    ValueOf(values, Series::kRequested),
                    ValueOf(values, Series::kReserved),
                    "at event " + FormatNumber(static_cast<int64_t>(index)),
                    false};
  const Step* step = timeline::StepAt(view, index);
  if (step == nullptr) return moment;
  // As high as the peak is the peak, wherever it was reached first.
  const bool is_peak = ValueOf(values, view.peak_level()) == ValueOf(step->at_peak, view.peak_level());
  moment.step = step->number;
  if (step->complete && is_peak) {
    moment.title = TitleOfPeak(*step);
    moment.is_peak = true;
    return moment;
  }
  moment.title += " of step " + FormatNumber(step->number);
  return moment;
}

std::optional<HigherMoment> HigherElsewhere(const View& view, const PeakMoment& moment) {
  if (view.empty()) return std::nullopt;
  const int64_t bytes = HighestIn(view, view.peak_level());
  if (bytes <= ValueOf(view.ValuesAt(moment.index), view.peak_level())) return std::nullopt;
  const Step* const last = LastStepWith(view, bytes);  // as PeakOfRun
  const events::EventIndex index =
      last != nullptr ? last->peak : HighestMoment(view, view.first(), view.end());
  std::string where = StepTitle(view, index);
  if (where.empty()) where = "at event " + FormatNumber(static_cast<int64_t>(index));
  if (where.starts_with("step")) where = "in " + where;
  if (timeline::HasBegunAnewSince(view, index)) where += ", before the run began anew";
  return HigherMoment{index, bytes, view.peak_level(), std::move(where)};
}

std::string InWords(const HigherMoment& higher, ByteUnit unit) {
  return fmt::format("The most of the run, {} {}, was {}.", FormatBytes(higher.bytes, unit),
                     HeldAs(higher.level), higher.where);
}

}  // namespace tidemark::presenters
