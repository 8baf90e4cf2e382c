#include "app/gui/application.h"

#include <imgui.h>

#include <utility>

#include "app/gui/kept_runs.h"
#include "app/presenters/moment/settings_change.h"
#include "app/presenters/run/program_facts.h"
#include "app/presenters/run/run_end.h"
#include "profiler/base/nvidia_gpus.h"
#include "profiler/events/allocator_settings.h"

namespace tidemark::gui {
namespace {

using networks::DeviceKind;
using session::RunState;

Result<std::shared_ptr<session::Run>> StartLive(const session::LiveOptions& options) {
  Result<std::unique_ptr<session::Run>> run = session::Run::Start(options);
  if (!run) return run.error();
  return std::shared_ptr<session::Run>(std::move(*run));
}

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
      fit_search_(&jobs_),
      trials_(&jobs_, options.services.allocator_of, &cards_),
      planner_(&jobs_, &estimates_),
      findings_(&jobs_),
      sweep_(&jobs_, options.services.sweep_program),
      techniques_(&jobs_, options.services.technique_trials),
      starts_(&jobs_, options.kept_runs,
              {[this] { return OptionsOfStart(); }, StartLive,
               [this](const auto& started, auto run) { EndStart(started, std::move(run)); },
               [this](const KeptRun& kept) { TellOfKept(kept); }}),
      opener_(&jobs_,
              {[this](const std::string& sentence) { AddLogLine(presenters::LogLevel::kInfo, sentence); },
               [this](std::shared_ptr<session::Run> run) { LetGo(std::move(run)); }}),
      choices_([this](std::shared_ptr<session::Run> run) { LetGo(std::move(run)); }) {
  input_.networks = &networks_;
  input_.cards = &cards_;
  input_.cuda_devices = &cuda_devices_;
  input_.settings = options.first.settings;
  input_.steps_per_second = options.first.steps_per_second;
  input_.status.state = session::RunState::kFinished;  // there is none yet
  if (options.first.device) {
    input_.device = *options.first.device;
  } else if (!cuda_devices_.empty()) {
    input_.device.kind = DeviceKind::kCuda;
  }
  input_.log = &notices_.log();
  input_.fit = &fit_search_.found();
  input_.trials = &trials_.found();
  input_.prices = &planner_.prices();
  input_.allocator = events::AllocatorSettings();
  UseDictionary(DictionaryOf(&desk_.book().glossary));
  input_.book = &desk_.book();
  has_kept_runs_ = HasKeptRuns(options_.kept_runs);
  if (const std::string& trouble = desk_.book().trouble; !trouble.empty())
    AddLogLine(presenters::LogLevel::kError, trouble);
  if (Result<std::vector<trace::Sample>> samples = trace::LoadSamples()) {
    samples_ = std::move(*samples);
  } else {
    AddLogLine(presenters::LogLevel::kError, samples.error().message);
  }
  if (const std::optional<lessons::SessionState>& session = options.first.session) {
    input_.settings = session->settings;
    input_.device = session->device;
    input_.allocator = session->allocator;
    Use(*session);
  }
}

Application::~Application() = default;

bool Application::expects_events() const { return shown_ && GoesOn(input_); }

// Nothing of what was shown before holds.
void Application::ShowFromHere() {
  // What it is looking into ends beside the window.
  jobs_.Start(
      "", JobEnd::kWhenDone,
      [before = std::make_shared<Scene>(std::exchange(scene_, Scene())),
       search = shell_.search.BeginAnew()](const BackgroundJobs::Progress&) mutable -> BackgroundJobs::Then {
        before.reset();
        search.reset();
        return {};
      });
  trials_.Forget();
  findings_.Forget();
  frame_ = nullptr;
  state_.pinned.reset();
  if (state_.selection.kind == presenters::Selection::Kind::kAllocation) state_.selection = {};
  state_.slow_motion = {.active = state_.slow_motion.active,
                        .held = false,
                        .timeline = {},
                        .pinned = {},
                        .stop = 0,
                        .shown = {},
                        .cpp = state_.slow_motion.cpp};
  state_.timeline.cursors.reset();
  state_.allocations.events.followed.reset();
  input_.log = &notices_.log();
  LookAtPart();
  notices_.Update(input_.description, *input_.view, input_.replays, !GoesOn(input_));
}

// Before LookAtPart(): the view is published first, and what the status tells of is in it.
void Application::LookAtRun() {
  session::RunStatus status = shown_->status();
  const session::RunStatus of_part = shown_.part()->status();
  status.captured = of_part.captured;
  status.steps_done = of_part.steps_done;
  input_.status = std::move(status);
  input_.live = shown_->live();
  input_.can_stop = shown_->can_stop();
}

void Application::LookAtPart() {
  input_.view = shown_.part()->view();
  input_.replays = replays_.Of(*input_.view);
  input_.description = shown_.part()->description();  // after the view, of which it tells
  TellWhatIsShown();
}

void Application::TellWhatIsShown() {
  input_.origin = shown_.origin();
  input_.recording = shown_.recording();
  input_.shown_cards = shown_.cards();
  input_.band = shown_.band();
}

void Application::ShowRank(int64_t rank) {
  const std::optional<size_t> place = ranks_.PlaceOf(rank);
  if (!place) return;
  if (const std::filesystem::path* const file = ranks_.FileOf(*place)) return OpenFile(*file);
  if (!shown_ || !shown_.ShowRank(*place)) return;
  ranks_.ShowPlace(*place);
  ShowOtherPart();
}

void Application::ShowOtherPart() {
  history_.Clear();
  const SlowMotionState before = state_.slow_motion;
  notices_.BeginPart();
  ShowFromHere();
  state_.slow_motion.held = before.held;  // the run is the same, and goes on as it did
  state_.slow_motion.goes_on = before.goes_on;
  state_.slow_motion.timeline = before.timeline;
}

// Beside the window, and into the strip.
void Application::FollowRanks() {
  const bool with_curves =
      state_.timeline.stack.value_or(presenters::StackOrder()).by == presenters::StackBy::kRank;
  const bool is_sought = state_.rank_strip || with_curves || !ranks_.any();
  if (!is_sought) return;
  std::optional<LiveRanks::Reading> reading =
      shown_.ranks().BeginReading(*shown_.whole(), with_curves, Clock::now());
  if (!reading) return;
  jobs_.Start("", JobEnd::kWhenDone,
              [this, reading = std::move(*reading), of = std::weak_ptr<const session::Run>(shown_.whole())](
                  const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
                const auto peaks =
                    std::make_shared<session::Ranks>(session::PeaksOf(reading.ranks, reading.with_curves));
                return [this, peaks, of] {
                  if (shown_.Is(of)) TakePeaks(std::move(*peaks));
                };
              });
}

void Application::TakePeaks(session::Ranks peaks) {
  LiveRanks& ranks = shown_.ranks();
  ranks.EndReading();
  if (peaks.ranks.size() != shown_->ranks().size()) return;  // one has come since
  ranks.List(*shown_.whole());
  ranks_.Follow(std::move(peaks), ranks.PlaceOfShown(*shown_.whole()));
}

// Once a program has ended: replaying it takes seconds at most, and the window goes on meanwhile.
void Application::AskForBand() {
  const bool has_ended = input_.status.state > RunState::kPaused &&
                         shown_.part()->status().state > RunState::kPaused && input_.view != nullptr &&
                         !input_.view->empty();
  if (!options_.services.band_of || !has_ended || !presenters::IsProgram(input_.description)) return;
  if (!shown_.AskForBand()) return;
  jobs_.Start("Replaying in other orders of addresses", JobEnd::kOnRequest,
              [this, run = shown_.whole(), part = shown_.part()](
                  const BackgroundJobs::Progress& progress) mutable -> BackgroundJobs::Then {
                const presenters::Band band = options_.services.band_of(*part, progress);
                return [this, run, part = std::move(part), band]() mutable {
                  shown_.TakeBand(part, band);
                  part.reset();
                  LetGo(std::move(run));  // not here, if nobody else has it any more
                };
              });
}

bool Application::Poll() {
  notices_.BeginMatter();
  bool news = jobs_.Poll();
  if (closing_.IsDue(jobs_.writes())) {
    AskBeforeQuitting();
    news = true;
  }
  ReturnToCode();
  AskForPlans();
  news = sweep_.Poll() || news;
  news = techniques_.Poll() || news;
  if (!shown_) {
    techniques_.Look(nullptr, nullptr, {});
    return news;
  }
  if (start_cancelled_.exchange(false)) shown_->Stop();
  if (shown_.Follow()) {
    if (const Status carried = shown_.CarryNotes(); !carried) TellNotWritten(carried.error().message);
    ShowOtherPart();
  }
  FollowRanks();
  const session::RunStatus before = input_.status;
  const bool went_on = GoesOn(input_);
  const std::shared_ptr<const timeline::View> view_before = input_.view;
  LookAtRun();
  LookAtPart();
  TellOfNotes(shown_.ReadNotesOfFollowed());     // before anybody notes anything in what there is to see now
  const bool ends = went_on && !GoesOn(input_);  // as a recording does whose recorder is gone
  if (input_.view != view_before || ends) {
    notices_.Update(input_.description, *input_.view, input_.replays, !GoesOn(input_));
    news = true;
  }
  techniques_.Look(shown_.order(), input_.view, input_.status);
  AskForBand();
  LookForFindings();
  HoldForSlowMotion();
  if (before.state != input_.status.state || before.sentence != input_.status.sentence ||
      before.lost != input_.status.lost) {
    TakeStatusChange(before);
    news = true;
  }
  if (fit_search_.TakeWanted()) FindWaysOut();
  return news || std::exchange(answers_, estimates_.version()) != estimates_.version();
}

void Application::TakeStatusChange(const session::RunStatus& before) {
  const session::RunStatus& now = input_.status;
  if (now.sentence != before.sentence) NoteStatus();
  if (now.state > RunState::kPaused && before.state <= RunState::kPaused) TellOfGoodEnd();
  if (now.out_of_memory && !before.out_of_memory) ShowShortage();
  // Where nobody has looked elsewhere since it began, all of it is in sight.
  if (now.state > RunState::kPaused && state_.timeline.whole) state_.timeline.follow = false;
  if (!now.out_of_memory) shell_.tall_panel.clear();
  if (before.state != now.state || before.sentence != now.sentence) shell_.banner_closed = false;
}

void Application::NoteStatus() {
  const session::RunStatus& now = input_.status;
  const bool bad = now.state == RunState::kFailed || now.state == RunState::kDied;
  // The banner tells of a bad end, and the log has its marker from the timeline, where there is one.
  const bool has_marker = input_.view != nullptr && !input_.view->markers().empty() &&
                          input_.view->markers().back().text == now.sentence;
  if (now.sentence.empty() || has_marker) return;
  notices_.Note(bad ? presenters::LogLevel::kError : presenters::LogLevel::kInfo, now.sentence);
}

// What is shown for the first time may have ended before.
void Application::TellOfEndBefore() {
  if (input_.status.state > RunState::kPaused) TellOfGoodEnd();
  if (input_.status.out_of_memory && BannerOf(input_, state_.unit).bad) ShowShortage();
}

// Of a recording that is followed. There is nothing to be done about it, which a banner would stay for.
void Application::TellOfGoodEnd() {
  if (input_.origin != RunOrigin::kFollowed) return;
  const presenters::EndNotice notice =
      presenters::NoticeOfFollowed(input_.status, input_.description, input_.view.get());
  if (notice.bad || notice.sentence.empty()) return;
  const bool is_whole = input_.view == nullptr || input_.view->health().lost == 0;
  AddLogLine(is_whole ? presenters::LogLevel::kGood : presenters::LogLevel::kWarning, notice.sentence);
}

// Why memory ran out, and the ways out. In sight is that moment and the last step, and no earlier ones, whose
// figures would stand beside its own.
void Application::ShowShortage() {
  const bool is_recorded_training = input_.view != nullptr && presenters::LastSettings(*input_.view);
  if (IsOfOurs(input_) || is_recorded_training) fit_search_.WantWaysOut();  // its batch can be smaller
  shell_.raise_panel = shell_.passing_panel = shell_.tall_panel = "findings";
  if (input_.view == nullptr || input_.view->steps().empty()) return;
  const timeline::Step& step = input_.view->steps().back();
  const auto& failures = input_.view->out_of_memory();
  ShowEvents(step.begin, failures.empty() ? step.end : std::max(step.end, failures.back().index + 1));
}

void Application::AddLogLine(presenters::LogLevel level, const std::string& text) {
  notices_.Tell(level, text);
}

bool Application::waiting() const { return !jobs_.empty() || !shell_.toasts.empty() || asking(); }

void Application::Draw() {
  input_.access = desk_.Access(state_);
  input_.taken_from = desk_.taken_from();
  input_.change_to_own = ChangeToOwn();
  ReadRecordedSettings();
  input_.starting = starts_.is_wanted();
  history_.Look(MomentOf(state_), Clock::now(), ImGui::IsMouseDown(ImGuiMouseButton_Left));
  input_.sweep = sweep_.shown();
  input_.techniques = techniques_.shown();
  input_.techniques_to_try = &techniques_.to_try();
  input_.findings = findings_.found();
  input_.ranks = ranks_.ranks();
  input_.shown_rank = ranks_.shown();
  input_.bookmarks = &shown_.bookmarks();
  // A control whose panel goes while it is dragged hears of no end of that.
  if (!ImGui::IsAnyItemActive()) {
    state_.run_controls.draft.reset();
    state_.batch.dragged.reset();
  }
  frame_ = &scene_.Prepare(input_, state_, estimates_);
  DrawShell(MakeShellInput(), *frame_, shell_, state_, queue_);
}

}  // namespace tidemark::gui
