// The window, from opening to closing. Called by main when no subcommand is given, and for `tidemark open
// FILE`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/lessons/session_code.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/noted_run.h"
#include "profiler/session/program_order.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

class Application;

// For tests: called inside the window's life, on the UI thread.
struct WindowHooks {
  std::function<void(Application&)> opened;  // ImGui's context is there, no frame has begun
  std::function<void()> shown;               // after each frame is on the screen
  std::function<bool()> finished;            // true closes the window
  std::function<void()> closing;             // before ImGui's context goes
  std::function<void(double seconds, double cpu_seconds)> own_time;  // of each frame, without OpenGL
  std::function<void(double seconds)> painting_time;  // of each frame, by OpenGL; 0 where none was needed
  bool never_idle = false;                            // draws frame after frame
  int frames_per_painting =
      1;  // more: most frames are not painted, which in software takes most of their time
};

struct WindowOptions {
  // A recording to open instead of starting a run; several are the ranks of one.
  std::vector<std::filesystem::path> files;
  // One to show instead of starting one; with a file, the recording that it follows.
  std::shared_ptr<session::Run> run;
  std::optional<lessons::SessionState> state;  // in the place of the three below
  networks::TrainingSettings settings;
  std::optional<networks::DeviceChoice> device;  // none = the first CUDA device, else a phantom H200
  double steps_per_second = 2;
  int width = 0;  // 0 = as last time
  int height = 0;
  std::optional<float> scale;  // instead of the one kept
  std::optional<bool> dark;
  // Where runs are kept that nobody saved; none = as keep_settings says, where such files belong or nowhere.
  std::optional<std::filesystem::path> kept_runs;
  bool keep_settings = true;     // read and write the configuration folder
  std::function<bool()> closes;  // true closes the window: somebody outside asked for it
  std::function<void()> opened;  // called once it is open
  // How far the order of addresses moves what a program reserved (presenters/program_facts.h); any thread.
  std::function<std::optional<Result<session::ReservedBand>>(const session::Run& run,
                                                             const Progress& progress)>
      band_of;
  // The allocator that a run had; none = that of the LibTorch beside us.
  std::function<Result<session::AllocatorOf>(const events::RunDescription&)> allocator_of;
  session::StartProgram start_program;  // none = the window starts no programs
  session::SweepProgram sweep_program;  // none = nor sweeps
  session::TechniqueTrials technique_trials;
  // Writes a run in a format of presenters/run_formats.h, by its key; returns what the format has no place
  // for. Any thread.
  std::function<Result<std::vector<std::string>>(const session::NotedRun& noted, std::string_view format,
                                                 const std::filesystem::path& file, const Progress& progress)>
      export_run;
  WindowHooks hooks;
};

// Returns the process's exit code: 0, or 1 after a sentence on stderr (no display, missing files).
int RunWindow(const WindowOptions& options);

}  // namespace tidemark::gui
