// What all panels draw in one frame: made by Scene, read by the panels. UI thread only.
#pragma once

#include <optional>
#include <vector>

#include "app/gui/commands/job_line.h"
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
#include "app/gui/panels/program.h"
#include "app/gui/panels/program_sweep.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/panels/run_log.h"
#include "app/gui/panels/slow_motion.h"
#include "app/gui/panels/statistics.h"
#include "app/gui/panels/timeline/timeline.h"
#include "app/presenters/allocations/search.h"

namespace tidemark::gui {

struct Frame {
  bool awaits_prediction = false;    // a lesson asks for what is told of the settings that are chosen
  bool veiled = false;               // and the panels of the run would tell it, too
  bool lesson_out_of_sight = false;  // while it asks
  RunControlsInput run_controls;
  std::optional<ProgramInput> program;  // in the place of the controls
  TimelineInput timeline;
  BreakdownInput breakdown;
  LayersInput layers;
  RunLogInput run_log;
  BridgeInput bridge;
  MemoryMapInput memory_map;
  LiveTreeInput live_tree;
  AllocationsInput allocations;
  StatisticsInput statistics;
  BatchInput batch;
  CheckpointingInput checkpointing;
  ProgramSweepInput sweep;
  ComparisonInput comparison;
  FindingsInput findings;
  FitInput fit;
  LessonsInput lessons;
  SlowMotionInput slow_motion;
  std::vector<presenters::NamedMoment> bookmarks;
  std::vector<JobLine> jobs;  // of what panels wait for
};

}  // namespace tidemark::gui
