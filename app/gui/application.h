// The window's own state and what it does: owns the run, the estimates, the log; takes one view a frame,
// executes commands, and keeps everything that may take long on other threads. UI thread only.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/checkpoint_prices.h"
#include "app/gui/background/estimates.h"
#include "app/gui/background/fit_advice.h"
#include "app/gui/background/live_ranks.h"
#include "app/gui/background/opened_ranks.h"
#include "app/gui/background/program_sweep.h"
#include "app/gui/commands/commands.h"
#include "app/gui/scene/scene.h"
#include "app/gui/shell/shell.h"
#include "app/gui/view/view_history.h"
#include "app/gui/view/view_state.h"
#include "profiler/session/noted_run.h"
#include "profiler/session/program_order.h"
#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

// How far the order of addresses moves what a run reserved; nothing where it has no say. Any thread; takes
// long.
using BandOfRun =
    std::function<presenters::Band(const session::Run& run, const std::function<bool(double)>& progress)>;
// The allocator that a run had.
using AllocatorOfRun = std::function<Result<session::AllocatorOf>(const events::RunDescription&)>;

// Writes a run in a format of presenters/run_formats.h; returns what the format has no place for. Any thread.
using ExportRun = std::function<Result<std::vector<std::string>>(
    const session::NotedRun& noted, std::string_view format, const std::filesystem::path& file,
    const std::function<bool(double)>& progress)>;

struct ApplicationOptions {
  std::optional<lessons::SessionState> session;  // in the place of the three below
  networks::TrainingSettings settings;
  std::optional<networks::DeviceChoice> device;  // none = the first CUDA device, else a phantom H200
  double steps_per_second = 2;
  BandOfRun band_of;                    // none = no bands
  session::StartProgram start_program;  // none = none can be started
  session::SweepProgram sweep_program;  // none = no sweeps can be started
  AllocatorOfRun allocator_of;          // none = that of the LibTorch beside us
  ExportRun export_run;
  std::filesystem::path kept_runs;  // where runs are kept that nobody saved; "" = nowhere
};

class Application {
 public:
  // Errors: the networks or cards that were built beside the program cannot be read.
  static Result<std::unique_ptr<Application>> Create(const ApplicationOptions& options, ViewState view);
  ~Application();  // waits until a live run's process is gone
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  void StartRun();
  // A program of the person's own.
  void Start(const session::ProgramOrder& order);
  // Many of it, one for each value of one of its options (application_sweep.cpp).
  void Sweep(const session::SweepOrder& order);
  void OpenNetwork(const std::filesystem::path& file);
  void TrainNetwork(const Result<networks::Network>& network);
  // A folder with CIFAR-10.
  void UseData(const std::filesystem::path& folder);
  // Files that were dropped on the window: opened, or a run of theirs laid over this one.
  void TakeDropped(const std::vector<std::filesystem::path>& files, bool to_compare);
  void OpenFile(const std::filesystem::path& file);
  // Reads the peaks of all ranks, and opens the largest.
  void OpenRanks(const std::vector<std::filesystem::path>& files);
  // Lays a second run over the one that is shown.
  void CompareWithFile(const std::filesystem::path& file);
  // One that somebody else has started; it takes no commands.
  void ShowRun(std::shared_ptr<session::Run> run);
  // One of a recording that is still being written (session/followed_run.h), from this file.
  void Follow(std::shared_ptr<session::Run> run, const std::filesystem::path& file);

  // Looks at the run and at finished jobs. True if there is something new to draw.
  bool Poll();
  void Draw();
  // Does what was asked for in the last Draw. True if anything was.
  bool ExecuteCommands();
  void Push(Command command) { queue_.Push(std::move(command)); }
  void Push(ActionId action) { queue_.Push(action); }

  // As the window closes: what is being written is finished, and the run that is shown is kept where nobody
  // saved it. What there is to tell of both.
  std::vector<std::string> KeepOnClosing();

  void EndSlowMotion();  // what it changed is as before; nothing where it is not on

