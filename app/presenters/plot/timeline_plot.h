// From a timeline view and a visible range to what the timeline panel draws: a bounded number of columns,
// whatever the range holds. No ImGui here; pure functions, ≤ 1 ms for 2,000 columns over ten million events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// What the horizontal axis counts. kEvents is the default: a step of a millisecond and a pause of a second
// get the room that what happens in them deserves.
enum class TimeAxis : uint8_t { kEvents, kWallClock };

// Positions on the axis: event indices, or nanoseconds since View::start_ns(). Neither changes when old
// events are let go.
struct VisibleRange {
  double begin = 0;
  double end = 0;

  bool operator==(const VisibleRange&) const = default;
};

// The stack as it stood at the highest moment of what is visible of it, so that its sum is exact to the byte.
// Where nobody told of blocks (View::tells_blocks) there is no stack, and it is the moment of the first level
// that is told. Columns begin at multiples of their width, so that they stay the same while the axis is
// moved: as many as asked for at most, and one at the edge; a fifth fewer where that lets them end with whole
// nodes of the store. Where fewer events than columns are visible, each event is a column, and the curve is
// exact.
struct PlotColumn {
  double begin = 0;
  double end = 0;
  timeline::SeriesValues at_peak{};
  int64_t lowest = 0;  // that what is visible of the stack was within the column
  int64_t reserved_max = 0;
  events::EventIndex peak = 0;
  timeline::Series level = timeline::Series::kAllocated;  // View::peak_level(): at the peak of which it is

  // Whether there is a stack of blocks; else the column is as high as what was told of its level.
  bool tells_blocks() const { return timeline::IsOfBlocks(level); }
  bool operator==(const PlotColumn&) const = default;
};

struct PlotPhase {
  double begin = 0;
  double end = 0;
  events::Phase phase = events::Phase::kIdle;
};

struct PlotStep {
  double begin = 0;
  double end = 0;
  int64_t number = 0;
};

struct PlotMarker {
  double position = 0;
  std::string text;  // "fp16 on"
  // "−45.4 MB at peak": see settings_change.h; "" until that is known, and where settings did not change.
  std::string consequence;
  std::string shorter = {};  // than its text, where that has no room; "" = there is none
};

// A level that holds over a stretch of the axis: while certain settings were in force.
struct PlotLevel {
  double begin = 0;
  double end = 0;
  int64_t bytes = 0;
};

// What theory says of one of View::settings().
struct SettingsEstimate {
  int64_t textbook_bytes = 0;
  std::optional<int64_t> phantom_allocated_bytes;
  std::optional<int64_t> phantom_reserved_bytes;
};

// A level that somebody other than PyTorch's allocator tells of, over all columns in equal parts: the highest
// of each, from the first of them that it was told in. The card is asked ten times a second: where what it
// told last is less than what the process has taken since, nobody knows how much it would have told.
struct PlotLine {
  std::string title;  // "driver"
  double begin = 0;
  double end = 0;
  std::vector<int64_t> bytes;  // 0 = not known there
  // ", told 62.0 ms before" where the latest of them is known: the process has taken or let go of memory
  // since. "" where it is of that moment.
  std::string when_told = {};
};

