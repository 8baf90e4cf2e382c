// What the window is given as it opens, by whoever opens it: what it cannot do itself, and what its first run
// is begun with.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/searches/trial_runs.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/lessons/session_code.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/noted_run.h"
#include "profiler/session/program_order.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

// How far the order of addresses moves what a run reserved; nothing where it has no say. Any thread; takes
// long.
using BandOfRun = std::function<presenters::Band(const session::Run& run, const Progress& progress)>;

// Writes a run in a format of presenters/run_formats.h, by its key; returns what the format has no place for.
// Any thread.
using ExportRun = std::function<Result<std::vector<std::string>>(
    const session::NotedRun& noted, std::string_view format, const std::filesystem::path& file,
    const Progress& progress)>;

// Each may be none: then the window does without it.
struct WindowServices {
  BandOfRun band_of;
  session::StartProgram start_program;
  session::SweepProgram sweep_program;
  session::TechniqueTrials technique_trials;
  AllocatorOfRun allocator_of;  // none = that of the LibTorch beside us
  ExportRun export_run;
};

struct FirstRun {
  std::optional<lessons::SessionState> session;  // in the place of the three below
  networks::TrainingSettings settings;
  std::optional<networks::DeviceChoice> device;  // none = the first CUDA device, else a phantom H200
  double steps_per_second = 2;
};

}  // namespace tidemark::gui