  void AddLogLine(presenters::LogLevel level, const std::string& text);
  void Complain(
      const std::string& complaint);  // of what is kept from window to window: each run's log has it
  bool wants_to_quit() const { return quit_; }
  std::optional<TakeScreenshot> TakeScreenshotRequest() { return std::exchange(screenshot_, std::nullopt); }
  std::string title() const;  // of the window
  // Whether what is shown is a recording that is still being written.
  bool follows() const { return !file_title_.empty() && input_.status.state <= session::RunState::kPaused; }
  // The frame shows less than it could: the next goes on.
  bool unfinished() const { return scene_.pending() || shell_.search.found.pending(); }
  bool asking() const { return estimates_.pending(); }  // a prediction is on its way
  bool expects_events() const;                          // of a run that goes on
  // Something changes by itself: a job's progress, a notice that will go away, a prediction.
  bool waiting() const;

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
  // Each whether the action is its own.
  bool ExecuteFileAction(ActionId action);
  bool ExecuteWindowAction(ActionId action);
  bool ExecuteRunAction(ActionId action);
  bool ExecuteTimelineAction(ActionId action);
  bool ExecuteLookAction(ActionId action);
  void AskWhereTo(const SavePicture& wanted);
  void Choose(const ChooseDevice& wanted);
  void SetPace(double steps_per_second);
  void ChooseKernels(bool on);
  void ShowSelected(const presenters::Selection& selection);
  void List(const ListAllocations& wanted);
  void CopyListed();
  void ShowOnMap(presenters::MapPart part);
  void StartWith(const StartAgain& wanted);
  void SetUpOpenPage();
  void Change(networks::TrainingSettings settings, bool remember);
  bool PutNetwork(const networks::Network& network);
  void TellNotOpened(const std::string& why);
  void ShowRanks(session::Ranks ranks);
  bool NeedsOtherProcesses(const networks::TrainingSettings& before) const;
  // Of the ranks that go on here the one that is shown; else the run itself.
  std::shared_ptr<const session::Run> ShownRank() const;
  void ShowRank(size_t index);
  void ShowOtherRank();  // than before
  void FollowRanks();
  void ShowFromHere();
  // A recording that lies over the run that is shown; none = no run.
  struct SecondRun {
    std::shared_ptr<session::Run> run;
    std::string title;
  };
  struct Choices {
    networks::TrainingSettings settings;
    networks::DeviceChoice device;
    std::string allocator;
    SecondRun second;
  };
  Choices Chosen() const { return {input_.settings, input_.device, input_.allocator, second_}; }
  void LayOver(SecondRun second);  // none takes it away
  void EndForeignComparison();
  void RememberChoices();
  // True where device or allocator are others now, and no run has been started with them yet.
  bool Apply(const Choices& choices);
  // The same, to be undone at once.
  bool ApplyAnew(const Choices& choices);
  void ReturnTo(std::vector<Choices>& before, std::vector<Choices>& after);
  // A file or a program that somebody asks to be shown. Reading and starting take their time, and the latest
  // that was asked for is what is wanted.
  struct Request {
    uint64_t run_number = 0;
    uint64_t number = 0;
  };
  Request Ask() { return {run_number_, ++requests_}; }
  // Says so of what is let go.
  bool IsOvertaken(const Request& request, const std::string& what);
  // As a person asks: what is locked stays.
  void ChangeByHand(const networks::TrainingSettings& settings);
  networks::TrainingSettings Allowed(const networks::TrainingSettings& settings);  // says so where less is
  bool ExecuteLearningAction(ActionId action);
  void ShowPage(const std::string& lesson, int page);
  void SetUp(const lessons::Setup& setup);
  void Use(const lessons::SessionState& session);
  lessons::SessionState CurrentSession() const;
  void ReadSession(const std::filesystem::path& file);
  void WriteSession(const std::filesystem::path& file);
  // Locks and hints of the code and of the page that is open.
  ControlAccess Access() const;
  void AdoptRun(std::shared_ptr<session::Run> run);
  void LetGo(std::shared_ptr<session::Run> run);
  // A run that is shown no more, which nobody may have saved.
  struct Leaving {
    std::shared_ptr<session::Run> run;
    std::vector<trace::Bookmark> bookmarks;
    bool is_saved = false;
  };
  using KeptRun = Result<std::optional<std::filesystem::path>>;
  // A start of the trainer that has come to its end.
  struct TrainerStart {
    uint64_t number = 0;
    networks::TrainingSettings settings;
    std::vector<KeptRun> kept;                                     // of what was shown before
    std::optional<Result<std::shared_ptr<session::Run>>> outcome;  // none = it was given up before
    bool is_cancelled = false;                                     // by the person
  };
  void BeginStart();
  void EndStart(TrainerStart& start);
  void LetGoOf(TrainerStart& start);
  void EndBeside(Leaving leaving);  // the window; kept where nobody saved it
  bool IsSaved() const;
  Leaving Leave();
  static KeptRun Keep(const Leaving& leaving, const std::filesystem::path& folder);  // any thread
  void TellOfKept(const KeptRun& kept);
  void Save(const std::filesystem::path& file);
  void Export(const std::filesystem::path& file);
  void AskForBand();
  // application_view.cpp
  void LookBack(bool forward);
  void Show(const GoToMoment& wanted);
  void AskForBookmark();
  void Keep(const KeepBookmark& wanted);
  void ReadBookmarks(const std::filesystem::path& file);
  // What an opened recording tells of; none of a live run.
  std::optional<networks::TrainingSettings> RecordedSettings() const;
  void BeginSlowMotion();
  void HoldForSlowMotion();  // once there is a step to walk
  bool ExecuteSlowMotionAction(ActionId action);
  void Walk(ActionId to);
  std::optional<int> SmallerBatch() const;
  Banner MakeBanner() const;
  void FindWhatFits();
  void FindCheapestChanges(const advice::FitQuestion& question, const std::shared_ptr<advice::Needs>& needs);
  void EndSearch(const std::string& error);  // "" = it has an answer
  void ForgetWhatFits();
  void TryAllocatorSettings();
  void TryOther(const OtherSetup& wanted);
  std::optional<session::AllocatorOf> BeginTrial();
  void KeepTrialsOf(timeline::EventIndex end);
  bool FollowSweep();  // true if there is anything new
  void TakeEndOfSweep(const Result<std::vector<std::string>>& notes, const SweepInbox& inbox, bool wanted);
  void EndSweep();
  void AskForFindings();
  void AskForPrices();
  void AskForPlans();
  void ReportStatusChange(const session::RunStatus& before);
  void ShowLastStep();
  ShellInput MakeShellInput();
  std::string StatusText() const;
  std::string DeviceText() const;

