#include "app/presenters/plot/timeline_plot.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/moment/level_chain.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/moment/signed_bytes.h"
#include "app/presenters/plot/plot_annotations.h"
#include "app/presenters/plot/plot_columns.h"
#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::LiveBlock;
using timeline::Series;
using timeline::View;

void AddLevels(const View& view, TimeAxis axis, const std::vector<SettingsEstimate>& estimates,
               const PlotColumns& cut, TimelinePlot& plot) {
  for (const SettingsStretch& stretch : SettingsOver(view, cut)) {
    const auto settings = static_cast<size_t>(stretch.settings);
    if (settings >= estimates.size()) continue;
    const SettingsEstimate& estimate = estimates[settings];
    const double begin = PositionOf(view, axis, stretch.begin);
    const double end = PositionOf(view, axis, stretch.end);
    if (estimate.textbook_bytes > 0) plot.textbook.push_back({begin, end, estimate.textbook_bytes});
    if (estimate.phantom_allocated_bytes)
      plot.phantom.push_back({begin, end, *estimate.phantom_allocated_bytes});
  }
}

// The highest of each column.
std::vector<int64_t> HighestIn(const View& view, Series series, TimeAxis axis, const TimelinePlot& plot) {
  const double begin = plot.columns.front().begin;
  const double end = plot.columns.back().end;
  std::vector<timeline::Bucket> buckets(plot.columns.size());
  if (axis == TimeAxis::kEvents) {
    view.Envelope(series, static_cast<EventIndex>(begin), static_cast<EventIndex>(end), buckets);
  } else {
    view.EnvelopeInTime(series, TimeAtPosition(view, begin), TimeAtPosition(view, end), buckets);
  }
  std::vector<int64_t> highest;
  highest.reserve(buckets.size());
  std::ranges::transform(buckets, std::back_inserter(highest), &timeline::Bucket::max);
  return highest;
}

// What the process holds of its card for certain. Of several cards one is asked, but all are added up here.
std::vector<int64_t> HeldIn(const View& view, TimeAxis axis, const TimelinePlot& plot) {
  if (view.devices().size() > 1) return std::vector<int64_t>(plot.columns.size(), 0);
  std::vector<int64_t> held = HighestIn(view, Series::kReserved, axis, plot);
  const std::vector<int64_t> driver = HighestIn(view, Series::kDriver, axis, plot);
  std::ranges::transform(held, driver, held.begin(), [](int64_t a, int64_t b) { return std::max(a, b); });
  return held;
}

// When that was told which a sampled line holds last, `behind` of the columns that know nothing of it.
std::string WhenTold(const View& view, Series series, TimeAxis axis, const TimelinePlot& plot,
                     std::ptrdiff_t behind) {
  const PlotColumn& last = *(plot.columns.rbegin() + behind);
  const EventIndex end = std::clamp(IndexAtPosition(view, axis, last.end), last.peak + 1, view.end());
  return AwayText(SampleBefore(view, end - 1, series).away_ns);
}

void AddLines(const View& view, TimeAxis axis, TimelinePlot& plot) {
  std::vector<int64_t> held;  // the same for each that is sampled
  for (const Series series : {Series::kDriver, Series::kProcess, Series::kCard}) {
    if (ValueOf(view.ValuesAt(view.end() - 1), series) <= 0) continue;
    std::vector<int64_t> bytes = HighestIn(view, series, axis, plot);
    if (IsSampled(series)) {
      if (held.empty()) held = HeldIn(view, axis, plot);
      std::ranges::transform(bytes, held, bytes.begin(),
                             [](int64_t told, int64_t least) { return told < least ? 0 : told; });
    }
    const auto first = std::ranges::find_if(bytes, [](int64_t level) { return level > 0; });
    if (first == bytes.end()) continue;
    const double begin = plot.columns.front().begin;
    const double end = plot.columns.back().end;
    const auto before = static_cast<double>(first - bytes.begin()) / static_cast<double>(bytes.size());
    const auto latest = std::find_if(bytes.rbegin(), bytes.rend(), [](int64_t level) { return level > 0; });
    plot.lines.push_back(
        {std::string(NameOf(series)), begin + (end - begin) * before, end, {first, bytes.end()}});
    if (IsSampled(series))
      plot.lines.back().when_told = WhenTold(view, series, axis, plot, latest - bytes.rbegin());
  }
}

