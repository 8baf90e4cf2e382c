#include <algorithm>

#include "app/presenters/level_chain.h"
#include "app/presenters/signed_bytes.h"
#include "app/presenters/tables.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using timeline::Series;
using timeline::Step;
using timeline::View;

bool RanOutIn(const View& view, size_t steps) {
  const auto& failures = view.out_of_memory();
  if (failures.empty() || steps == 0) return false;
  const Step& last = view.steps()[steps - 1];
  return !last.complete && failures[failures.size() - 1].index >= last.begin;
}

// The step in which memory ran out, if nothing came after it; else the last complete one.
const Step* ToldStep(const View& view) {
  const auto& steps = view.steps();
  if (RanOutIn(view, steps.size())) return &steps[steps.size() - 1];
  for (size_t number = steps.size(); number > 0; --number) {
    if (steps[number - 1].complete) return &steps[number - 1];
  }
  return nullptr;
}

std::string TitleOf(const Step& step) {
  const std::string number = FormatNumber(step.number);
  return step.complete ? "at the peak of step " + number : "where memory ran out, in step " + number;
}

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
    row.difference_bytes = Difference(*row.measured_bytes, *row.phantom_bytes);
}

bool IsEmpty(const BreakdownRow& row) {
  return row.textbook_bytes.value_or(0) == 0 && row.phantom_bytes.value_or(0) == 0 &&
         row.measured_bytes.value_or(0) == 0;
}

std::vector<BreakdownRow> Totals(const View& view, const Step* step,
                                 const std::optional<textbook::Estimate>& textbook,
                                 const std::optional<session::Prediction>& phantom) {
  BreakdownRow requested{"requested", {}, {}, {}, {}, {}};
  BreakdownRow allocated{"allocated", {}, {}, {}, {}, {}};
  BreakdownRow reserved{"reserved", {}, {}, {}, {}, {}};
  if (textbook) allocated.textbook_bytes = textbook->total_bytes;
  if (phantom) {
    requested.phantom_bytes = phantom->requested_peak_bytes;
    allocated.phantom_bytes = phantom->allocated_peak_bytes;
    reserved.phantom_bytes = UnlessZero(phantom->reserved_peak_bytes);
  }
  if (step != nullptr) {
    requested.measured_bytes = step->requested_peak;
    allocated.measured_bytes = ValueOf(step->at_peak, Series::kAllocated);
    reserved.measured_bytes = UnlessZero(step->reserved_peak);
  }
  std::vector<BreakdownRow> totals = {requested, allocated, reserved};
  for (int number = 1; number < events::kLevelCount; ++number) {
    const auto level = static_cast<events::Level>(number);
    const Series series = timeline::SeriesOf(level);
    BreakdownRow row{std::string(events::NameOf(level)), {}, {}, {}, {}, {}};
    if (phantom) row.phantom_bytes = UnlessZero(ValueOf(phantom->at_peak, series));
    if (step != nullptr) row.measured_bytes = UnlessZero(LevelAt(view, step->peak, series));
    if (row.measured_bytes) totals.push_back(std::move(row));
  }
  for (BreakdownRow& row : totals) Compare(row);
  return totals;
}

}  // namespace

std::optional<PeakMoment> LatestPeak(const View& view) {
  const Step* step = ToldStep(view);
  if (step == nullptr) return std::nullopt;
  return PeakMoment{step->number, step->peak, step->end, TitleOf(*step)};
}

Breakdown MakeBreakdown(const View& view, const std::optional<textbook::Estimate>& textbook,
                        const std::optional<session::Prediction>& phantom) {
  Breakdown breakdown;
  const Step* step = ToldStep(view);
  breakdown.moment = step == nullptr ? "no step is complete yet" : TitleOf(*step);
  timeline::SeriesValues at_peak{};
  if (step != nullptr) at_peak = timeline::SettledStateAt(view, step->peak, step->end).values;
  for (int number = 0; number < events::kCategoryCount; ++number) {
    const auto category = static_cast<Category>(number);
    BreakdownRow row{std::string(events::NameOf(category)), category, {}, {}, {}, {}};
    row.textbook_bytes = TextbookBytes(textbook, category);
    if (phantom) row.phantom_bytes = ValueOf(phantom->at_peak, timeline::SeriesOf(category));
    if (step != nullptr) row.measured_bytes = ValueOf(at_peak, timeline::SeriesOf(category));
    Compare(row);
    if (!IsEmpty(row)) breakdown.rows.push_back(std::move(row));
  }
  if (!breakdown.rows.empty()) breakdown.totals = Totals(view, step, textbook, phantom);
  return breakdown;
}

}  // namespace tidemark::presenters
