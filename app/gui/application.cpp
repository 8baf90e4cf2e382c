#include "app/gui/application.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/panels/panels.h"
#include "app/presenters/program_facts.h"
#include "profiler/base/clock.h"
#include "profiler/base/nvidia_gpus.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/device_work.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/script_files.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
using networks::DeviceChoice;
using networks::DeviceKind;
using session::RunState;

constexpr int64_t kStepsPerEpoch = 50;
constexpr auto kShownAfter = 300ms;  // of a job: a line that comes and goes at once says nothing

}  // namespace

Result<std::unique_ptr<Application>> Application::Create(const ApplicationOptions& options, ViewState view) {
  Result<std::vector<networks::Network>> networks = networks::LoadNetworks();
  if (!networks) return networks.error();
  Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  return std::unique_ptr<Application>(
      new Application(options, std::move(view), std::move(*networks), std::move(*cards)));
}

Application::Application(const ApplicationOptions& options, ViewState view,
                         std::vector<networks::Network> networks, std::vector<phantom::Card> cards)
    : options_(options),
      networks_(std::move(networks)),
      cards_(std::move(cards)),
      cuda_devices_(FindNvidiaGpus()),
      state_(std::move(view)),
      estimates_(&networks_),
      log_(std::make_unique<presenters::RunLog>(kStepsPerEpoch)) {
  input_.networks = &networks_;
  input_.cards = &cards_;
  input_.cuda_devices = &cuda_devices_;
  input_.settings = options.settings;
  input_.steps_per_second = options.steps_per_second;
  if (options.device) {
    input_.device = *options.device;
  } else if (!cuda_devices_.empty()) {
    input_.device.kind = DeviceKind::kCuda;
  }
  input_.log = log_.get();
  input_.fit = &fit_;
  input_.prices = &prices_;
  input_.allocator = events::AllocatorSettings();
  book_ = LoadLessonBook();
  UseDictionary(DictionaryOf(&book_.glossary));
  input_.book = &book_;
  input_.bookmarks = &bookmarks_;
  if (!book_.trouble.empty()) AddLogLine(presenters::LogLevel::kError, book_.trouble);
  if (options.session) {
    input_.settings = options.session->settings;
    input_.device = options.session->device;
    Use(*options.session);
  }
}

Application::~Application() = default;

void Application::StartRun() {
  const uint64_t number = ++run_number_;
  session::LiveOptions live;
  live.settings = input_.settings;
  live.device = input_.device;
  live.steps_per_second = input_.steps_per_second;
  live.environment = events::AllocatorEnvironment(input_.allocator);
  if (input_.kernels) live.environment.push_back(events::DeviceWorkEntry());
  input_.starting = true;
  input_.live = false;
  input_.can_stop = false;
  input_.description = {};
  shell_.banner_closed = false;
  file_title_.clear();
  ranks_.Close();
  jobs_.Start("Starting the trainer", false,
              [this, live, old = std::exchange(run_, nullptr),
               number](const BackgroundJobs::Progress&) mutable -> BackgroundJobs::Then {
                old.reset();  // its process ends, and its GPU memory is free, before the next one begins
                auto outcome =
                    std::make_shared<Result<std::unique_ptr<session::Run>>>(session::Run::Start(live));
                return [this, outcome, number, started_with = live.settings] {
                  if (number != run_number_) {
                    if (outcome->ok()) LetGo(std::move(**outcome));
                    return;
                  }
                  input_.starting = false;
                  input_.status = {};
                  if (!outcome->ok()) {
                    AddLogLine(presenters::LogLevel::kError, outcome->error().message);
                    input_.status.state = RunState::kFailed;
                    input_.status.sentence = outcome->error().message;
                    return;
                  }
                  AdoptRun(std::move(**outcome));
                  // What was changed while the process started.
                  if (NeedsOtherProcesses(started_with)) return StartRun();
                  run_->Change(input_.settings);
                  run_->SetPace(input_.steps_per_second);
                };
              });
}

// How many ranks there are is settled when they start, but on a phantom, where one runs.
bool Application::NeedsOtherProcesses(const networks::TrainingSettings& before) const {
  return input_.device.kind != DeviceKind::kPhantom && before.ranks != input_.settings.ranks;
}

