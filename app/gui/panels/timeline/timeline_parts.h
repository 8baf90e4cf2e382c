// The parts that the timeline panel is drawn from. Used by the panel's own sources only. UI thread, inside a
// frame.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/panels/timeline/timeline.h"
#include "app/gui/window/palette.h"

namespace tidemark::gui {

// From axis positions and bytes to pixels, and where the parts of the panel lie.
struct TimelineGeometry {
  ImRect plot;
  ImRect axis;  // of the horizontal axis' figures; no height where there is no room for them
  ImRect phases;
  ImRect layers;   // no height where they are too many, or not told
  ImRect lane;     // of kernels and copies; no height where none are told
  ImRect replays;  // of CUDA graphs; no height where there are none
  ImRect steps;
  ImRect legend;
  bool legend_has_all = true;  // else it is one row, of what comes first
  ImRect overview;
  presenters::VisibleRange visible;
  double top_bytes = 1;  // of the vertical axis
  double tick_bytes = 1;
  double unit_bytes = 1e6;  // of the figures at the axis
  const char* unit_name = "MB";

  float X(double position) const {
    const double span = visible.end - visible.begin;
    return plot.Min.x + static_cast<float>((position - visible.begin) / span * plot.GetWidth());
  }
  // From the first pixel to behind the last, and one at least.
  std::pair<float, float> Pixels(double begin, double end) const {
    const float x0 = std::floor(X(begin));
    return {x0, std::max(x0 + 1, std::floor(X(end)))};
  }
  float Y(double bytes) const {
    return plot.Max.y - static_cast<float>(bytes / top_bytes * plot.GetHeight());
  }
  double PositionAt(float x) const {
    return visible.begin + (x - plot.Min.x) / plot.GetWidth() * (visible.end - visible.begin);
  }
  double BytesAt(float y) const { return (plot.Max.y - y) / plot.GetHeight() * top_bytes; }
};

struct TimelineLabels;  // timeline_labels.h

// What would have a line if the axis reached so far: told at its edge.
struct AboveAxis {
  struct Level {
    std::string title;
    int64_t bytes = 0;
    std::string when_told;  // PlotLine's
  };
  std::vector<Level> levels;

  // The highest of each title.
  void Add(std::string_view title, int64_t bytes, const std::string& when_told = "");
  // "↑ driver 218.1 MB · process 779.0 MB, told 62.0 ms before"; "" where there is none.
  std::string InWords(ByteUnit unit) const;
};

// Categories that the stack shows: all of them where it is of something else.
timeline::CategorySet ShownIn(const TimelineInput& input, const TimelineState& state);

int64_t HighestReserved(const presenters::TimelinePlot& plot);  // in sight

// Sets the vertical axis so that the plot's highest fits, and what the card has where that is near, with
// round ticks in the input's unit.
void ChooseVerticalAxis(const TimelineInput& input, const TimelineState& state, TimelineGeometry* geometry);

// Of the row over the plot, in which the unit stands.
float UnitTop(const TimelineGeometry& geometry);
void DrawGrid(ImDrawList* list, const TimelineGeometry& geometry);
// As many figures as there is room for; none where there is no row for them.
presenters::AxisTicks HorizontalTicks(const TimelineGeometry& geometry, presenters::TimeAxis axis);
void DrawHorizontalAxis(ImDrawList* list, const TimelineGeometry& geometry,
                        const presenters::AxisTicks& ticks);
// What of a column's stack was not there all the time fades: a dip of one event is seen at any zoom.
void DrawStack(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
               timeline::CategorySet categories);
// What the title row and the legend have for stacks of groups (timeline_stack.cpp).
inline constexpr const char* kAskedFirst = "A page of this lesson asks for it first.";
Color ColorOfGroup(const TimelineInput& input, size_t group);
std::optional<int64_t> RankOfGroup(const presenters::TimelinePlot& plot, size_t group);
const char* NameOf(presenters::StackBy by);
void DrawStackChoice(const TimelineInput& input, TimelineState& state);  // inside the popup "stack by"
std::optional<size_t> GroupAt(const presenters::TimelinePlot& plot, const presenters::PlotColumn& column,
                              int64_t bytes);
presenters::Selection SelectionOfGroup(const TimelineInput& input, size_t group);
// What the driver and the card report, and what the card has.
void DrawLines(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
               TimelineLabels* labels, AboveAxis* above);
// In the row over the plot, beside the axis' unit: in the plot they would lie on the stack.
void DrawAbove(ImDrawList* list, const TimelineGeometry& geometry, const AboveAxis& above, ByteUnit unit,
               TimelineLabels* labels);
// Where a block's title begins, from `left` to `right` in its box, so that no level's line strikes it
// through: in the middle, or else right below or above a line. None = there is no room for it.
std::optional<float> TitleTop(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                              const ImRect& box, float left, float right);
// Single allocations: a rim each, and their names where there is room.
void DrawBlocks(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input);
// The two measuring cursors, and what lies between them.
void DrawMeasure(ImDrawList* list, const TimelineGeometry& geometry, const presenters::VisibleRange& range,
                 const std::string& text, TimelineLabels* labels);
// Whether two lines, of columns that end together, are drawn as one, and hold the same at last as it is told.
bool LieOnEachOther(const TimelineGeometry& geometry, std::span<const int64_t> one,
                    std::span<const int64_t> other, ByteUnit unit);
void DrawReserved(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                  ByteUnit unit, TimelineLabels* labels, AboveAxis* above);
// Which of the second run's levels are too narrow to be told apart, and go up and down: of those each is
// drawn where it is, but no line from one to the next.
std::vector<bool> InCombs(const TimelineGeometry& geometry, std::span<const presenters::PlotLevel> levels);
// The second run's curve, with its name.
void DrawCompared(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                  TimelineLabels* labels);
void DrawLevels(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                ByteUnit unit, TimelineLabels* labels, AboveAxis* above);
// Whether the marker tells what ended the run, and it did not end well.
bool IsFailure(const TimelineInput& input, const presenters::PlotMarker& marker);
void DrawMarkers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                 TimelineLabels* labels);
void DrawPhases(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot);
void DrawLane(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input);
// Where CUDA graphs are replayed, and how often.
void DrawReplays(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input);
// A layer that is clicked lights up in every panel.
void DrawLayers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                CommandQueue& queue);
void DrawSteps(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot);
void DrawHighlight(ImDrawList* list, const TimelineGeometry& geometry,
                   const std::vector<HighlightSpan>& spans);
// The allocation that is selected, in its own colour.
void DrawSelected(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input);
void DrawOverview(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input);

// Mouse and keys over the plot and the overview. They change `state` and push commands.
void HandlePlotInput(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state,
                     CommandQueue& queue);
void HandleOverviewInput(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state);
// `explained`, else of what lies under the mouse.
// Nothing of the latter lies below `lowest`.
void DrawHoverTooltip(const TimelineInput& input, const TimelineState& state, std::string_view explained,
                      float lowest);

}  // namespace tidemark::gui
