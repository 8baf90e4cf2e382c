// What is written over and under the columns: phases, steps, markers, failures, levels. A bounded number of
// each, found by search, so that their cost does not grow with the run. Pure; see timeline_plot.h.
#pragma once

#include <string>
#include <vector>

#include "app/presenters/plot/plot_columns.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/base/format.h"

namespace tidemark::presenters {

std::vector<PlotPhase> PhasesOver(const timeline::View& view, TimeAxis axis, const PlotColumns& cut);
std::vector<PlotStep> StepsOver(const timeline::View& view, TimeAxis axis, const PlotColumns& cut);
std::vector<PlotMarker> MarkersOver(const timeline::View& view, const TimelinePlotRequest& request,
                                    const PlotColumns& cut);
// "out of memory: 268.4 MB (268,435,456 B) asked for": in the unit of the axis beside it, and to the byte, by
// which it is found in PyTorch's own words.
std::string TitleOfFailure(const timeline::OutOfMemory& failure, ByteUnit unit);
std::string ShortTitleOfFailure(const timeline::OutOfMemory& failure, ByteUnit unit);
std::vector<PlotMarker> FailuresOver(const timeline::View& view, const TimelinePlotRequest& request,
                                     const PlotColumns& cut);

// Where one of View::settings() was in force.
struct SettingsStretch {
  events::EventIndex begin = 0;
  events::EventIndex end = 0;
  int32_t settings = -1;
};
std::vector<SettingsStretch> SettingsOver(const timeline::View& view, const PlotColumns& cut);

}  // namespace tidemark::presenters