// The run that is shown goes on until there is another.
void Application::Start(const session::ProgramOrder& order) {
  const uint64_t number = run_number_;
  jobs_.Start(
      "Starting the program; the first time with a torch its stand-ins are built, which takes a minute",
      false,
      [this, start = options_.start_program, order,
       number](const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
        return [this, outcome = start(order), number] {
          if (!outcome.ok()) {
            OpenProgramDialog(shell_.program_dialog);
            shell_.program_dialog.trouble = outcome.error().message;
            return;
          }
          if (number != run_number_) return LetGo(*outcome);  // a run was started since
          file_title_.clear();
          ranks_.Close();
          shell_.banner_closed = false;
          ShowRun(*outcome);
        };
      });
}

// A TorchScript file is looked into by another process.
void Application::OpenNetwork(const std::filesystem::path& file) {
  const std::string name = std::filesystem::absolute(file).string();
  if (!networks::IsScriptPath(name)) return TrainNetwork(networks::FindNetwork(name));
  jobs_.Start("Looking into " + file.filename().string(), true,
              [this, name](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto network = networks::FindNetwork(name, [&progress] { return progress(0); });
                return [this, network] { TrainNetwork(network); };
              });
}

bool Application::expects_events() const {
  return run_ != nullptr && (input_.live || input_.status.state == session::RunState::kRunning);
}

void Application::TrainNetwork(const Result<networks::Network>& network) {
  if (!network) return AddLogLine(presenters::LogLevel::kError, network.error().message);
  networks::TrainingSettings settings = input_.settings;
  settings.network = network->name;
  std::erase_if(networks_, [&](const networks::Network& known) { return known.name == settings.network; });
  networks_.push_back(*network);
  if (!network->script.empty())
    AddLogLine(presenters::LogLevel::kInfo, network->title + ": " + network->description + ".");
  Change(settings, true);
  if (run_ == nullptr && !input_.starting) StartRun();  // opened with the window
}

void Application::UseData(const std::filesystem::path& folder) {
  networks::TrainingSettings settings = input_.settings;
  settings.data = std::filesystem::absolute(folder).string();
  const auto network = std::ranges::find(networks_, settings.network, &networks::Network::name);
  if (network != networks_.end()) {
    const Status fits = networks::CheckData(*network, settings);
    if (!fits) return AddLogLine(presenters::LogLevel::kError, fits.error().message);
  }
  Change(settings, true);
}

void Application::TakeDropped(const std::vector<std::filesystem::path>& files, bool to_compare) {
  if (to_compare) {
    Push(CompareWith{files.front()});
  } else if (files.size() == 1) {
    Push(OpenRecording{files.front()});
  } else {
    Push(gui::OpenRanks{files});
  }
}

void Application::OpenFile(const std::filesystem::path& file) {
  if (file.extension() == kSessionEnding) return ReadSession(file);
  if (networks::IsNetworkFile(file)) return OpenNetwork(file);
  if (const auto folder = networks::Cifar10FolderOf(file); !folder.empty()) return UseData(folder);
  const uint64_t number = run_number_;
  jobs_.Start("Opening " + file.filename().string(), true,
              [this, file, number](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                auto outcome = std::make_shared<Result<std::unique_ptr<session::Run>>>(
                    session::Run::Open(file, progress));
                return [this, outcome, number, file] {
                  if (!outcome->ok()) {
                    AddLogLine(presenters::LogLevel::kError, outcome->error().message);
                    return;
                  }
                  if (number != run_number_) return;  // a run was started since
                  ++run_number_;
                  input_.starting = false;
                  AdoptRun(std::move(**outcome));
                  file_title_ = file.filename().string();
                  ReadBookmarks(file);
                  state_.pinned = ranks_.Show(file, *input_.view);
                  state_.last_folder = file.parent_path();
                  state_.timeline.follow = false;
                  state_.timeline.whole = true;
                  AddLogLine(presenters::LogLevel::kGood, "Opened " + file.string() + ".");
                };
              });
}

void Application::OpenRanks(const std::vector<std::filesystem::path>& files) {
  jobs_.Start("Reading " + FormatNumber(static_cast<int64_t>(files.size())) + " ranks", true,
              [this, files](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                auto outcome = std::make_shared<Result<session::Ranks>>(session::ReadRanks(files, progress));
                return [this, outcome] {
                  if (!outcome->ok()) {
                    AddLogLine(presenters::LogLevel::kError, outcome->error().message);
                    return;
                  }
                  ShowRanks(std::move(**outcome));
                };
              });
}

void Application::ShowRanks(session::Ranks ranks) {
  for (const std::string& sentence : ranks.unreadable) AddLogLine(presenters::LogLevel::kWarning, sentence);
  ranks_ = OpenedRanks(std::move(ranks));
  OpenFile(*ranks_.FileOf(*ranks_.strip().largest));
}

