// The window's own state and what it does: owns the run, the estimates, the log; takes one view a frame,
// executes commands, and keeps everything that may take long on other threads. UI thread only.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background_jobs.h"
#include "app/gui/batch_search.h"
#include "app/gui/commands.h"
#include "app/gui/estimates.h"
#include "app/gui/scene.h"
#include "app/gui/shell/shell.h"
#include "app/gui/view_state.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

// How far the order of addresses moves what a run reserved; nothing where it has no say. Any thread; takes
// long.
using BandOfRun = std::function<presenters::Band(const session::Run& run)>;

struct ApplicationOptions {
  networks::TrainingSettings settings;
  std::optional<networks::DeviceChoice> device;  // none = the first CUDA device, else a phantom H200
  double steps_per_second = 2;
  BandOfRun band_of;  // none = no bands
};

class Application {
 public:
  // Errors: the networks or cards that were built beside the program cannot be read.
  static Result<std::unique_ptr<Application>> Create(const ApplicationOptions& options, ViewState view);
  ~Application();  // waits until a live run's process is gone
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  void StartRun();
  void OpenNetwork(const std::filesystem::path& file);
  void OpenFile(const std::filesystem::path& file);
  // Lays a second run over the one that is shown.
  void CompareWithFile(const std::filesystem::path& file);
  // One that somebody else has started; it takes no commands.
  void ShowRun(std::shared_ptr<session::Run> run);

  // Looks at the run and at finished jobs. True if there is something new to draw.
  bool Poll();
  void Draw();
  // Does what was asked for in the last Draw. True if anything was.
  bool ExecuteCommands();
  void Push(Command command) { queue_.Push(std::move(command)); }
  void Push(ActionId action) { queue_.Push(action); }

  void AddLogLine(presenters::LogLevel level, const std::string& text);
  bool wants_to_quit() const { return quit_; }
  std::optional<std::filesystem::path> TakeScreenshotRequest() {
    return std::exchange(screenshot_, std::nullopt);
  }
  std::string title() const;  // of the window
  // Something moves by itself: a job's progress, a notice that will go away.
  bool animating() const;

  const ViewState& view_state() const { return state_; }
  ViewState& view_state() { return state_; }
  const SceneInput& scene_input() const { return input_; }
  const Frame* frame() const { return frame_; }
  const networks::TrainingSettings& settings() const { return input_.settings; }
  void SetOwnTime(double seconds);

 private:
  Application(const ApplicationOptions& options, ViewState view, std::vector<networks::Network> networks,
              std::vector<phantom::Card> cards);

  void Execute(const Command& command);
  void Execute(ActionId action);
  void ExecuteRunAction(ActionId action);
  void ExecuteViewAction(ActionId action);
  void Change(const networks::TrainingSettings& settings, bool remember);
  void AdoptRun(std::shared_ptr<session::Run> run);
  void LetGo(std::shared_ptr<session::Run> run);
  void Save(const std::filesystem::path& file);
  void Export(trace::ExportFormat format, const std::filesystem::path& file);
  void AskForBand();
  void ReportStatusChange(const session::RunStatus& before);
  ShellInput MakeShellInput();
  std::string StatusText() const;

  using Clock = std::chrono::steady_clock;
  ApplicationOptions options_;
  std::vector<networks::Network> networks_;
  std::vector<phantom::Card> cards_;
  std::vector<std::string> cuda_devices_;
  ViewState state_;
  ShellState shell_;
  CommandQueue queue_;
  Estimates estimates_;
  Scene scene_;
  SceneInput input_;
  const Frame* frame_ = nullptr;
  std::shared_ptr<session::Run> run_;
  std::shared_ptr<session::Run> compared_;  // the second run, a recording
  std::unique_ptr<presenters::RunLog> log_;
  BatchSearch batch_search_;
  std::vector<networks::TrainingSettings> undo_;
  std::vector<networks::TrainingSettings> redo_;
  std::optional<std::filesystem::path> screenshot_;
  std::string file_title_;   // of an opened recording
  bool band_asked_ = false;  // of this run
  uint64_t run_number_ = 0;  // a start that was overtaken by a later one is let go
  bool quit_ = false;
  double own_p95_seconds_ = 0;
  std::vector<double> own_seconds_;
  // Last, so that its threads end before what they may refer to.
  BackgroundJobs jobs_;
};

}  // namespace tidemark::gui
