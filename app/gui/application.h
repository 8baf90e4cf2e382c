// The window's own state and what it does: owns the run, the estimates, the log; takes one view a frame,
// executes commands, and keeps everything that may take long on other threads. UI thread only.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/estimates.h"
#include "app/gui/background/opened_ranks.h"
#include "app/gui/choice_history.h"
#include "app/gui/closing.h"
#include "app/gui/commands/commands.h"
#include "app/gui/consent.h"
#include "app/gui/kept_runs.h"
#include "app/gui/lesson_desk.h"
#include "app/gui/opener.h"
#include "app/gui/run_notices.h"
#include "app/gui/run_status.h"
#include "app/gui/scene/scene.h"
#include "app/gui/searches/checkpoint_planner.h"
#include "app/gui/searches/findings_watch.h"
#include "app/gui/searches/fit_search.h"
#include "app/gui/searches/sweep_runner.h"
#include "app/gui/searches/technique_runner.h"
#include "app/gui/searches/trial_runs.h"
#include "app/gui/shell/arrangement.h"
#include "app/gui/shell/shell.h"
#include "app/gui/shown_run.h"
#include "app/gui/start_queue.h"
#include "app/gui/view/view_history.h"
#include "app/gui/view/view_state.h"
#include "app/gui/window/frame_times.h"
#include "app/gui/window_services.h"
#include "profiler/session/program_order.h"
#include "profiler/session/run.h"
#include "profiler/timeline/graph_replays.h"
#include "profiler/trace/bookmarks.h"
#include "profiler/trace/samples.h"

namespace tidemark::gui {

struct ApplicationOptions {
  FirstRun first;
  WindowServices services;
  std::filesystem::path kept_runs;  // where runs are kept that nobody saved; "" = nowhere
  // Another program that speaks the protocol; for tests.
  std::optional<std::filesystem::path> trainer_executable = {};
};

class Application {
 public:
  // Errors: the networks or cards that were built beside the program cannot be read.
  static Result<std::unique_ptr<Application>> Create(const ApplicationOptions& options, ViewState view);
  ~Application();  // waits until a live run's process is gone
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // These, and what opens files, let go of the run that is shown. Where that is a program that goes on, the
  // person is asked first.
  void StartRun();
  // What the window begins with by itself: as long as nobody changes it or notes anything in it, it is
  // nothing that anybody would miss.
  void StartExample();
  // A program of the person's own.
  void Start(const session::ProgramOrder& order);
  // Many of it, one for each value of one of its options.
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

  // As the window closes, at whoever's wish: what is being written is finished, and the run that is shown is
  // kept where nobody saved it or let it go. What there is to tell of both.
  std::vector<std::string> KeepOnClosing();

  void EndSlowMotion();  // what it changed is as before; nothing where it is not on

  void AddLogLine(presenters::LogLevel level, const std::string& text);
  // Of what is kept from window to window.
  void Complain(const std::string& complaint) { notices_.Complain(complaint); }
  bool wants_to_quit() const { return closing_.is_wanted(); }
  std::optional<TakeScreenshot> TakeScreenshotRequest() { return std::exchange(screenshot_, std::nullopt); }
  std::string title() const { return WindowTitle(input_); }
  // The frame shows less than it could: the next goes on.
  bool unfinished() const { return scene_.pending() || shell_.search.found.pending(); }
  bool asking() const { return estimates_.pending(); }  // a prediction is on its way
  bool expects_events() const;                          // of a run that goes on
  // Something changes by itself: a job's progress, a notice that will go away, a prediction.
  bool waiting() const;

  const ViewState& view_state() const { return state_; }
  ViewState& view_state() { return state_; }
  const SceneInput& scene_input() const { return input_; }
  // What is noted now is noted of this.
  std::weak_ptr<const session::Run> shown_process() const { return shown_.process(); }
  const Frame* frame() const { return frame_; }
  const ShellState& shell() const { return shell_; }
  const networks::TrainingSettings& settings() const { return input_.settings; }
  // Lessons change what a person has chosen: how to come back, in words; "" where there is nothing to.
  std::string ChangeToOwn() const { return desk_.ChangeToOwn(Chosen(), state_, cards_); }
  void AddOwnTime(double seconds) { own_times_.Add(seconds); }  // of a frame

 private:
  Application(const ApplicationOptions& options, ViewState view, std::vector<networks::Network> networks,
              std::vector<phantom::Card> cards);