void Application::CompareWithFile(const std::filesystem::path& file) {
  jobs_.Start("Opening " + file.filename().string(), true,
              [this, file](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                auto outcome = std::make_shared<Result<std::unique_ptr<session::Run>>>(
                    session::Run::Open(file, progress));
                return [this, outcome, file] {
                  if (!outcome->ok()) {
                    AddLogLine(presenters::LogLevel::kError, outcome->error().message);
                    return;
                  }
                  compared_ = std::move(**outcome);
                  if (compared_->view()->empty()) {
                    compared_.reset();
                    AddLogLine(presenters::LogLevel::kWarning,
                               file.string() + " holds no event: there is nothing to compare with.");
                    return;
                  }
                  input_.compared = ComparedRun{file.filename().string(), compared_->view()};
                  state_.last_folder = file.parent_path();
                  shell_.raise_panel = "compare";
                  AddLogLine(presenters::LogLevel::kGood, "Comparing with " + file.string() + ".");
                };
              });
}

void Application::ShowRun(std::shared_ptr<session::Run> run) {
  ++run_number_;
  AdoptRun(std::move(run));
  state_.timeline.follow = true;
  state_.timeline.whole = true;
}

void Application::AdoptRun(std::shared_ptr<session::Run> run) {
  if (run_ != nullptr) LetGo(std::exchange(run_, nullptr));  // its process may take a moment to end
  run_ = std::move(run);
  live_ranks_.Begin();
  history_.Clear();
  bookmarks_.clear();
  opened_file_.clear();
  if (!run_->live()) {  // a program's or a recording's: what was found is of other settings
    fit_.question.reset();
    fit_.answer.reset();
    fit_.error.clear();
  }
  input_.band.reset();
  band_asked_ = false;
  if (run_->live()) {
    state_.timeline.follow = true;
    state_.timeline.whole = false;
  }
  ShowFromHere();
  input_.status = run_->status();
  input_.description = run_->description();
  input_.live = run_->live();
  input_.can_stop = run_->can_stop();
}

// Nothing of what was shown before holds.
void Application::ShowFromHere() {
  ++shown_number_;
  scene_.Reset();
  fit_.trials.clear();
  fit_.others.clear();
  fit_.trial_error.clear();
  input_.findings = nullptr;
  findings_asked_.reset();
  frame_ = nullptr;
  state_.pinned.reset();
  if (state_.selection.kind == presenters::Selection::Kind::kAllocation) state_.selection = {};
  state_.slow_motion = {.active = state_.slow_motion.active,
                        .held = false,
                        .stop = 0,
                        .shown = {},
                        .cpp = state_.slow_motion.cpp};
  state_.timeline.measure.reset();
  log_ = std::make_unique<presenters::RunLog>(kStepsPerEpoch);
  input_.log = log_.get();
  input_.view = ShownRank()->view();
}

std::shared_ptr<const session::Run> Application::ShownRank() const {
  return {run_, &live_ranks_.ShownOf(*run_)};
}

void Application::ShowRank(size_t index) {
  if (run_ == nullptr || !live_ranks_.Show(*run_, index)) return;
  history_.Clear();
  bookmarks_.clear();
  ranks_.ShowPlace(index);
  ShowFromHere();
}

// Beside the window, and into the strip.
void Application::FollowRanks() {
  const bool with_curves = state_.timeline.stack.by == presenters::StackBy::kRank;
  std::optional<LiveRanks::Reading> reading = live_ranks_.BeginReading(*run_, with_curves, Clock::now());
  if (!reading) return;
  jobs_.Start("", false,
              [this, reading = std::move(*reading),
               number = run_number_](const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
                const auto peaks =
                    std::make_shared<session::Ranks>(session::PeaksOf(reading.ranks, reading.with_curves));
                return [this, peaks, number] {
                  live_ranks_.EndReading();
                  if (number != run_number_ || live_ranks_.closed()) return;
                  ranks_.Follow(std::move(*peaks), live_ranks_.shown());
                };
              });
}

// Once a program has ended: replaying it takes seconds at most, and the window goes on meanwhile.
void Application::AskForBand() {
  const bool has_ended =
      input_.status.state > RunState::kPaused && input_.view != nullptr && !input_.view->empty();
  if (band_asked_ || !options_.band_of || !has_ended || !presenters::IsProgram(input_.description)) return;
  band_asked_ = true;
  jobs_.Start("Replaying in other orders of addresses", false,
              [this, run = run_](const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
                return [this, run, band = options_.band_of(*run)] {
                  if (run == run_) input_.band = band;
                };
              });
}

