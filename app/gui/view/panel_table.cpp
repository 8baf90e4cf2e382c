#include "app/gui/view/panel_table.h"

#include <algorithm>
#include <iterator>

#include "app/gui/widgets/icons.h"
#include "profiler/base/check.h"

namespace tidemark::gui {
namespace {

constexpr Panel kPanels[] = {
    {"run_controls", "Run", icons::kSliders, "What trains, where, and with which techniques.",
     PanelPlace::kLeft, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       if (frame.program) {
         DrawProgramPanel(*frame.program, frame.run_controls.capture, queue);
       } else {
         DrawRunControlsPanel(frame.run_controls, state.run_controls, queue);
       }
     },
     WhileAsked::kVeiled, "Program"},
    {"timeline", "Memory over time", icons::kChart, "The live blocks, stacked by category.",
     PanelPlace::kCenter, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawTimelinePanel(frame.timeline, state.timeline, queue);
     },
     WhileAsked::kLeavesOut},
    {"memory_map", "Memory map", icons::kMap, "Segments and blocks at one moment.", PanelPlace::kCenterMiddle,
     PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawMemoryMapPanel(frame.memory_map, state.memory_map, queue);
     }},
    {"layers", "Layers", icons::kLayers, "Layer by layer: parameters, what is kept, share of the peak.",
     PanelPlace::kCenterBottom, PanelOf::kLayers,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawLayersPanel(frame.layers, state.layers, queue);
     },
     WhileAsked::kLeavesOut},
    {"live_tree", "What is alive", icons::kTree,
     "Everything alive at one moment, as a tree map or a flame graph.", PanelPlace::kCenterBottom,
     PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawLiveTreePanel(frame.live_tree, state.live_tree, queue);
     }},
    {"allocations", "Allocations", icons::kTable, "Every allocation: filter, sort, copy.",
     PanelPlace::kCenterBottom, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawAllocationsPanel(frame.allocations, state.allocations, queue);
     }},
    {"statistics", "Statistics", icons::kHistogram,
     "What came and went in a stretch of the run: how much, how briefly, of what sizes.",
     PanelPlace::kCenterBottom, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawStatisticsPanel(frame.statistics, state.statistics, queue);
     }},
    {"run_log", "Run log", icons::kLog, "What happened, line by line.", PanelPlace::kCenterBottom,
     PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawRunLogPanel(frame.run_log, state.run_log, queue);
     }},
    {"breakdown", "Where the peak goes", icons::kShares, "Textbook, phantom and measurement by category.",
     PanelPlace::kRight, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawBreakdownPanel(frame.breakdown, state.breakdown, queue);
     },
     WhileAsked::kLeavesOut},
    {"bridge", "The bridge", icons::kBridge, "From the textbook's figure to the device's, step by step.",
     PanelPlace::kRightBottom, PanelOf::kNetworks,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawBridgePanel(frame.bridge, state.bridge, queue);
     }},
    {"batch", "Batch size", icons::kRuler,
     "The peak over the batch size: textbook, phantom, and the card's line. Drag to change the batch.",
     PanelPlace::kRight, PanelOf::kSettings,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawBatchPanel(frame.batch, state.batch, queue);
     }},
    {"sweep", "Sweep", icons::kSweep,
     "The peak of a program of yours over one of its options, under the card's line. Click a point to run "
     "it.",
     PanelPlace::kRight, PanelOf::kSweep,
     [](const Frame& frame, ViewState&, CommandQueue& queue) { DrawProgramSweepPanel(frame.sweep, queue); }},
    {"checkpointing", "Checkpointing", icons::kStairs,
     "What each way to checkpoint needs, over what runs again for it. Click a point to apply it.",
     PanelPlace::kRight, PanelOf::kSettings,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawCheckpointingPanel(frame.checkpointing, state.checkpointing, queue);
     }},
    {"fit", "What fits", icons::kGauge,
     "The cheapest change that fits on the card, the largest batch, and the same run with another card, "
     "allocator or start.",
     PanelPlace::kRightBottom, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawFitPanel(frame.fit, state.what_if, queue);
     }},
    {"compare", "Compare", icons::kCompare,
     "This run beside another, or before and after a change: by level, category, layer and allocation.",
     PanelPlace::kRightBottom, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawComparisonPanel(frame.comparison, state.comparison, queue);
     }},
    {"findings", "Findings", icons::kSearch,
     "What stands out: why memory ran out, growth, kept graphs, fragmentation.", PanelPlace::kCenterBottom,
     PanelOf::kAnyRun,
     [](const Frame& frame, ViewState&, CommandQueue& queue) { DrawFindingsPanel(frame.findings, queue); }},
    {"slow_motion", "Slow motion", icons::kOperator,
     "One training step, operator by operator: code, and the blocks that come and go.",
     PanelPlace::kCenterBottom, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawSlowMotionPanel(frame.slow_motion, state.slow_motion, queue);
     }},
    {"lessons", "Learn", icons::kLearn, "Lessons, page by page: predict, try, and see why.",
     PanelPlace::kLessons, PanelOf::kAnyRun,
     [](const Frame& frame, ViewState& state, CommandQueue& queue) {
       DrawLessonsPanel(frame.lessons, state.lessons, queue);
     }},
};
static_assert(std::size(kPanels) == kPanelCount);

}  // namespace

std::span<const Panel> Panels() { return kPanels; }

size_t IndexOfPanel(std::string_view name) {
  const auto found = std::ranges::find(kPanels, name, &Panel::name);
  TIDEMARK_CHECK(found != std::end(kPanels));
  return static_cast<size_t>(found - std::begin(kPanels));
}

const char* LabelOf(const Panel& panel, const Frame& frame) {
  return frame.program && panel.label_of_program != nullptr ? panel.label_of_program : panel.label;
}

bool HasContent(const Panel& panel, const Frame& frame) {
  switch (panel.of) {
    case PanelOf::kAnyRun:
      break;
    case PanelOf::kNetworks:
    case PanelOf::kSettings:
      return !frame.program.has_value();
    case PanelOf::kSweep:
      return frame.sweep.sweep != nullptr;
    case PanelOf::kLayers:
      return frame.layers.may_come || !frame.layers.rows->empty();
  }
  return true;
}

std::string_view WhyVeiled(const Panel& panel, const Frame& frame) {
  if (panel.place == PanelPlace::kLeft || panel.place == PanelPlace::kLessons) return "";
  if (panel.of == PanelOf::kSettings ? frame.awaits_prediction : frame.veiled)
    return frame.lesson_out_of_sight ? "A page of a lesson asks first for what stands here. In the menu "
                                       "Learn, Layout: learn shows the "
                                       "page, and Back to your own settings leaves it."
                                     : "First your prediction, in the Learn panel. What the run says stands "
                                       "here once it is revealed.";
  if (frame.timeline.untold != 0 && panel.while_asked == WhileAsked::kVeiled)
    return "A page of this lesson asks first for some of what stands here. It is told once that is revealed.";
  return "";
}

}  // namespace tidemark::gui