  void Execute(const Command& command);
  bool ProgramGoesOn() const;  // that somebody started
  void AskBeforeEnding(std::function<void()> then);
  void AskBeforeReplacing(const std::filesystem::path& recording, std::function<void()> then);
  void AskBeforeQuitting();
  void BeginStart();
  void BeginProgram(const session::ProgramOrder& order);
  // What is trained, or a program that was started here and has ended, begins anew.
  bool CanRestart() const;
  void Restart();
  void AskForProgram();
  void AskAgain(const RefusedOrder& refused);
  void RememberCard(const session::ProgramOrder& order);
  // `card`: that one of several alone. `ranks`: it is one of these, which are shown with it.
  void ReadRun(const std::filesystem::path& file, std::optional<uint8_t> card = {},
               const std::optional<OpenedRanks>& ranks = {});
  void ShowRead(std::shared_ptr<session::Run> run, const std::filesystem::path& file,
                std::optional<uint8_t> card, const std::optional<OpenedRanks>& ranks,
                const RunNotices::Lines& told);
  // For the next time: where files are looked for, and what is to be opened again.
  void Remember(const Opening& opened);
  void TellOpened(const std::filesystem::path& file, bool are_ranks_doubtful);
  void ShowOneCard(std::optional<uint8_t> device);  // none = all of them
  void ReadRanks(const std::vector<std::filesystem::path>& files);
  void Execute(ActionId action);
  // Each whether the action is its own.
  bool ExecuteFileAction(ActionId action);
  void ChooseFile(FilePurpose purpose, const std::filesystem::path& folder, const std::string& name = "");
  bool ExecuteWindowAction(ActionId action);
  bool ExecuteRunAction(ActionId action);
  bool ExecuteTimelineAction(ActionId action);
  bool ExecuteLookAction(ActionId action);
  void AskWhereTo(const SavePicture& wanted);
  void Choose(const ChooseDevice& wanted);
  void SetPace(double steps_per_second);
  void ChooseKernels(bool on);
  void Pin(const PinMoment& wanted);
  void ShowSelected(const presenters::Selection& selection);
  void List(const ListAllocations& wanted);
  void CopyListed();
  void ShowOnMap(presenters::MapPart part);
  void StartWith(const StartAgain& wanted);
  void AskBeforeStartingOver();
  void SetUpOpenPage();
  // As they can be trained here: what another network cannot take is left behind. None where they cannot.
  // Says so of both.
  std::optional<networks::TrainingSettings> Trainable(networks::TrainingSettings settings);
  // True where that has begun another run.
  bool Change(const networks::TrainingSettings& settings, bool remember);
  bool PutNetwork(const networks::Network& network);
  void TellNotOpened(const std::string& why);
  void OpenLargest(session::Ranks ranks);
  bool NeedsOtherProcesses(const networks::TrainingSettings& before) const;
  void ShowRank(int64_t rank);  // of those that are open, by its number
  void ShowOtherPart();         // than before
  void CloseRanks();            // those that come next are seen
  void FollowRanks();
  void TakePeaks(session::Ranks peaks);
  void ShowFromHere();  // the notices of what is shown have begun
  void TellWhatIsShown();
  void LookAtRun();
  void LookAtPart();
  Choices Chosen() const {
    return {input_.settings, input_.device, input_.allocator, input_.kernels, second_};
  }
  void LayOver(SecondRun second);  // none takes it away
  void EndForeignComparison();
  void BeginOther();
  void ForgetWhatWasSought();
  void RememberChoices() { choices_.Remember(Chosen()); }
  // Device, allocator or what is told of kernels are others than those of the run: it takes another process.
  bool TakesAStart(const Choices& choices) const;
  // Where that would end a program, it is asked first.
  void AskBeforeChoosing(const Choices& choices, std::function<void()> then);
  // What choices mean for the run.
  enum class StartOfChoices : uint8_t { kNotNeeded, kNeeded, kBegun };
  StartOfChoices Apply(const Choices& choices);
  // The same, to be undone at once.
  StartOfChoices ApplyAnew(const Choices& choices);
  void Return(bool back);             // to what was chosen before, or undone
  void Take(const Choices& choices);  // and starts a run, or tells that it is the next one's
  void ReturnTo(Choices wanted);
  void TellOfNextRun(const Choices& before);
  // As a person asks: what is locked stays.
  void ChangeByHand(const networks::TrainingSettings& settings);
  // Each says so where nothing of it is.
  Choices Allowed(const Choices& wanted);
  Choices AllowedBack(const Choices& wanted);
  Choices Told(const Choices& wanted, Choices allowed);
  bool ExecuteLearningAction(ActionId action);
  void ShowPage(const std::string& lesson, int page);
  void SetUp(const lessons::Setup& setup);
  Choices OwnChoices() const;  // before the lessons, of which there have been some
  void TakeOwnSettings();
  void ReturnToCode();
  void LeaveLesson();
  void LeaveLearnLayout();
  // At a person's wish, who is asked first where that would end a program.
  void UseAsked(const lessons::SessionState& session);
  // All of it, or nothing where its settings cannot be trained here.
  void Use(const lessons::SessionState& session);
  lessons::SessionState CurrentSession() const;
  void ReadSession(const std::filesystem::path& file);
  void WriteSession(const std::filesystem::path& file);
  void ShowAlone(ShownRun shown);
  // `told`: as it was asked for.
  void AdoptRun(ShownRun shown, RunNotices::Lines told = {});
  void LetGo(std::shared_ptr<session::Run> run);
  void ReadNetworkAnew(const std::string& name);
  session::LiveOptions OptionsOfStart() const;
  void EndStart(const session::LiveOptions& started, std::optional<StartQueue::StartedRun> outcome);
  bool IsLostByClosing() const;
  LeavingRun Leaving() const;
  LeavingRun Leave();
  void KeepAndThen(Consent::Then then);
  void SaveAndThen(Consent::Then then);
  void TellOfKept(const KeptRun& kept);
  // What somebody asked to be written, or nobody saved.
  void TellNotWritten(const std::string& why);
  // `then`: once it is saved; none = nothing waits for it.
  void Save(const std::filesystem::path& file, const Consent::Then& then);
  void Export(const std::filesystem::path& file);
  void AskForBand();
  void LookBack(bool forward);
  void Show(const GoToMoment& wanted);
  void ShowSurroundings(timeline::EventIndex moment);
  void ShowEvents(timeline::EventIndex begin, timeline::EventIndex end);
  void AskForBookmark();
  void Keep(const KeepBookmark& wanted);
  void TellOfNotes(const Status& read);
  // What an opened recording tells of; none of a live run.
  void ReadRecordedSettings();
  void BeginSlowMotion();
  void TakeLayout(Layout layout);
  void ReturnToLayoutBefore();
  void HoldForSlowMotion();  // once there is a step to walk
  bool ExecuteSlowMotionAction(ActionId action);
  void Walk(ActionId to);
  void FindWhatFits() { fit_search_.Begin(FitSubjectOf(input_), networks_); }
  void FindWaysOut() { fit_search_.Begin(RunSubjectOf(input_), networks_); }
  // None where there is nothing to try.
  std::optional<TriedRun> RunToTry() const;
  void TryAllocatorSettings();
  void TryOther(const OtherSetup& wanted);
  void BeginSweep(const session::SweepOrder& order);
  void TakeEndOfSweep(const session::SweepOrder& order, const SweepRunner::End& end);
  // With the memory that it is to have; none where it is on no phantom of a known card.
  std::optional<phantom::Card> CardOfOrder(const session::ProgramOrder& order) const;
  void TryTechniques();
  void LookForFindings();
  void AskForPlans();
  void TakeStatusChange(const session::RunStatus& before);
  void NoteStatus();
  void TellOfEndBefore();
  void TellOfGoodEnd();
  void ShowShortage();
  ShellInput MakeShellInput();

