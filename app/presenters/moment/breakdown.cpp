#include "app/presenters/moment/breakdown.h"

#include <algorithm>
#include <iterator>

#include "app/presenters/moment/level_chain.h"
#include "app/presenters/moment/untold_blocks.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using timeline::Series;
using timeline::View;

std::optional<int64_t> TextbookBytes(const std::optional<textbook::Estimate>& textbook, Category category) {
  if (!textbook) return std::nullopt;
  const bool has_formula =
      std::any_of(textbook->terms.begin(), textbook->terms.end(),
                  [category](const textbook::Term& term) { return term.category == category; });
  return has_formula ? std::optional(textbook::BytesOf(*textbook, category)) : std::nullopt;
}

std::optional<int64_t> UnlessZero(int64_t bytes) { return bytes == 0 ? std::nullopt : std::optional(bytes); }

void Compare(BreakdownRow& row) {
  if (row.measured_bytes && row.phantom_bytes)
    row.difference_bytes = SaturatingDifference(*row.measured_bytes, *row.phantom_bytes);
}

bool IsEmpty(const BreakdownRow& row) {
  return row.textbook_bytes.value_or(0) == 0 && row.phantom_bytes.value_or(0) == 0 &&
         row.measured_bytes.value_or(0) == 0;
}

// What it gave beside segments, and the segments of reserved's row: some are taken after the peak of a
// prediction's few steps.
std::optional<int64_t> DriverPeak(const session::Prediction& phantom) {
  const int64_t driver = ValueOf(phantom.at_peak, timeline::SeriesOf(events::Level::kDriver));
  const int64_t later =
      SaturatingDifference(phantom.reserved_peak_bytes, ValueOf(phantom.at_peak, Series::kReserved));
  return driver == 0 ? std::nullopt : std::optional(SaturatingSum(driver, std::max<int64_t>(0, later)));
}

bool IsTold(const View& view, Series level) { return ValueOf(view.ValuesAt(view.end() - 1), level) > 0; }

bool TellsRequested(const View& view) { return view.tells_blocks() && view.tells_requested(); }

BreakdownRow RowOf(Series level) {
  BreakdownRow row;
  row.title = NameOf(level);
  row.level = level;
  return row;
}

void TellNearest(const SampledLevel& sample, BreakdownRow& row) {
  row.measured_bytes.reset();
  if (sample.bytes == 0 || sample.is_of_run_before) return;
  row.told_bytes = sample.bytes;
  row.away_ns = sample.away_ns;
}

std::vector<BreakdownRow> Totals(const View& view, const std::optional<PeakMoment>& peak,
                                 const std::optional<textbook::Estimate>& textbook,
                                 const std::optional<session::Prediction>& phantom) {
  BreakdownRow requested = RowOf(Series::kRequested);
  BreakdownRow allocated = RowOf(Series::kAllocated);
  BreakdownRow reserved = RowOf(Series::kReserved);
  if (textbook) allocated.textbook_bytes = textbook->total_bytes;
  if (phantom) {
    requested.phantom_bytes = phantom->requested_peak_bytes;
    allocated.phantom_bytes = phantom->allocated_peak_bytes;
    reserved.phantom_bytes = UnlessZero(phantom->reserved_peak_bytes);
  }
  if (peak) {
    if (TellsRequested(view)) requested.measured_bytes = peak->requested_bytes;
    if (view.tells_blocks())
      allocated.measured_bytes = ValueOf(view.ValuesAt(peak->index), Series::kAllocated);
    reserved.measured_bytes = UnlessZero(peak->reserved_bytes);
    // Segments come and go at other moments than blocks do: what panels tell of the peak's own moment is
    // less.
    const int64_t at_moment = ValueOf(view.ValuesAt(peak->index), Series::kReserved);
    if (peak->reserved_bytes != at_moment) {
      reserved.title += ", highest";
      reserved.at_moment_bytes = at_moment;
    }
  }
  std::vector<BreakdownRow> totals;
  if (TellsRequested(view) || phantom) totals.push_back(requested);
  totals.insert(totals.end(), {allocated, reserved});
  int64_t below = peak ? ValueOf(view.ValuesAt(peak->index), Series::kReserved) : 0;
  for (int number = 1; number < events::kLevelCount; ++number) {
    const auto level = static_cast<events::Level>(number);
    const Series series = timeline::SeriesOf(level);
    BreakdownRow row = RowOf(series);
    // What the card says is read ten times a second, and a prediction takes milliseconds: it has none of
    // that.
    if (phantom && level == events::Level::kDriver) row.phantom_bytes = DriverPeak(*phantom);
    if (peak) row.measured_bytes = UnlessZero(LevelAt(view, peak->index, series));
    // The driver's allocations are counted as they happen; what the card says is asked for now and then.
    row.is_unsampled = peak && level != events::Level::kDriver && IsTold(view, series) &&
                       row.measured_bytes.value_or(0) < below;
    if (row.is_unsampled) TellNearest(SampleAt(view, peak->index, series), row);
    below = std::max(below, row.measured_bytes.value_or(0));
    if (row.measured_bytes || row.is_unsampled) totals.push_back(std::move(row));
  }
  for (BreakdownRow& row : totals) Compare(row);
  return totals;
}