struct TimelinePlot {
  std::vector<PlotColumn> columns;
  // The first event of each column, and the one behind the last. On the axis of time not the event at which
  // a column begins, which may lie before it.
  std::vector<events::EventIndex> edges;
  // Spans narrower than a column are merged into their neighbours; empty where all are too narrow to tell
  // apart.
  std::vector<PlotPhase> phases;
  std::vector<PlotStep> steps;  // at most one per 40 pixels, so that labels fit
  std::vector<PlotMarker> markers;
  std::vector<PlotMarker> failures;  // out of memory
  std::vector<PlotLevel> textbook;
  std::vector<PlotLevel> phantom;
  std::vector<PlotLevel> compared;    // what another run had allocated at the same place; see compared_run.h
  bool compared_tells_blocks = true;  // else it has no line: View::tells_blocks()
  int64_t compared_peak_bytes = 0;    // that other run's, which may lie where it has nothing like this one
  // For the vertical axis: of what was measured, and of theory where that leaves two thirds of the height to
  // what was measured. What steps with other settings reserved beyond that does not count: PyTorch keeps it
  // when a setting is taken back, and the axis would not come back with what is allocated.
  int64_t highest_bytes = 0;
  // Where the stack is not of categories (stacking.h): what each group is called, from the bottom, and its
  // bytes at each column's peak, column by column.
  std::vector<std::string> groups;
  std::vector<int64_t> grouped;
  // Of a stack of ranks (rank_stack.h) the number of each group's; the last group is all others where it has
  // none. Empty for any other stack.
  std::vector<int64_t> group_ranks;
  // Of each column's categories, what is selected; empty where nothing is.
  std::vector<std::array<int64_t, events::kCategoryCount>> selected;
  std::vector<PlotLine> lines;  // beyond PyTorch's allocator; they may lie far above highest_bytes
};

struct TimelinePlotRequest {
  TimeAxis axis = TimeAxis::kEvents;
  VisibleRange visible;
  int columns = 0;                                              // pixels across
  ByteUnit unit = ByteUnit::kMegabytes;                         // of the texts
  timeline::CategorySet categories = timeline::kAllCategories;  // that the stack shows

  bool operator==(const TimelinePlotRequest&) const = default;
};

struct PlotColumns;
// Whether the vertical axis goes as high as a line over what is `highest_bytes` high: that keeps two thirds
// of the height.
bool ReachesUpTo(int64_t line_bytes, int64_t highest_bytes);

// `before` is what the plot before this one, of the same run, was cut into, and now this one
// (plot_columns.h): what it knows is not asked for again.
TimelinePlot MakeTimelinePlot(const timeline::View& view, const std::vector<SettingsEstimate>& estimates,
                              const TimelinePlotRequest& request, PlotColumns* before = nullptr);

// The whole axis of a view, and positions on it. That of time reaches to the end of what the GPU did.
VisibleRange WholeRange(const timeline::View& view, TimeAxis axis);
double PositionOf(const timeline::View& view, TimeAxis axis, events::EventIndex index);
// The event there, or the latest before it; the view's end beyond the last.
events::EventIndex IndexAtPosition(const timeline::View& view, TimeAxis axis, double position);
// As wide as the last `steps` complete steps, and ending with the view, for follow mode: it does not jump
// while a step grows.
VisibleRange LastSteps(const timeline::View& view, TimeAxis axis, int steps);

// From one event to a later one: "1,234 events · 2.31 ms · +45.4 MB allocated".
std::string MeasureBetween(const timeline::View& view, events::EventIndex from, events::EventIndex to,
                           ByteUnit unit);

// The column that a position lies in; null outside of all. O(log columns).
const PlotColumn* ColumnAt(const TimelinePlot& plot, double position);

// How high a column's stack is.
int64_t ShownBytes(const PlotColumn& column, timeline::CategorySet categories);
// What a column is, to the byte, in lines: "event 5,000,001 · allocated 77,000,192 B · reserved 79,691,776
// B". Where its events differ it says that this is the highest of them, and then "lowest of this column 1,024
// B".
std::vector<std::string> DescribeColumn(const PlotColumn& column, timeline::CategorySet categories);

// An allocation in words. What lies where in the stack: stacked_moment.h.
struct BlockDescription {
  std::string title;  // "conv2 output", "fc.weight gradient", "temporary of aten::relu"
  events::Category category = events::Category::kUnknown;
  int64_t bytes = 0;
  int64_t rounded_bytes = 0;
  std::string shape;  // "float16 [64, 128]"; "" where it is not told
  std::string layer;
  std::string op;
  std::string below;  // what led to the operator, a line each
  std::string alive;  // "1.90 ms · event 251 → 331", "since event 251"
  events::EventIndex born = 0;
};
BlockDescription DescribeBlock(const timeline::View& view, const timeline::LiveBlock& block);

}  // namespace tidemark::presenters