  using Clock = std::chrono::steady_clock;
  ApplicationOptions options_;
  std::vector<networks::Network> networks_;
  std::vector<phantom::Card> cards_;
  std::vector<std::string> cuda_devices_;
  ViewState state_;
  ShellState shell_;
  CommandQueue queue_;
  Consent consent_{
      &shell_.held,
      {[this](const std::string& sentence) { AddLogLine(presenters::LogLevel::kWarning, sentence); },
       [this](Consent::Then then) { KeepAndThen(std::move(then)); },
       [this](Consent::Then then) { SaveAndThen(std::move(then)); }}};
  Consent::Then once_saved_;  // what waits for the file that is being asked for; none = nothing does
  Closing closing_;
  Estimates estimates_;
  uint64_t answers_ = 0;  // estimates_.version() at the last Poll
  Scene scene_;
  timeline::GraphReplayCount replays_;  // of what is shown
  SceneInput input_;
  const Frame* frame_ = nullptr;
  ShownRun shown_;
  SecondRun second_;
  RunNotices notices_{&shell_.toasts};
  RunNotices::Lines told_of_start_;  // as the start was asked for that is wanted
  OpenedRanks ranks_;                // empty unless several were opened, or go on here
  FitSearch fit_search_;
  TrialRuns trials_;
  CheckpointPlanner planner_;
  FindingsWatch findings_;
  SweepRunner sweep_;
  TechniqueRunner techniques_;
  LessonDesk desk_;
  std::vector<trace::Sample> samples_;
  Arrangement arrangement_{&shell_};
  StartQueue starts_;
  Opener opener_;
  ChoiceHistory choices_;
  std::optional<TakeScreenshot> screenshot_;
  ViewHistory history_;
  std::string recorded_json_;  // that input_.recorded is read from
  bool has_kept_runs_ = false;
  bool shows_foreign_ = false;                 // a file or a program was shown before the trainer that starts
  std::atomic<bool> start_cancelled_ = false;  // while its trainer loads
  FrameTimes own_times_;
  // Last, so that its threads end before what they may refer to.
  BackgroundJobs jobs_;
};

}  // namespace tidemark::gui
