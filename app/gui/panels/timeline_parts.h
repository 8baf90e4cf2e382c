// The parts that the timeline panel is drawn from. Used by the panel's own sources only. UI thread, inside a
// frame.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

#include "app/gui/panels/timeline.h"

namespace tidemark::gui {

// From axis positions and bytes to pixels, and where the parts of the panel lie.
struct TimelineGeometry {
  ImRect plot;
  ImRect phases;
  ImRect steps;
  ImRect legend;
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
  float Y(double bytes) const {
    return plot.Max.y - static_cast<float>(bytes / top_bytes * plot.GetHeight());
  }
  double PositionAt(float x) const {
    return visible.begin + (x - plot.Min.x) / plot.GetWidth() * (visible.end - visible.begin);
  }
  double BytesAt(float y) const { return (plot.Max.y - y) / plot.GetHeight() * top_bytes; }
};

// Channels of the chart's draw list: labels lie above lines.
inline constexpr int kLineChannel = 0;
inline constexpr int kLabelChannel = 1;

// Rectangles that already carry a label, so that no two labels lie on each other.
using TakenPlaces = std::vector<ImRect>;

// Sets the vertical axis so that everything fits, with round ticks in `unit`.
void ChooseVerticalAxis(const presenters::TimelinePlot& plot, uint32_t hidden_categories, ByteUnit unit,
                        TimelineGeometry* geometry);

void DrawGrid(ImDrawList* list, const TimelineGeometry& geometry);
void DrawStack(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
               uint32_t hidden_categories);
// Single allocations: a rim each, and their names where there is room.
void DrawBlocks(ImDrawList* list, const TimelineGeometry& geometry,
                const std::vector<presenters::PlotBlock>& blocks);
// The two measuring cursors, and what lies between them.
void DrawMeasure(ImDrawList* list, const TimelineGeometry& geometry, const presenters::VisibleRange& range,
                 const std::string& text, TakenPlaces* taken);
void DrawReserved(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                  ByteUnit unit, TakenPlaces* taken);
// The second run's curve, with its name.
void DrawCompared(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                  TakenPlaces* taken);
void DrawLevels(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                ByteUnit unit, TakenPlaces* taken);
void DrawMarkers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                 TakenPlaces* taken);
void DrawPhases(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot);
void DrawSteps(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot);
void DrawHighlight(ImDrawList* list, const TimelineGeometry& geometry,
                   const std::vector<HighlightSpan>& spans);
void DrawOverview(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input);

// Mouse and keys over the plot and the overview. They change `state` and push commands.
void HandlePlotInput(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state,
                     CommandQueue& queue);
void HandleOverviewInput(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state);
void DrawHoverTooltip(const TimelineInput& input, const TimelineState& state);

// The column that a position lies in; nothing outside of all of them.
const presenters::PlotColumn* ColumnAt(const presenters::TimelinePlot& plot, double position);

}  // namespace tidemark::gui