  using Clock = std::chrono::steady_clock;
  ApplicationOptions options_;
  std::vector<networks::Network> networks_;
  std::vector<phantom::Card> cards_;
  std::vector<std::string> cuda_devices_;
  ViewState state_;
  ShellState shell_;
  CommandQueue queue_;
  Estimates estimates_;
  uint64_t answers_ = 0;  // estimates_.version() at the last Poll
  Scene scene_;
  SceneInput input_;
  const Frame* frame_ = nullptr;
  std::shared_ptr<session::Run> run_;
  const session::Run* shown_run_ = nullptr;  // ShownRank() of the last ShowFromHere; none without run_
  // Up to where the run that is shown has been saved; none = not at all.
  std::optional<events::EventIndex> saved_until_;
  bool has_kept_runs_ = false;
  SecondRun second_;
  std::unique_ptr<presenters::RunLog> log_;
  std::vector<std::string> complaints_;
  OpenedRanks ranks_;  // empty unless several were opened, or go on here
  LiveRanks live_ranks_;
  FitAdvice fit_;
  CheckpointPrices prices_;
  std::optional<ProgramSweep> sweep_;
  std::shared_ptr<SweepInbox> sweep_inbox_;  // while it goes on
  bool plans_budgets_ = false;
  // What findings were looked for in last; none of this run = nothing yet.
  struct FindingsAsked {
    std::shared_ptr<const timeline::View> view;
    ByteUnit unit = ByteUnit::kMegabytes;
    Clock::time_point at;
  };
  std::optional<FindingsAsked> findings_asked_;
  bool looks_for_findings_ = false;
  RunFindings findings_;
  LessonBook book_;
  ControlAccess of_code_;
  bool locks_lifted_ = false;                     // those of the page that is open
  std::array<bool, kPanelCount> shown_before_{};  // before slow motion
  std::string layout_before_;                     // "" = it has changed nothing, or another was chosen since
  bool ways_out_wanted_ = false;                  // memory ran out, and nobody has searched yet
  std::vector<Choices> undo_;
  std::vector<Choices> redo_;
  std::optional<TakeScreenshot> screenshot_;
  ViewHistory history_;
  std::vector<trace::Bookmark> bookmarks_;  // of the run that is shown
  std::filesystem::path opened_file_;       // beside which they are kept; "" = of a run that is live
  std::string file_title_;                  // of an opened recording
  bool shows_foreign_ = false;              // a file or a program was shown before the trainer that starts
  bool was_not_opened_ = false;             // the file that the window was opened for; nothing else is shown
  bool was_followed_ = false;               // it is shown as it grows, or was
  bool band_asked_ = false;                 // of this run
  Clock::time_point adopted_at_{};          // when the run came that is shown
  std::atomic<bool> start_cancelled_ = false;  // while its trainer loads
  std::atomic<uint64_t> run_number_ = 0;  // what was asked for before is let go; written by the UI thread
  bool start_under_way_ = false;          // of the trainer; what is asked for meanwhile begins after it
  std::vector<Leaving> leaving_;          // what ends before it begins
  uint64_t requests_ = 0;                 // files and programs that were asked for
  uint64_t comparisons_ = 0;              // that were asked for, or ended
  uint64_t shown_number_ = 0;             // so is what was asked of a run or a rank that was shown before
  bool quit_ = false;
  double own_p95_seconds_ = 0;
  std::vector<double> own_seconds_;
  // Last, so that its threads end before what they may refer to.
  BackgroundJobs jobs_;
};

}  // namespace tidemark::gui