const BreakdownRow* TotalOf(const Breakdown& breakdown, Series level) {
  const auto row = std::ranges::find(breakdown.totals, level, &BreakdownRow::level);
  return row == breakdown.totals.end() ? nullptr : &*row;
}

}  // namespace

Breakdown MakeBreakdown(const View& view, const std::optional<textbook::Estimate>& textbook,
                        const std::optional<session::Prediction>& phantom,
                        const std::optional<PeakMoment>& peak) {
  Breakdown breakdown;
  breakdown.moment = peak ? peak->title : "no step is complete yet";
  if (peak && (peak->is_peak || peak->ran_out)) breakdown.higher = HigherElsewhere(view, *peak);
  timeline::State at_peak;
  if (peak) at_peak = timeline::SettledStateAt(view, peak->index, peak->step_end);
  const timeline::BytesByCategory requested = timeline::RequestedByCategory(at_peak);
  for (int number = 0; number < events::kCategoryCount; ++number) {
    const auto category = static_cast<Category>(number);
    BreakdownRow row{std::string(events::NameOf(category)), category, {}, {}, {}, {}};
    row.textbook_bytes = TextbookBytes(textbook, category);
    if (phantom) row.phantom_bytes = ValueOf(phantom->at_peak, timeline::SeriesOf(category));
    if (peak && view.tells_blocks())
      row.measured_bytes = ValueOf(at_peak.values, timeline::SeriesOf(category));
    if (peak && TellsRequested(view)) row.requested_bytes = requested[static_cast<size_t>(number)];
    Compare(row);
    if (!IsEmpty(row)) breakdown.rows.push_back(std::move(row));
  }
  breakdown.untold = WhyUntold(view);
  if (!breakdown.rows.empty() || !breakdown.untold.empty())
    breakdown.totals = Totals(view, peak, textbook, phantom);
  return breakdown;
}

std::optional<double> ShareOfAllocated(const Breakdown& breakdown, const BreakdownRow& row) {
  const BreakdownRow* allocated = TotalOf(breakdown, Series::kAllocated);
  const int64_t all = allocated == nullptr ? 0 : allocated->measured_bytes.value_or(0);
  if (!row.category || !row.measured_bytes || all <= 0) return std::nullopt;
  return static_cast<double>(*row.measured_bytes) / static_cast<double>(all);
}

// CUDACachingAllocator.cpp, should_split: of a large block nothing is split off where kSmallSize or less
// would be left over.
std::string WhyMoreIsAllocated(const Breakdown& breakdown) {
  const auto difference = [&](Series level) {
    const BreakdownRow* total = TotalOf(breakdown, level);
    return total == nullptr ? std::nullopt : total->difference_bytes;
  };
  if (difference(Series::kAllocated).value_or(0) <= 0) return "";
  if (difference(Series::kRequested) == 0) {
    return "The run asks for what is predicted, but some of it lies in larger blocks: earlier settings left "
           "them free, and PyTorch gives one out whole where no more than 1 MiB of it would be left over. R "
           "begins anew.";
  }
  return "The run had other settings before, and what it made with them may still be there, such as "
         "gradients and workspaces. R begins anew.";
}

}  // namespace tidemark::presenters
