// How runs come and go: started, opened, dropped, laid over another, let go.
#include <algorithm>
#include <system_error>
#include <utility>

#include "app/gui/application.h"
#include "app/gui/kept_runs.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/check.h"
#include "profiler/base/standard_error.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/device_work.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/script_files.h"
#include "profiler/session/one_card.h"

namespace tidemark::gui {
namespace {

using networks::DeviceKind;
using session::RunState;

// However it is spelled.
bool IsSameFolder(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code is_missing;
  return std::filesystem::equivalent(a, b, is_missing);
}

}  // namespace

void Application::StartRun() {
  AskBeforeEnding([this] { BeginStart(); });
}

void Application::StartExample() {
  BeginStart();
  shown_.SetExample(true);
}

void Application::BeginStart() {
  ReadNetworkAnew(input_.settings.network);
  opener_.Drop();
  input_.live = false;
  input_.can_stop = false;
  shows_foreign_ = shows_foreign_ || !IsOfOurs(input_);
  input_.description = {};
  shell_.banner_closed = false;
  CloseRanks();
  told_of_start_ = notices_.OfThisMatter();
  starts_.Want(Leave());
}

// The trainer reads a network's file as it begins or changes to it; what is told beside it has to be of the
// same. One that can be read no more is what the trainer complains of.
void Application::ReadNetworkAnew(const std::string& name) {
  const bool is_file = networks::IsNetworkPath(name) && !networks::IsScriptPath(name);
  if (!is_file || networks::NetworkNamed(networks_, name) == nullptr) return;
  if (const Result<networks::Network> network = networks::FindNetwork(name)) PutNetwork(*network);
}

session::LiveOptions Application::OptionsOfStart() const {
  session::LiveOptions live;
  live.settings = input_.settings;
  live.device = input_.device;
  live.steps_per_second = input_.steps_per_second;
  live.environment = events::AllocatorEnvironment(input_.allocator);
  live.trainer_executable = options_.trainer_executable;
  if (input_.kernels) live.environment.push_back(events::DeviceWorkEntry());
  return live;
}

void Application::EndStart(const session::LiveOptions& started,
                           std::optional<StartQueue::StartedRun> outcome) {
  if (!outcome || !*outcome) {
    input_.status = {};
    if (!outcome) {
      input_.status.state = RunState::kFinished;
      return AddLogLine(presenters::LogLevel::kInfo, "The start was cancelled. Space starts a run.");
    }
    input_.status.state = RunState::kFailed;
    input_.status.sentence = outcome->error().message;
    return AddLogLine(presenters::LogLevel::kError, outcome->error().message);
  }
  const bool is_example = shown_.is_example();
  AdoptRun(ShownRun(std::move(**outcome), RunOrigin::kBegun), std::move(told_of_start_));
  shown_.SetExample(is_example);
  if (std::exchange(shows_foreign_, false)) {
    EndForeignComparison();
    ForgetWhatWasSought();
  }
  // What was changed while the process started.
  if (NeedsOtherProcesses(started.settings)) return StartRun();
  shown_->Change(input_.settings);
  shown_->SetPace(input_.steps_per_second);
}

// How many ranks there are is settled when they start, but on a phantom, where one runs.
bool Application::NeedsOtherProcesses(const networks::TrainingSettings& before) const {
  return input_.device.kind != DeviceKind::kPhantom && before.ranks != input_.settings.ranks;
}

void Application::AskForProgram() {
  ProgramDialogState& dialog = shell_.program_dialog;
  const bool has_gpu = !cuda_devices_.empty();
  if (dialog.card.empty()) dialog.card = CardToBeginWith(state_.program_card, input_.device, cards_, has_gpu);
  FillFrom(input_.description, cards_, has_gpu, dialog);
  OpenProgramDialog(dialog);
}

// What is shown meanwhile is nothing to it, neither now nor when the dialog is opened the next time.
void Application::AskAgain(const RefusedOrder& refused) {
  AskForProgram();
  OpenProgramDialog(shell_.program_dialog, refused);
}

void Application::RememberCard(const session::ProgramOrder& order) { state_.program_card = CardOf(order); }

void Application::Start(const session::ProgramOrder& order) {
  RememberCard(order);
  AskBeforeEnding(
      [this, order] { AskBeforeReplacing(order.recording, [this, order] { BeginProgram(order); }); });
}

// The run that is shown goes on until there is another.
void Application::BeginProgram(const session::ProgramOrder& order) {
  opener_.Start(order, options_.services.start_program,
                [this, order](Opener::Run run, session::ProgramField faulty) {
                  if (!run) return AskAgain({{order, ""}, run.error().message, faulty});
                  ShowRun(std::move(*run));
                  shown_.SetOrder(order);
                });
}

// A program that goes on is not ended by a key.
bool Application::CanRestart() const { return input_.live || (shown_.order() != nullptr && !GoesOn(input_)); }

void Application::Restart() {
  if (!shown_ || !CanRestart()) return;
  if (input_.live) {
    shown_->Restart(input_.settings);
  } else {
    Start(session::ProgramOrder(*shown_.order()));  // which goes with its run
  }
}

void Application::OpenNetwork(const std::filesystem::path& file) {
  const std::filesystem::path whole = std::filesystem::absolute(file);
  opener_.Drop();
  const auto train = [this, whole](const Result<networks::Network>& network) {
    if (network) Remember({whole});
    TrainNetwork(network);
  };
  if (!networks::IsScriptPath(whole.string())) return train(networks::FindNetwork(whole.string()));
  opener_.LookInto(whole, train);
}

void Application::TrainNetwork(const Result<networks::Network>& network) {
  if (!network) return AddLogLine(presenters::LogLevel::kError, network.error().message);
  const networks::TrainingSettings settings = presenters::WithNetwork(
      input_.settings, networks::NetworkNamed(networks_, input_.settings.network), *network);
  const bool is_edited = PutNetwork(*network) && settings.network == input_.settings.network;
  if (!network->script.empty())
    AddLogLine(presenters::LogLevel::kInfo, network->title + ": " + network->description + ".");
  ChangeByHand(settings);
  const bool trains = input_.live || starts_.is_wanted();
  if (is_edited ? trains : !shown_ && !trains) StartRun();  // else it is opened with the window
}

// Among those that are known. True if it is another than the one of its name, of which nothing holds then.
bool Application::PutNetwork(const networks::Network& network) {
  const auto known = std::ranges::find(networks_, network.name, &networks::Network::name);
  if (known == networks_.end()) {
    networks_.push_back(network);
    return false;
  }
  if (*known == network) return false;
  *known = network;
  estimates_.Forget();
  fit_search_.Forget();
  planner_.Forget();
  return true;
}

void Application::UseData(const std::filesystem::path& folder) {
  networks::TrainingSettings settings = input_.settings;
  settings.data = std::filesystem::absolute(folder).string();
  if (const networks::Network* network = networks::NetworkNamed(networks_, settings.network)) {
    const Status fits = networks::CheckData(*network, settings);
    if (!fits) return AddLogLine(presenters::LogLevel::kError, fits.error().message);
  }
  ChangeByHand(settings);
}

void Application::TakeDropped(const std::vector<std::filesystem::path>& files, bool to_compare) {
  if (to_compare) {
    if (files.size() > 1)
      AddLogLine(presenters::LogLevel::kWarning,
                 "One run at a time is laid over another: " + files.front().filename().string() +
                     ", of the " + FormatNumber(static_cast<int64_t>(files.size())) + " that were dropped.");
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
  AskBeforeEnding([this, file] { ReadRun(file); });
}

// Of a run that goes on nothing ends, and what is shown of it goes on, too.
void Application::ShowOneCard(std::optional<uint8_t> device) {
  if (!shown_ || device == shown_.cards().alone) return;
  if (!shown_.read_file().empty()) return ReadRun(shown_.read_file(), device);
  if (shown_.ShowCard(device)) ShowOtherPart();
}

void Application::ReadRun(const std::filesystem::path& file, std::optional<uint8_t> card,
                          const std::optional<OpenedRanks>& ranks) {
  opener_.Read(file, card, [this, file, card, ranks, told = notices_.OfThisMatter()](Opener::Run run) {
    if (!run) return TellNotOpened(run.error().message);
    ShowRead(std::move(*run), file, card, ranks, told);
  });
}

void Application::ShowRead(std::shared_ptr<session::Run> run, const std::filesystem::path& file,
                           std::optional<uint8_t> card, const std::optional<OpenedRanks>& ranks,
                           const RunNotices::Lines& told) {
  const std::vector<uint8_t> cards = card ? shown_.cards().all : CardsOf(*run->view());
  const bool is_another = shown_.read_file() != file;  // else one card of it, or all
  const bool is_of_same_ranks = !ranks && ranks_.PlaceOf(file).has_value();
  AdoptRun(ShownRun(std::move(run), file, {cards, card}), told);
  EndForeignComparison();
  if (ranks) {
    CloseRanks();
    ranks_ = *ranks;
  }
  const bool is_other_run = is_another && !is_of_same_ranks;
  if (is_other_run) BeginOther();
  TellOfNotes(shown_.ReadNotes(file));
  state_.pinned = ranks_.Show(file, *input_.view);
  if (!ranks && is_other_run) Remember({file});
  state_.timeline.follow = false;
  state_.timeline.whole = true;
  if (is_other_run) TellOfEndBefore();
  TellOpened(file, ranks && !told.empty());
}

// The kept runs have a way to them of their own, and so have the samples.
void Application::Remember(const Opening& opened) {
  Opening whole = InWholePaths(opened);
  const std::filesystem::path folder = whole.front().parent_path();
  if (IsSameFolder(folder, options_.kept_runs) || IsSameFolder(folder, trace::SamplesFolder())) return;
  if (folder.is_absolute()) state_.last_folder = folder;
  PutFirst(std::move(whole), &state_.recent);
}

void Application::TellOpened(const std::filesystem::path& file, bool are_ranks_doubtful) {
  const session::RunStatus read = shown_->status();
  std::string sentence = "Opened " + file.string();
  sentence += read.cut_off ? " as far as it goes. " + read.sentence : ".";
  if (are_ranks_doubtful) sentence += " What there is to say of its ranks is in the Run log.";
  const bool is_doubtful = read.cut_off || are_ranks_doubtful;
  AddLogLine(is_doubtful ? presenters::LogLevel::kWarning : presenters::LogLevel::kGood, sentence);
}

// A window that has nothing else to show goes on to say why, and so does the command that opened it.
void Application::TellNotOpened(const std::string& why) {
  AddLogLine(presenters::LogLevel::kError, why);
  if (shown_ || starts_.is_wanted()) return;
  shown_ = ShownRun::NotOpened();
  TellWhatIsShown();
  input_.status.state = RunState::kFailed;
  input_.status.sentence = why;
  shell_.banner_closed = false;
  TellSentence(why);
}

void Application::OpenRanks(const std::vector<std::filesystem::path>& files) {
  AskBeforeEnding([this, files] { ReadRanks(files); });
}

void Application::ReadRanks(const std::vector<std::filesystem::path>& files) {
  opener_.ReadRanks(files, [this, files](Result<session::Ranks> ranks) {
    if (!ranks) return TellNotOpened(ranks.error().message);
    Remember(files);
    OpenLargest(std::move(*ranks));
  });
}

// Whatever is shown, and its ranks, stay until that is there.
void Application::OpenLargest(session::Ranks ranks) {
  for (const auto* sentences : {&ranks.repeated, &ranks.unreadable}) {
    for (const std::string& sentence : *sentences) AddLogLine(presenters::LogLevel::kWarning, sentence);
  }
  if (const std::string why = session::WhyNotOneRun(ranks); !why.empty())
    AddLogLine(presenters::LogLevel::kWarning, why + " Compare, Compare with… lays one over another.");
  if (const std::string missing = session::MissingRanks(ranks); !missing.empty())
    AddLogLine(presenters::LogLevel::kWarning, missing);
  for (const session::RankPeaks& rank : ranks.ranks) {
    if (!rank.warning.empty())
      AddLogLine(presenters::LogLevel::kWarning, session::NameOf(rank) + ": " + rank.warning);
  }
  const OpenedRanks opened(std::move(ranks));
  const std::optional<size_t> largest = opened.strip().largest;  // of whole recordings, which all tell a peak
  TIDEMARK_CHECK(largest && opened.FileOf(*largest) != nullptr);
  ReadRun(*opened.FileOf(*largest), {}, opened);
}

void Application::CompareWithFile(const std::filesystem::path& file) {
  opener_.ReadSecond(file, [this, file](Opener::Run other) {
    if (!other) return AddLogLine(presenters::LogLevel::kError, other.error().message);
    if ((*other)->view()->empty()) {
      return AddLogLine(presenters::LogLevel::kWarning,
                        file.string() + " holds no event: there is nothing to compare with.");
    }
    RememberChoices();
    LayOver({std::move(*other), file.filename().string()});
    Remember({file});
    shell_.raise_panel = "compare";
    AddLogLine(presenters::LogLevel::kGood, "Comparing with " + file.string() + ".");
  });
}

void Application::LayOver(SecondRun second) {
  opener_.DropSecond();  // what is being read for one is not wanted any more
  LetGo(std::exchange(second_, std::move(second)).run);
  input_.compared.reset();
  if (second_.run == nullptr) return;
  input_.compared = ComparedRun{second_.title, second_.run->view(), second_.run->description().notes};
}

// A second run says nothing of a program that is another than its own.
void Application::EndForeignComparison() {
  if (second_.run == nullptr) return;
  const std::string shown = presenters::NameOfProgram(shown_->description());
  if (shown == presenters::NameOfProgram(second_.run->description())) return;
  AddLogLine(presenters::LogLevel::kInfo, "No longer compared with " + second_.title + ": " + shown +
                                              " is another program. Ctrl+Z lays it over this one.");
  RememberChoices();
  LayOver({});
}

void Application::CloseRanks() {
  ranks_.Close();
  state_.rank_strip = true;
}

void Application::ShowRun(std::shared_ptr<session::Run> run) {
  ShowAlone(ShownRun(std::move(run), RunOrigin::kBegun));
}

void Application::ShowAlone(ShownRun shown) {
  opener_.Drop();
  CloseRanks();
  AdoptRun(std::move(shown));
  EndForeignComparison();
  BeginOther();
  state_.timeline.follow = input_.status.state <= RunState::kPaused;
  state_.timeline.whole = true;
  TellOfEndBefore();
}

// A run that no lesson is about.
void Application::BeginOther() {
  ForgetWhatWasSought();
  LeaveLearnLayout();
}

// It was of another run.
void Application::ForgetWhatWasSought() {
  state_.allocations.filter = {};
  state_.live_tree.path.clear();
  state_.what_if = {};
  if (state_.selection.kind != presenters::Selection::Kind::kCategory) state_.selection = {};
}

void Application::Follow(std::shared_ptr<session::Run> run, const std::filesystem::path& file) {
  const bool is_input = file == "-";
  ShowAlone(
      ShownRun(std::move(run), RunOrigin::kFollowed, is_input ? "standard input" : file.filename().string()));
  std::error_code is_to_come;
  const auto type = std::filesystem::status(file, is_to_come).type();
  const bool opens_again =
      type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found;
  if (!is_input && opens_again) Remember({file});  // a pipe is read once
}

void Application::AdoptRun(ShownRun shown, RunNotices::Lines told) {
  starts_.End(Leave());
  shown_ = std::move(shown);
  starts_.Unwant();  // what comes first is shown
  history_.Clear();
  if (!shown_->live()) fit_search_.Forget();  // a program's or a recording's
  start_cancelled_ = false;
  shell_.banner_closed = false;
  shell_.tall_panel.clear();
  state_.timeline.magnified = 1;  // its top is in sight
  if (shown_->live()) {
    state_.timeline.follow = true;
    state_.timeline.whole = false;
  }
  notices_.BeginRun(std::move(told));
  LookAtRun();  // first: whether this one goes on is judged there
  ShowFromHere();
}

void Application::LetGo(std::shared_ptr<session::Run> run) { starts_.End({.run = std::move(run)}); }

bool Application::IsLostByClosing() const {
  return shown_ && !shown_->view()->empty() && shown_.needs_keeping();
}

LeavingRun Application::Leaving() const {
  if (!shown_) return {};
  const bool is_veiled = frame_ != nullptr && frame_->veiled;
  return shown_.Leaving(TitleOfRun(*shown_.whole(), networks_), is_veiled);
}

LeavingRun Application::Leave() {
  LeavingRun leaving = Leaving();
  shown_ = {};
  TellWhatIsShown();
  return leaving;
}

// The run stays until it is kept: where it cannot be, that is told beside it. Another may begin meanwhile.
void Application::KeepAndThen(Consent::Then then) {
  LeavingRun leaving = Leaving();
  shown_.SetBeingKept(true);
  jobs_.Start("Keeping the run", JobEnd::kKept,
              [this, leaving = std::move(leaving), run = shown_.whole(),
               then = std::move(then)](const BackgroundJobs::Progress&) mutable -> BackgroundJobs::Then {
                const KeptRun kept = KeepRun(leaving, options_.kept_runs);
                leaving = {};  // or its process would end here
                return [this, kept, then, run = std::move(run)] {
                  const std::string missing = kept && *kept ? WhatIsMissing(**kept) : "";
                  if (shown_.whole() != run) {
                    TellOfKept(kept);
                    if (kept && missing.empty()) AskBeforeQuitting();
                    return;
                  }
                  if (kept && missing.empty()) return then();
                  shown_.SetBeingKept(kept.ok() && !GoesOn(input_));  // what is still to come is in no file
                  has_kept_runs_ = has_kept_runs_ || kept.ok();
                  const std::string told = kept ? "File, Earlier runs… has the run" + missing
                                                : "The run cannot be kept. " + kept.error().message;
                  TellNotWritten(told + " Ctrl+S saves all of it elsewhere.");
                };
              });
}

// Where the person cancels the dialog all stays as it is.
void Application::SaveAndThen(Consent::Then then) {
  Execute(ActionId::kSave);
  once_saved_ = std::move(then);
}

void Application::TellOfKept(const KeptRun& kept) {
  const std::string unsaved = "The run before was not saved, or not to its end";
  if (!kept) return TellNotWritten(unsaved + ", and cannot be kept. " + kept.error().message);
  if (!*kept) return;
  has_kept_runs_ = true;
  const std::string missing = WhatIsMissing(**kept);
  if (!missing.empty()) return TellNotWritten(unsaved + ". File, Earlier runs… has it" + missing);
  AddLogLine(presenters::LogLevel::kInfo, unsaved + ". File, Earlier runs… has all of it.");
}

std::vector<std::string> Application::KeepOnClosing() {
  std::vector<std::string> told;
  const size_t before = shell_.toasts.size();
  starts_.Unwant();
  jobs_.FinishWriting();
  for (size_t i = before; i < shell_.toasts.size(); ++i) told.push_back(shell_.toasts[i].text);
  if (closing_.is_run_given_up()) return told;
  const KeptRun kept = KeepRun(Leave(), options_.kept_runs);
  if (!kept)
    told.push_back("The run was not saved, or not to its end, and cannot be kept. " + kept.error().message);
  if (kept && *kept)
    told.push_back("The run was not saved, or not to its end; it is kept in " + (*kept)->file.string() +
                   WhatIsMissing(**kept));
  return told;
}

}  // namespace tidemark::gui