void Application::LetGo(std::shared_ptr<session::Run> run) {
  jobs_.Start("Stopping the trainer", false,
              [run = std::move(run)](const BackgroundJobs::Progress&) mutable -> BackgroundJobs::Then {
                run.reset();
                return {};
              });
}

bool Application::Poll() {
  bool news = jobs_.Poll();
  AskForPrices();
  AskForPlans();
  if (run_ == nullptr) return news;
  FollowRanks();
  // Before the view, which is published first: what the status tells of is in it.
  session::RunStatus status = run_->status();
  std::shared_ptr<const timeline::View> view = ShownRank()->view();
  if (view != input_.view) {
    input_.view = std::move(view);
    log_->Update(*input_.view);
    news = true;
  }
  const session::RunStatus before = std::exchange(input_.status, std::move(status));
  input_.description = ShownRank()->description();
  input_.live = run_->live();
  input_.can_stop = run_->can_stop();
  AskForBand();
  AskForFindings();
  HoldForSlowMotion();
  if (before.state != input_.status.state || before.sentence != input_.status.sentence ||
      before.lost != input_.status.lost) {
    ReportStatusChange(before);
    news = true;
  }
  if (ways_out_wanted_ && !fit_.searching) {
    ways_out_wanted_ = false;
    FindWhatFits();
  }
  return news || std::exchange(answers_, estimates_.version()) != estimates_.version();
}

void Application::ReportStatusChange(const session::RunStatus& before) {
  const session::RunStatus& now = input_.status;
  const bool bad = now.state == RunState::kFailed || now.state == RunState::kDied;
  // The banner tells of a bad end, and the log has its marker from the timeline, where there is one.
  const bool has_marker = input_.view != nullptr && !input_.view->markers().empty() &&
                          input_.view->markers().back().text == now.sentence;
  if (!now.sentence.empty() && now.sentence != before.sentence && !has_marker) {
    log_->Add({RealtimeNs(), bad ? presenters::LogLevel::kError : presenters::LogLevel::kInfo, now.sentence});
  }
  const bool is_ours = !presenters::IsProgram(input_.description);  // whose batch can be made smaller
  if (is_ours && now.out_of_memory && !before.out_of_memory) {
    fit_.largest_batch.reset();
    ways_out_wanted_ = true;
  }
  if (now.out_of_memory && !before.out_of_memory)
    shell_.raise_panel = shell_.tall_panel = "findings";  // why, and the ways out
  if (!now.out_of_memory) shell_.tall_panel.clear();
  if (before.state != now.state) shell_.banner_closed = false;
}

void Application::AddLogLine(presenters::LogLevel level, const std::string& text) {
  log_->Add({RealtimeNs(), level, text});
  shell_.toasts.push_back({text, level, Clock::now() + (level == presenters::LogLevel::kError ? 8s : 4s)});
}

bool Application::waiting() const { return !jobs_.empty() || !shell_.toasts.empty() || asking(); }

void Application::SetOwnTime(double seconds) {
  constexpr size_t kFrames = 240;
  own_seconds_.push_back(seconds);
  if (own_seconds_.size() < kFrames) return;
  std::nth_element(own_seconds_.begin(), own_seconds_.begin() + kFrames * 95 / 100, own_seconds_.end());
  own_p95_seconds_ = own_seconds_[kFrames * 95 / 100];
  own_seconds_.clear();
}

std::string Application::StatusText() const {
  if (input_.starting) return "starting";
  if (run_ == nullptr) return input_.status.state == RunState::kFailed ? "not started" : "no run";
  if (!file_title_.empty()) return "recording";
  switch (input_.status.state) {
    case RunState::kStarting:
      return "starting";
    case RunState::kRunning:
      return "running";
    case RunState::kPaused:
      return "paused";
    case RunState::kFinished:
      return presenters::IsProgram(input_.description) ? "ended" : "stopped";
    case RunState::kFailed:
      return input_.status.out_of_memory ? "out of memory" : "failed";
    case RunState::kDied:
      break;
  }
  return "died";
}

std::string Application::title() const {
  std::string what = file_title_.empty() ? input_.description.title : file_title_;
  // A live run may have changed its network since it described itself: "SimpleConvNet on phantom ...".
  const size_t on = what.find(" on ");
  if (input_.live && on != std::string::npos) {
    for (const networks::Network& network : networks_) {
      if (network.name == input_.settings.network) what.replace(0, on, network.title);
    }
  }
  return what.empty() ? "Tidemark" : "Tidemark · " + what;
}

