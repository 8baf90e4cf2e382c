// Memory over time: the live blocks stacked by category, what is reserved, what the textbook and the phantom
// say, phases, steps, markers; zoom, pan, follow, and the name of whatever is under the mouse. UI thread
// only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/gui/commands/shown_cards.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/plot/axis_ticks.h"
#include "app/presenters/plot/device_work.h"
#include "app/presenters/plot/layer_lane.h"
#include "app/presenters/plot/plot_blocks.h"
#include "app/presenters/plot/replay_lane.h"
#include "app/presenters/plot/stacking.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {

// Where one block lies in the stack, column by column; see highlight.h.
struct HighlightSpan {
  double begin = 0;
  double end = 0;
  int64_t bottom_bytes = 0;
  int64_t top_bytes = 0;
};

struct TimelineInput {
  const presenters::TimelinePlot* plot = nullptr;
  const std::vector<presenters::PlotBlock>* blocks = nullptr;  // where zoomed in far enough
  const presenters::TimelinePlot* overview = nullptr;          // of the whole run, few columns
  const presenters::DeviceLane* lane = nullptr;                // beside plot's columns
  const std::vector<presenters::LayerSpan>* layers = nullptr;  // where zoomed in far enough
  const std::vector<presenters::PlotReplays>* replays = nullptr;
  const timeline::View* view = nullptr;  // for names
  presenters::VisibleRange whole;
  std::optional<presenters::BlockDescription> hovered;  // under TimelineState::hover of the frame before
  std::vector<HighlightSpan> highlight;
  const presenters::SelectedOwners* selected = nullptr;  // by the person; lies where selected_spans say
  std::vector<HighlightSpan> selected_spans;             // of one allocation
  std::optional<size_t> lit_group;  // of plot->groups, where what is selected is one of them
  presenters::StackOrder stack;     // in force
  bool has_ranks = false;           // the run is one of several
  bool goes_on = false;             // the run does
  ShownCards cards;
  timeline::CategorySet untold = 0;   // a lesson asks for these: they are left out, and the levels with them
  timeline::CategorySet subject = 0;  // what a lesson's page is about: first in the legend
  std::string stack_error;            // why the expression cannot be used; the stack stays as it was
  bool stack_pending = false;         // the groups are still being summed
  session::Capacity capacity;
  std::string measured;                           // what lies between the measuring cursors
  std::vector<presenters::PlotMarker> bookmarks;  // the person's own
  std::optional<double> pinned;                   // position of the pinned moment
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string compared;      // the name of the run whose curve lies over this one's; "" = none
  std::string failure;       // what ended the run, if it ended badly: a marker with this text is red
  std::string empty_reason;  // "" when there is something to draw
};

// What is gone back to (view/view_history.h).
struct ShownTimeline {
  presenters::TimeAxis axis = presenters::TimeAxis::kEvents;
  bool follow = true;  // keeps the last steps in sight
  bool whole = false;  // keeps the whole run in sight; with follow: once it has ended
  timeline::CategorySet hidden_categories = 0;  // of a stack of categories
  std::optional<presenters::StackOrder> stack;  // that a person chose; none = what tells the most of the run
  bool fit_lines = false;                       // the vertical axis reaches up to the card's own figures
  double magnified = 1;                         // the vertical axis, times what shows all in sight
  presenters::VisibleRange visible;
  std::optional<std::pair<events::EventIndex, events::EventIndex>> cursors;  // the second may be the earlier

  bool operator==(const ShownTimeline&) const = default;
};

struct TimelineState : ShownTimeline {
  int follow_steps = 5;
  std::array<char, 120> expression{};  // as it is being typed
  int chooses_stack = 0;               // what the stack is of: its list opens in so many frames, or never
  // Of the last frame: what the application needs to prepare the next one.
  int columns = 1200;
  int rows = 400;  // pixels of the plot
  int overview_columns = 300;
  presenters::AxisTicks ticks;  // that stand at the horizontal axis
  struct Hover {
    double position = 0;
    int64_t bytes = 0;  // above the axis, in the whole stack
  };
  std::optional<Hover> hover;
  // While the mouse is down.
  enum class Drag : uint8_t { kNone, kPan, kMeasure, kBrush, kBrushBegin, kBrushEnd, kBrushNew };
  Drag drag = Drag::kNone;
  presenters::VisibleRange drag_from;
  double drag_position = 0;
};

void DrawTimelinePanel(const TimelineInput& input, TimelineState& state, CommandQueue& queue);

}  // namespace tidemark::gui
