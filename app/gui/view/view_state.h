// Everything about the window that is not the run: one struct, saved and restored as one. UI thread only.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/allocations.h"
#include "app/gui/panels/batch.h"
#include "app/gui/panels/breakdown.h"
#include "app/gui/panels/bridge.h"
#include "app/gui/panels/checkpointing.h"
#include "app/gui/panels/comparison.h"
#include "app/gui/panels/findings.h"
#include "app/gui/panels/fit.h"
#include "app/gui/panels/layers.h"
#include "app/gui/panels/lessons.h"
#include "app/gui/panels/live_tree.h"
#include "app/gui/panels/memory_map.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/panels/run_log.h"
#include "app/gui/panels/slow_motion.h"
#include "app/gui/panels/statistics.h"
#include "app/gui/panels/timeline/timeline.h"
#include "app/gui/panels/what_if.h"
#include "app/gui/view/recent_files.h"
#include "app/gui/window/palette.h"
#include "profiler/base/format.h"
#include "profiler/base/result.h"

namespace tidemark::gui {

inline constexpr size_t kPanelCount = 18;

// A panel at a side that the window had no room for in its width, in pixels at the layout's scale.
struct CutWidth {
  float wanted = 0;  // comes back with the room
  float given = 0;   // no longer the panel's: a person has dragged it since
};

// Where the panels are docked.
struct Docking {
  std::string layout;  // as Dear ImGui writes it; "" = as laid out at first
  // When the panels were laid out: pixels for one of the design, and the height of all; 0 = not yet.
  float layout_scale = 0;
  float layout_height = 0;
  std::map<unsigned, CutWidth> cut_widths;  // by dock node, as `layout` numbers them
};

struct ArrangedPanels : Docking {
  bool learning = false;  // laid out with the lessons on the right
  std::array<bool, kPanelCount> shown = {true, true, true, true, true, true, true, true, true,
                                         true, true, true, true, true, true, true, true, true};
  std::optional<Docking>
      in_other_height;  // in a window that is low where this is not, or the other way round
};

struct ViewState : ArrangedPanels {
  bool dark = true;
  OwnColors own_colors;
  ByteUnit unit = ByteUnit::kMegabytes;
  float scale = 1.0F;                      // times the screen's own
  bool panel_tabs = false;                 // every panel has a tab to drag it by
  bool rank_strip = true;                  // of a run of several; not kept: each begins with it
  bool own_time = false;                   // show how long a frame takes
  std::optional<ArrangedPanels> own;       // while a lesson's layout, or slow motion's, is there instead
  std::optional<ArrangedPanels> replaced;  // the latest whose place a layout took that a person chose
  std::filesystem::path last_folder;
  std::vector<Opening> recent;  // of a person's own files; the latest first, kMostRecent at most
  std::string program_card;     // what a program ran on last (shell/program_dialog.h); "" = none did
  int window_width = 0;         // design pixels; 0 = never opened before
  int window_height = 0;

  RunControlsState run_controls;
  TimelineState timeline;
  BreakdownState breakdown;
  LayersState layers;
  RunLogState run_log;
  BridgeState bridge;
  MemoryMapState memory_map;
  LiveTreeState live_tree;
  AllocationsState allocations;
  StatisticsState statistics;
  BatchState batch;
  CheckpointingState checkpointing;
  ComparisonState comparison;
  LessonsState lessons;
  SlowMotionState slow_motion;  // not kept
  WhatIfState what_if;          // not kept
  presenters::Selection selection;
  std::optional<events::EventIndex> pinned;  // the moment that the memory map shows; none = the latest peak
};

inline constexpr float kSmallestScale = 0.6F;
inline constexpr float kLargestScale = 3.0F;

// Makes all of it as large, and the window that it remembers with that.
void UseScale(float scale, ViewState* state);

// What outlives the program: not the range in sight, nor what is being dragged or pinned, nor a layout that
// is there for a while.
std::string ToJson(const ViewState& state);
// Unknown keys and values out of range are ignored one by one; text that is not JSON is an error.
Result<ViewState> ViewStateFromJson(std::string_view json);

// $XDG_CONFIG_HOME/tidemark, or ~/.config/tidemark; created if it is missing.
Result<std::filesystem::path> ConfigFolder();
Result<ViewState> LoadViewState(const std::filesystem::path& file);  // defaults when there is no file
Status SaveViewState(const ViewState& state, const std::filesystem::path& file);

}  // namespace tidemark::gui