ShellInput Application::MakeShellInput() {
  ShellInput shell;
  shell.status = StatusText();
  const RunState state = input_.status.state;
  const bool ended_badly = !input_.starting && (state == RunState::kFailed || state == RunState::kDied);
  if (!input_.starting && (input_.live || input_.can_stop) && state == RunState::kRunning)
    shell.tone = StatusTone::kGood;
  if (ended_badly) shell.tone = StatusTone::kBad;
  shell.device = file_title_.empty() ? "" : file_title_ + " · ";
  if (run_ != nullptr) {
    const bool phantom = input_.description.device == "phantom";
    shell.device += (phantom ? "Phantom " : "") + ShortCardTitle(input_.description.device_name);
    if (input_.description.device_bytes > 0) {
      shell.device += " · " + CardSize(input_.description.device_bytes, state_.unit);
    }
  }
  if (ended_badly) {
    shell.banner.sentence = input_.status.sentence.empty()
                                ? "The run has ended unexpectedly. What it reported is kept."
                                : input_.status.sentence;
    const bool is_ours = !presenters::IsProgram(input_.description);
    if (is_ours) shell.banner.again = input_.settings;
    if (is_ours && input_.status.out_of_memory && input_.settings.batch > 1) {
      const std::optional<int> smaller = SmallerBatch();
      if (smaller) {
        shell.banner.smaller = input_.settings;
        shell.banner.smaller->batch = *smaller;
      }
      shell.banner.smaller_label = smaller ? "With batch " + FormatNumber(*smaller) : "With batch …";
    }
  }
  for (const auto& job : jobs_.jobs()) {
    if (job->title.empty() || Clock::now() - job->begun < kShownAfter) continue;
    const bool known = job->shows_progress;
    shell.jobs.push_back({job->title, known ? job->progress.load() : -1, known ? &job->cancelled : nullptr});
  }
  if (ranks_.any()) {
    shell.ranks = {&ranks_, state_.unit};
  }
  shell.can_go_back = history_.can_go_back();
  shell.can_go_forward = history_.can_go_forward();
  shell.search = {input_.view.get(), &frame_->bookmarks, state_.unit};
  shell.can_undo = !undo_.empty();
  shell.can_redo = !redo_.empty();
  shell.live = input_.live;
  shell.can_stop = input_.can_stop;
  shell.in_slow_motion = state_.slow_motion.active;
  shell.can_walk = frame_->slow_motion.can_begin;
  shell.can_run = shell.in_slow_motion || input_.live || !presenters::IsProgram(input_.description);
  shell.compares = input_.compared.has_value();
  shell.starts_programs = static_cast<bool>(options_.start_program);
  shell.cards = &cards_;
  shell.has_view = input_.view != nullptr && !input_.view->empty();
  shell.own_p95_seconds = own_p95_seconds_;
  shell.has_locks = !input_.access.locked.empty() || !input_.access.hidden.empty();
  shell.of_code = of_code_;
  shell.in_picture = screenshot_.has_value();
  shell.in_lesson = !state_.lessons.lesson.empty();
  shell.glossary = &book_.glossary;
  return shell;
}

// To run with after an out of memory: the chosen one, or the largest that the phantom says fits if that is
// smaller and below the one that did not; half where it says nothing. None while it is asked.
std::optional<int> Application::SmallerBatch() const {
  const int half = input_.settings.batch / 2;
  if (fit_.searching && !fit_.largest_batch) return std::nullopt;
  networks::TrainingSettings asked = fit_.largest_for;
  asked.batch = input_.settings.batch;
  const bool answers = fit_.largest_batch.value_or(0) > 0 && asked == input_.settings;
  const bool helps = answers && *fit_.largest_batch < fit_.largest_for.batch;
  return helps ? std::min(*fit_.largest_batch, input_.settings.batch) : half;
}

void Application::Draw() {
  input_.access = Access();
  input_.recording = file_title_;
  input_.recorded = RecordedSettings();
  history_.Look(MomentOf(state_), Clock::now(), ImGui::IsMouseDown(ImGuiMouseButton_Left));
  input_.ranks = ranks_.ranks();
  input_.shown_rank = ranks_.shown();
  frame_ = &scene_.Prepare(input_, state_, estimates_);
  DrawShell(MakeShellInput(), *frame_, shell_, state_, queue_);
}

}  // namespace tidemark::gui