int64_t HighestAllocated(const View& view, EventIndex end) {
  return ValueOf(view.PeakIn(Series::kAllocated, view.first(), end).values, Series::kAllocated);
}

// The first event before `end` at which more is allocated; `end` where none is.
EventIndex FirstAbove(const View& view, int64_t bytes, EventIndex end) {
  EventIndex low = view.first();
  EventIndex high = end;
  if (HighestAllocated(view, end) <= bytes) return end;
  while (low < high) {
    const EventIndex middle = low + (high - low) / 2;
    if (HighestAllocated(view, middle + 1) > bytes) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

const std::string* SettingsOfLatest(const timeline::View& view, const timeline::Step* step) {
  return step == nullptr ? nullptr : timeline::SettingsOf(view, *step);
}

// Of what is reserved before `end`, as much as was before a step with other settings allocated more than
// that.
int64_t OwnReserved(const View& view, int64_t allocated, int64_t reserved, EventIndex end) {
  const EventIndex more = FirstAbove(view, allocated, end);
  if (more == end) return reserved;
  const timeline::Step* step = timeline::LatestStepAt(view, more);
  const std::string* others = SettingsOfLatest(view, step);
  const std::string* own = SettingsOfLatest(view, timeline::LatestStepAt(view, end - 1));
  if (others == nullptr || own == nullptr || *others == *own) return reserved;
  return std::min(reserved, ValueOf(view.ValuesAt(step->begin), Series::kReserved));
}

int64_t HighestOf(const View& view, const TimelinePlot& plot, EventIndex end) {
  int64_t highest = 0;
  int64_t reserved = 0;
  for (const PlotColumn& column : plot.columns) {
    highest = std::max(highest, ShownBytes(column, timeline::kAllCategories));
    reserved = std::max(reserved, column.reserved_max);
  }
  highest = std::max(highest, OwnReserved(view, highest, reserved, end));
  // What does not fit on a card may be many times what came about before memory ran out.
  int64_t with_theory = highest;
  for (const auto* levels : {&plot.textbook, &plot.phantom}) {
    for (const PlotLevel& level : *levels) {
      if (ReachesUpTo(level.bytes, highest)) with_theory = std::max(with_theory, level.bytes);
    }
  }
  return with_theory;
}

std::string LifeOf(const View& view, const LiveBlock& block) {
  const std::string born = FormatNumber(static_cast<int64_t>(block.born));
  const auto freed = view.FreedAt(block.born);
  if (!freed) return "since event " + born;
  const int64_t lived_ns = SaturatingDifference(view.TimeOf(*freed), view.TimeOf(block.born));
  return FormatDuration(lived_ns) + " · event " + born + " → " + FormatNumber(static_cast<int64_t>(*freed));
}

}  // namespace

bool ReachesUpTo(int64_t line_bytes, int64_t highest_bytes) {
  return line_bytes <= SaturatingSum(highest_bytes, highest_bytes / 2);
}

TimelinePlot MakeTimelinePlot(const View& view, const std::vector<SettingsEstimate>& estimates,
                              const TimelinePlotRequest& request, PlotColumns* before) {
  TimelinePlot plot;
  PlotColumns cut = CutIntoColumns(view, request, before == nullptr ? PlotColumns() : *before);
  if (cut.columns.empty()) return plot;
  plot.phases = PhasesOver(view, request.axis, cut);
  plot.steps = StepsOver(view, request.axis, cut);
  plot.markers = MarkersOver(view, request, cut);
  plot.failures = FailuresOver(view, request, cut);
  AddLevels(view, request.axis, estimates, cut, plot);
  plot.columns = cut.columns;
  plot.edges = cut.edges;
  plot.highest_bytes = HighestOf(view, plot, cut.end);
  if (before != nullptr) *before = std::move(cut);
  AddLines(view, request.axis, plot);
  return plot;
}

std::string MeasureBetween(const View& view, EventIndex from, EventIndex to, ByteUnit unit) {
  const Series level = view.peak_level();
  const int64_t grown =
      SaturatingDifference(ValueOf(view.ValuesAt(to), level), ValueOf(view.ValuesAt(from), level));
  return FormatNumber(static_cast<int64_t>(to - from)) + (to - from == 1 ? " event · " : " events · ") +
         FormatDuration(SaturatingDifference(view.TimeOf(to), view.TimeOf(from))) + " · " +
         SignedBytes(grown, unit) + " " + std::string(HeldAs(level));
}

const PlotColumn* ColumnAt(const TimelinePlot& plot, double position) {
  const auto after = std::ranges::upper_bound(plot.columns, position, {}, &PlotColumn::begin);
  if (after == plot.columns.begin()) return nullptr;
  const PlotColumn& column = *std::prev(after);
  return position < column.end ? &column : nullptr;
}

int64_t ShownBytes(const PlotColumn& column, timeline::CategorySet categories) {
  if (!column.tells_blocks()) return ValueOf(column.at_peak, column.level);
  if (categories == timeline::kAllCategories) return ValueOf(column.at_peak, Series::kAllocated);
  int64_t shown = 0;
  for (size_t category = 0; category < events::kCategoryCount; ++category) {
    if (timeline::Contains(categories, category)) AddTo(shown, column.at_peak[category]);
  }
  return shown;
}

std::vector<std::string> DescribeColumn(const PlotColumn& column, timeline::CategorySet categories) {
  const int64_t shown = ShownBytes(column, categories);
  const std::string lowest = "lowest of this column " + FormatExactBytes(column.lowest);
  if (!column.tells_blocks()) {
    std::vector<std::string> lines = {(column.lowest < shown ? "highest of this column: event " : "event ") +
                                      FormatNumber(static_cast<int64_t>(column.peak)) + " · " +
                                      FormatExactBytes(shown) + " " + std::string(HeldAs(column.level))};
    if (column.lowest < shown) lines.push_back(lowest);
    return lines;
  }
  const int64_t allocated = ValueOf(column.at_peak, Series::kAllocated);
  const int64_t reserved = ValueOf(column.at_peak, Series::kReserved);
  const bool is_range = column.lowest < shown || column.reserved_max > reserved;
  std::vector<std::string> lines = {(is_range ? "highest of this column: event " : "event ") +
                                    FormatNumber(static_cast<int64_t>(column.peak)) + " · allocated " +
                                    FormatExactBytes(allocated) + " · reserved " +
                                    FormatExactBytes(reserved)};
  if (shown != allocated) lines.push_back("of what is shown " + FormatExactBytes(shown));
  if (column.reserved_max > reserved)
    lines.push_back("reserved in this column up to " + FormatExactBytes(column.reserved_max));
  if (column.lowest < shown) lines.push_back(lowest);
  return lines;
}

BlockDescription DescribeBlock(const View& view, const LiveBlock& block) {
  BlockDescription description;
  description.title = BlockTitle(view, block);
  description.category = block.category;
  description.bytes = block.bytes;
  description.rounded_bytes = block.rounded_bytes;
  description.shape = view.name(block.shape);
  description.layer = LayerOf(view, block);
  const std::string_view stack = view.name(block.op);
  description.op = events::InnermostFrame(stack);
  description.below = StackLines(stack, 1);
  description.alive = LifeOf(view, block);
  description.born = block.born;
  return description;
}

}  // namespace tidemark::presenters
