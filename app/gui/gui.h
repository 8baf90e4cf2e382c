// The window, from opening to closing. Called by main when no subcommand is given, and for `tidemark open
// FILE`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/window_services.h"
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
  FirstRun first;
  int width = 0;  // 0 = as last time
  int height = 0;
  std::optional<float> scale;  // instead of the one kept
  std::optional<bool> dark;
  // Where runs are kept that nobody saved; none = as keep_settings says, where such files belong or nowhere.
  std::optional<std::filesystem::path> kept_runs;
  bool keep_settings = true;     // read and write the configuration folder
  std::function<bool()> closes;  // true closes the window: somebody outside asked for it
  std::function<void()> opened;  // called once it is open
  WindowServices services;
  WindowHooks hooks;
};

// Returns the process's exit code: 0, or 1 after a sentence on stderr (no display, missing files).
int RunWindow(const WindowOptions& options);

}  // namespace tidemark::gui
