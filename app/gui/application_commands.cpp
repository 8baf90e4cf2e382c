// What each command does.
#include <imgui.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "app/gui/application.h"
#include "app/gui/view/panel_table.h"
#include "app/presenters/run/program_facts.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/check.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/script_files.h"
#include "profiler/networks/specification.h"
#include "profiler/session/one_card.h"
#include "profiler/session/ranks.h"

namespace tidemark::gui {
namespace {

constexpr const char* kNothingToKeep =
    "There is no run to save or export. Space starts one; Ctrl+O opens a file.";

const HeldQuestion::Choice kLetItRun{"Let it run", HeldAnswer::kStays};
const HeldQuestion::Choice kEndIt{"End it", HeldAnswer::kGoesOn};
const HeldQuestion::Choice kKeepIt{"Keep it", HeldAnswer::kStays};
const HeldQuestion::Choice kReplaceIt{"Replace", HeldAnswer::kGoesOn};

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

FilePurpose PurposeOf(ActionId action) {
  switch (action) {
    case ActionId::kCompareWith:
      return FilePurpose::kCompare;
    case ActionId::kEarlierRuns:
      return FilePurpose::kEarlierRun;
    case ActionId::kChooseData:
      return FilePurpose::kData;
    case ActionId::kSave:
      return FilePurpose::kSave;
    case ActionId::kExport:
      return FilePurpose::kExport;
    case ActionId::kScreenshot:
      return FilePurpose::kScreenshot;
    case ActionId::kSaveSession:
      return FilePurpose::kSaveSession;
    default:
      return FilePurpose::kOpen;
  }
}

// The opened file's own (of one of its cards alone with that), or "tidemark-20260314-091500", so that a
// second file does not replace the first.
std::string NameToKeepAs(const SceneInput& input) {
  const std::string stem = std::filesystem::path(input.recording).stem().string();
  const auto& card = input.shown_cards.alone;
  const std::string of_card = card ? ", " + session::TitleOfCard(*card) : "";
  if (!stem.empty()) return stem + of_card;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, "tidemark-%Y%m%d-%H%M%S", &parts);
  return text + of_card;
}

}  // namespace

bool Application::ExecuteCommands() {
  const std::vector<Command> commands = queue_.Take();
  for (const Command& command : commands) Execute(command);
  const bool turns = std::exchange(shell_.is_of_other_height, false);
  if (turns) arrangement_.TurnToOtherHeight(state_);
  return turns || !commands.empty();
}

bool Application::ProgramGoesOn() const {
  return shown_ && input_.can_stop && presenters::IsProgram(input_.description) && GoesOn(input_);
}

// Where a program that somebody started goes on, and `then` would let it go.
void Application::AskBeforeEnding(std::function<void()> then) {
  if (!ProgramGoesOn() || consent_.is_granted()) return then();
  const std::string program = presenters::NameOfProgram(input_.description);
  consent_.Ask({.title = program + " still runs",
                .explanation = "What you asked for would end it. What it did until now is kept.",
                .choices = {kLetItRun, kEndIt},
                .overtaken = program + " runs on: what you asked for before is not done."},
               std::move(then));
}

// Where a program would record over what was recorded before. "" = it records nothing.
void Application::AskBeforeReplacing(const std::filesystem::path& recording, std::function<void()> then) {
  const std::vector<std::filesystem::path> there = session::RecordingsAt(recording);
  if (there.empty()) return then();
  const size_t others = there.size() - 1;
  const std::string name = there.front().filename().string();
  consent_.Ask(
      {.title = "Replace " + name + (others == 0 ? "" : " and " + FormatNumber(others) + " more") + "?",
       .explanation = "It holds an earlier run, which is lost when the program records there. Run a program… "
                      "(Ctrl+Shift+N) takes another name.",
       .choices = {kKeepIt, kReplaceIt},
       .overtaken = "The program was not started: nobody said that " + name + " may be replaced."},
      std::move(then));
}

void Application::AskBeforeQuitting() {
  AtStake at_stake;
  if (ProgramGoesOn()) at_stake.program = presenters::NameOfProgram(input_.description);
  at_stake.run = Leaving().title;
  at_stake.loses_run = IsLostByClosing();
  at_stake.can_be_kept = !options_.kept_runs.empty();
  if (at_stake.program.empty() && !at_stake.loses_run) return closing_.Close(false);
  consent_.Ask(QuestionBeforeClosing(at_stake), [this] { closing_.Close(true); });
}

void Application::TellNotWritten(const std::string& why) {
  closing_.StayOpen();
  AddLogLine(presenters::LogLevel::kError, why);
}

void Application::Execute(const Command& command) {
  notices_.BeginMatter();
  std::visit(
      Overloaded{
          [this](const DoAction& c) { Execute(c.id); },
          [this](const ChangeSettings& c) { ChangeByHand(c.settings); },
          [this](const ChooseDevice& c) { Choose(c); },
          [this](const ChoosePace& c) { SetPace(c.steps_per_second); },
          [this](const RecordKernels& c) { ChooseKernels(c.on); },
          [this](const StartProgram& c) { Start(c.order); },
          [this](const StartSweep& c) { Sweep(c.order); },
          [this](const CloseSweep&) { sweep_.Close(); },
          [this](const CopySweep&) {
            if (sweep_.shown() != nullptr) ImGui::SetClipboardText(sweep_.shown()->AsCsv().c_str());
          },
          [this](const gui::TryTechniques&) { TryTechniques(); },
          [this](const OpenRecording& c) { OpenFile(c.file); },
          [this](const gui::OpenRanks& c) { OpenRanks(c.files); },
          [this](const ForgetRecent&) { state_.recent.clear(); },
          [this](const OpenRank& c) { ShowRank(c.rank); },
          [this](const CompareRanksAt& c) { ranks_.CompareAt(c.step); },
          [this](const ShowCard& c) { ShowOneCard(c.device); },
          [this](const ChooseScale& c) { state_.scale = std::clamp(c.scale, kSmallestScale, kLargestScale); },
          [this](const CompareWith& c) { CompareWithFile(c.file); },
          [this](const SaveRecording& c) { Save(c.file, std::exchange(once_saved_, nullptr)); },
          [this](const ExportRecording& c) { Export(c.file); },
          [this](const TakeScreenshot& c) { screenshot_ = c; },
          [this](const SavePicture& c) { AskWhereTo(c); },
          [this](const ShowPanel& c) {
            state_.shown[IndexOfPanel(c.panel)] = c.shown;
            if (c.shown) shell_.raise_panel = c.panel;
          },
          [this](const ShowControl& c) {
            state_.run_controls.sought = c.name;
            state_.run_controls.focus_in_frames = 3;
            shell_.raise_panel = "run_controls";
          },
          [this](const PinMoment& c) { Pin(c); },
          [this](const GoToOperator& c) { state_.slow_motion.stop = c.stop; },
          [this](const gui::Select& c) { ShowSelected(c.selection); },
          [this](const ListAllocations& c) { List(c); },
          [this](const CopyAllocations&) { CopyListed(); },
          [this](const gui::ShowOnMap& c) { ShowOnMap(c.part); },
          [this](const GoToMoment& c) { Show(c); },
          [this](const KeepBookmark& c) { Keep(c); },
          [this](const StartAgain& c) { AskBeforeEnding([this, c] { StartWith(c); }); },
          [this](const SearchFit& c) { c.of_run ? FindWaysOut() : FindWhatFits(); },
          [this](const TryAllocators&) { TryAllocatorSettings(); },
          [this](const TryOtherSetup& c) { TryOther(c.setup); },
          [this](const ChooseRunBefore&) { ChooseFile(FilePurpose::kRunBefore, state_.last_folder); },
          [this](const TakeRunBefore& c) {
            state_.what_if.setup.cache = CacheOf::kRecording;
            state_.what_if.setup.recording = c.file;
          },
          [this](const PlanCheckpointCurve&) { planner_.PlanAgain(); },
          [this](const ShowLessonPage& c) { ShowPage(c.lesson, c.page); },
          [this](const SetUpPage&) { AskBeforeEnding([this] { SetUpOpenPage(); }); },
          [this](const gui::TakeOwnSettings&) { TakeOwnSettings(); },
          [this](const UseSession& c) { UseAsked(c.state); },
          [this](const LockControls& c) {
            desk_.TakeChoice(state_);  // what is locked now is meant
            desk_.UseLocks(c.locked, c.hidden);
          },
          [this](const SaveSession& c) { WriteSession(c.file); },
          [this](const AnswerHeld& c) { consent_.Answer(c.answer); },
      },
      command);
}

void Application::AskWhereTo(const SavePicture& wanted) {
  const std::string name = NameToKeepAs(input_);
  if (!wanted.drawing.empty())
    return ChooseFile(FilePurpose::kExport, state_.last_folder, name + "." + wanted.drawing + ".svg");
  ChooseFile(FilePurpose::kScreenshot, state_.last_folder, name);
  shell_.file_dialog.panel = wanted.panel;
}

void Application::Choose(const ChooseDevice& wanted) {
  if (wanted.device == input_.device || desk_.IsLocked("card", state_)) return;
  const auto chosen = [this, wanted] {
    Choices choices = Chosen();
    choices.device = wanted.device;
    return choices;
  };
  AskBeforeChoosing(chosen(), [this, chosen] {
    desk_.TakeDevice(state_);
    Take(chosen());
  });
}

// Asks first where that would end a program. What comes to nothing, since it is locked or cannot be, is there
// to be undone or redone when it can be.
void Application::Return(bool back) {
  const Choices* const next = back ? choices_.undone() : choices_.redone();
  if (next == nullptr) return;
  const auto take = [this](bool undo, Choices now) {
    return undo ? choices_.Undo(std::move(now)) : choices_.Redo(std::move(now));
  };
  const auto go = [this, back, take] {
    const Choices now = Chosen();
    const Choices wanted = take(back, now).value_or(now);
    ReturnTo(wanted);
    if (IsSame(Chosen(), now) && !IsSame(wanted, now)) take(!back, wanted);
  };
  AskBeforeChoosing(*next, go);
}

void Application::ReturnTo(Choices wanted) {
  if (wanted.second.run != second_.run) LayOver(wanted.second);
  const Choices before = Chosen();
  if (Apply(AllowedBack(wanted)) == StartOfChoices::kNeeded) return StartRun();
  TellOfNextRun(before);
}

void Application::Take(const Choices& choices) {
  const Choices before = Chosen();
  if (ApplyAnew(choices) == StartOfChoices::kNeeded) return StartRun();
  TellOfNextRun(before);
}

// Where no run shows what was chosen.
void Application::TellOfNextRun(const Choices& before) {
  if (input_.live || starts_.is_wanted()) return;
  const std::string change = DescribeChange(before, Chosen(), cards_);
  if (!change.empty()) AddLogLine(presenters::LogLevel::kInfo, "Of the next run: " + change + ".");
}

// Beside a recording all of them are of the next run.
bool Application::TakesAStart(const Choices& choices) const {
  if (IsRecording(input_)) return false;
  const bool tells_others = choices.kernels != input_.kernels && (input_.live || starts_.is_wanted());
  return choices.device != input_.device || choices.allocator != input_.allocator || tells_others;
}

void Application::AskBeforeChoosing(const Choices& choices, std::function<void()> then) {
  TakesAStart(choices) ? AskBeforeEnding(std::move(then)) : then();
}

Application::StartOfChoices Application::Apply(const Choices& choices) {
  const bool takes_a_start = TakesAStart(choices);
  input_.device = choices.device;
  input_.allocator = choices.allocator;
  input_.kernels = choices.kernels;
  if (Change(choices.settings, false)) return StartOfChoices::kBegun;
  return takes_a_start ? StartOfChoices::kNeeded : StartOfChoices::kNotNeeded;
}

Application::StartOfChoices Application::ApplyAnew(const Choices& choices) {
  const Choices before = Chosen();
  if (IsSame(choices, before)) return StartOfChoices::kNotNeeded;
  choices_.Remember(before);
  if (choices.second.run != second_.run) LayOver(choices.second);
  const StartOfChoices start = Apply(choices);
  if (IsSame(Chosen(), before)) choices_.ForgetLatest();  // it could not be
  return start;
}

void Application::SetPace(double steps_per_second) {
  input_.steps_per_second = steps_per_second;
  if (shown_) shown_->SetPace(steps_per_second);
}

void Application::ChooseKernels(bool on) {
  Choices choices = Chosen();
  choices.kernels = on;
  Take(Allowed(choices));
}

void Application::Pin(const PinMoment& wanted) {
  state_.pinned = wanted.index;
  state_.timeline.follow = false;  // or it would soon be out of sight
  if (wanted.selection.any() && wanted.selection != state_.selection) ShowSelected(wanted.selection);
}

// The same again takes it away.
void Application::ShowSelected(const presenters::Selection& selection) {
  state_.selection = state_.selection == selection ? presenters::Selection() : selection;
  state_.memory_map.lit = presenters::MapPart::kNone;
}

void Application::List(const ListAllocations& wanted) {
  state_.selection = wanted.selection;
  state_.memory_map.lit = presenters::MapPart::kNone;
  state_.allocations.only_selected = wanted.selection.any();
  // Of events none are selected.
  if (state_.allocations.listed == Listed::kEvents) state_.allocations.listed = Listed::kAlive;
  std::array<char, 200>& filter = state_.allocations.filter;
  if (!wanted.filter.empty()) std::snprintf(filter.data(), filter.size(), "%s", wanted.filter.c_str());
  shell_.raise_panel = "allocations";
}

// Hundreds of thousands of rows take their time to be written.
void Application::CopyListed() {
  if (frame_ == nullptr || frame_->allocations.table == nullptr) return;
  jobs_.Start("Copying rows", JobEnd::kWhenDone,
              [view = input_.view, rows = frame_->allocations.table->rows](
                  const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
                const auto csv =
                    std::make_shared<const std::string>(presenters::AllocationsAsCsv(*view, rows));
                return [csv] { ImGui::SetClipboardText(csv->c_str()); };
              });
}

void Application::ShowOnMap(presenters::MapPart part) {
  state_.memory_map.lit = state_.memory_map.lit == part ? presenters::MapPart::kNone : part;
  state_.selection = {};  // only one of them can be lit up
  shell_.raise_panel = "memory_map";
}

void Application::StartWith(const StartAgain& wanted) {
  Choices choices = Chosen();
  choices.settings = wanted.settings;
  if (wanted.allocator) choices.allocator = *wanted.allocator;
  // What is begun with was found for the card of the run that is shown.
  if (choices.device.kind == networks::DeviceKind::kPhantom) choices.device.card = CardFor(input_);
  desk_.TakeChoice(state_);
  if (ApplyAnew(Allowed(choices)) != StartOfChoices::kBegun) StartRun();
}

// Left behind is data, and what takes a network apart. A TorchScript file that nobody has opened here is
// named by a recording, a code or a lesson.
std::optional<networks::TrainingSettings> Application::Trainable(networks::TrainingSettings settings) {
  if (settings.network != input_.settings.network) ReadNetworkAnew(settings.network);
  const networks::Network* const network = networks::NetworkNamed(networks_, settings.network);
  if (!settings.data.empty() && network != nullptr && !networks::TakesCifar10(*network)) {
    AddLogLine(presenters::LogLevel::kWarning,
               network->title + " does not take CIFAR-10's pictures: its samples are synthetic.");
    settings.data.clear();
  }
  if (network != nullptr && settings.network != input_.settings.network) {
    const networks::TrainingSettings possible = networks::WithoutWhatScriptsLack(*network, settings);
    if (possible != settings) {
      AddLogLine(presenters::LogLevel::kWarning, network->title + " runs in one piece: " +
                                                     networks::DescribeChange(settings, possible) + ".");
    }
    settings = possible;
  }
  if (settings == input_.settings) return settings;
  Status can_be = network == nullptr ? networks::CheckNamedByFile(settings.network) : Status(Done{});
  if (can_be) can_be = networks::Validate(settings);
  if (can_be && network != nullptr) can_be = networks::CheckTogether(*network, settings);
  if (can_be) return settings;
  AddLogLine(presenters::LogLevel::kWarning, InWordsOfControls(can_be.error().message));
  return std::nullopt;
}

bool Application::Change(const networks::TrainingSettings& settings, bool remember) {
  const std::optional<networks::TrainingSettings> trainable = Trainable(settings);
  if (!trainable || *trainable == input_.settings) return false;
  if (remember) RememberChoices();
  const networks::TrainingSettings before = std::exchange(input_.settings, *trainable);
  shown_.SetExample(false);
  estimates_.PlanAgain();
  if (!shown_ || !input_.live) return false;
  if (NeedsOtherProcesses(before)) {
    StartRun();
    return true;
  }
  shown_->Change(input_.settings);
  return false;
}

// Each knows the actions of one subject, and leaves the others: one takes it. In slow motion Escape and Space
// are its own.
void Application::Execute(ActionId action) {
  const bool is_taken = ExecuteSlowMotionAction(action) || ExecuteFileAction(action) ||
                        ExecuteWindowAction(action) || ExecuteRunAction(action) ||
                        ExecuteLearningAction(action) || ExecuteTimelineAction(action) ||
                        ExecuteLookAction(action);
  TIDEMARK_CHECK(is_taken);
}

void Application::ChooseFile(FilePurpose purpose, const std::filesystem::path& folder,
                             const std::string& name) {
  once_saved_ = nullptr;  // the dialog that it waited for was cancelled
  shell_.file_dialog.kept_runs = has_kept_runs_ ? options_.kept_runs.lexically_normal() : "";
  OpenFileDialog(purpose, folder, name, &shell_.file_dialog);
}

bool Application::ExecuteFileAction(ActionId action) {
  switch (action) {
    case ActionId::kNewRun:
      StartRun();
      break;
    case ActionId::kRunProgram:
      AskForProgram();
      break;
    case ActionId::kOpen:
    case ActionId::kCompareWith:
    case ActionId::kChooseData:
      ChooseFile(PurposeOf(action), state_.last_folder);
      break;
    case ActionId::kEarlierRuns:
      ChooseFile(PurposeOf(action), options_.kept_runs);
      break;
    case ActionId::kStopComparing:
      if (second_.run != nullptr) RememberChoices();
      LayOver({});
      break;
    case ActionId::kSave:
    case ActionId::kExport:
    case ActionId::kScreenshot:
    case ActionId::kSaveSession:
      ChooseFile(PurposeOf(action), state_.last_folder, NameToKeepAs(input_));
      break;
    case ActionId::kQuit:
      starts_.Unwant();
      closing_.Begin();
      if (jobs_.writes())
        AddLogLine(presenters::LogLevel::kInfo, "The window closes as soon as all is written.");
      break;
    default:
      return false;
  }
  return true;
}

bool Application::ExecuteWindowAction(ActionId action) {
  switch (action) {
    case ActionId::kPalette:
      shell_.palette.open = true;
      break;
    case ActionId::kSearch:
      // What was typed in the palette is looked for.
      shell_.search.text = {};
      std::ranges::copy(std::exchange(shell_.palette.text, {}), shell_.search.text.begin());
      shell_.search.open = true;
      break;
    case ActionId::kKeys:
      shell_.keys_open = !shell_.keys_open;
      break;
    case ActionId::kGlossary:
      shell_.glossary_open = !shell_.glossary_open;
      break;
    case ActionId::kColors:
      shell_.colors.open = !shell_.colors.open;
      break;
    case ActionId::kForAClass:
      shell_.class_open = !shell_.class_open;
      break;
    case ActionId::kAbout:
      shell_.about_open = !shell_.about_open;
      break;
    case ActionId::kResetLayout:
      TakeLayout(Layout::kAll);
      break;
    case ActionId::kProfileLayout:
      TakeLayout(Layout::kProfile);
      break;
    case ActionId::kLayoutBefore:
      ReturnToLayoutBefore();
      break;
    case ActionId::kCompareLayout:
      TakeLayout(Layout::kCompare);
      break;
    default:
      return false;
  }
  return true;
}

bool Application::ExecuteRunAction(ActionId action) {
  using transport::RunMode;
  const bool live = shown_ && input_.live;
  const bool paused = input_.status.state == session::RunState::kPaused;
  switch (action) {
    case ActionId::kRunOrPause:
      if (starts_.is_wanted()) break;
      if (live) {
        shown_->SetMode(paused ? RunMode::kRun : RunMode::kPause);
      } else if (!presenters::IsProgram(input_.description)) {
        StartRun();
      }
      break;
    case ActionId::kStep:
      if (live) shown_->SetMode(RunMode::kOneStep);
      break;
    case ActionId::kOperator:
      if (live) shown_->SetMode(RunMode::kOneOperator);
      break;
    case ActionId::kRestart:
      Restart();
      break;
    case ActionId::kStop:
      if (shown_ && input_.can_stop) shown_->Stop();
      break;
    case ActionId::kUndo:
    case ActionId::kRedo:
      Return(action == ActionId::kUndo);
      break;
    default:
      return false;
  }
  return true;
}

bool Application::ExecuteTimelineAction(ActionId action) {
  TimelineState& timeline = state_.timeline;
  switch (action) {
    case ActionId::kFit:
      timeline.follow = false;
      timeline.whole = true;
      timeline.magnified = 1;
      break;
    case ActionId::kFollow:
      timeline.follow = !timeline.follow;
      timeline.whole = false;
      break;
    case ActionId::kGoToPeak:
      state_.pinned = PeakInSight(input_.view.get(), state_.timeline);
      timeline.magnified = 1;  // its top, too
      timeline.follow = false;
      timeline.whole = false;
      break;
    case ActionId::kSwitchAxis: {
      const bool clock = timeline.axis == presenters::TimeAxis::kWallClock;
      SwitchAxis(input_.view.get(), clock ? presenters::TimeAxis::kEvents : presenters::TimeAxis::kWallClock,
                 state_.timeline);
      break;
    }
    case ActionId::kStackBy:
      // Raised in the next frame, the panel has the focus from the one after it.
      if (frame_ != nullptr && !frame_->veiled && frame_->timeline.empty_reason.empty())
        timeline.chooses_stack = 2;
      shell_.raise_panel = "timeline";
      break;
    case ActionId::kUnpin:
      if (state_.selection.any()) {
        state_.selection = {};
      } else if (state_.memory_map.lit != presenters::MapPart::kNone) {
        state_.memory_map.lit = presenters::MapPart::kNone;
      } else if (timeline.cursors) {
        timeline.cursors.reset();
      } else {
        state_.pinned.reset();
      }
      break;
    case ActionId::kBack:
    case ActionId::kForward:
      LookBack(action == ActionId::kForward);
      break;
    case ActionId::kBookmark:
      AskForBookmark();
      break;
    default:
      return false;
  }
  return true;
}

bool Application::ExecuteLookAction(ActionId action) {
  switch (action) {
    case ActionId::kLightOrDark:
      state_.dark = !state_.dark;
      break;
    case ActionId::kSwitchUnit:
      state_.unit = state_.unit == ByteUnit::kMegabytes ? ByteUnit::kMebibytes : ByteUnit::kMegabytes;
      break;
    case ActionId::kLarger:
      state_.scale = std::min(kLargestScale, state_.scale * 1.1F);
      break;
    case ActionId::kSmaller:
      state_.scale = std::max(kSmallestScale, state_.scale / 1.1F);
      break;
    case ActionId::kNormalSize:
      state_.scale = 1.0F;
      break;
    case ActionId::kPanelTabs:
      state_.panel_tabs = !state_.panel_tabs;
      break;
    case ActionId::kRankStrip:
      state_.rank_strip = !state_.rank_strip;
      break;
    case ActionId::kOwnTime:
      state_.own_time = !state_.own_time;
      break;
    default:
      return false;
  }
  return true;
}

void Application::Save(const std::filesystem::path& file, const Consent::Then& then) {
  if (!shown_) return AddLogLine(presenters::LogLevel::kWarning, kNothingToKeep);
  jobs_.Start("Saving " + file.filename().string(), JobEnd::kWritten,
              [this, run = shown_.part(), file, then, bookmarks = shown_.bookmarks(),
               of = std::weak_ptr<const session::Run>(shown_.part())](
                  const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const events::EventIndex end = run->view()->end();  // what comes meanwhile may not be in it
                const Status saved = run->Save(file, progress);
                return [this, saved, file, then, bookmarks, of, end, process = run.get()] {
                  if (!saved) return TellNotWritten(saved.error().message);
                  const auto noted = shown_.Is(of) ? shown_.TakeSaved(process, file, end) : bookmarks;
                  if (const Status kept = trace::SaveBookmarks(noted, file); !kept)
                    TellNotWritten(kept.error().message);
                  Remember({file});
                  AddLogLine(presenters::LogLevel::kGood, "Saved " + file.string() + ".");
                  if (!then) return;
                  // Of ranks and cards one was saved, and another run may have begun meanwhile.
                  const bool is_all_of_it = shown_.Is(of) && shown_.whole().get() == process;
                  is_all_of_it ? then() : AskBeforeQuitting();
                };
              });
}

void Application::Export(const std::filesystem::path& file) {
  const presenters::RunFormat* format = presenters::FormatOfEnding(file);
  if (format == nullptr || !options_.services.export_run) return;
  if (!shown_) return AddLogLine(presenters::LogLevel::kWarning, kNothingToKeep);
  using Outcome = Result<std::vector<std::string>>;
  jobs_.Start("Exporting " + file.filename().string(), JobEnd::kWritten,
              [this, run = shown_.part(), key = format->key, file, bookmarks = shown_.bookmarks()](
                  const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const Outcome left_out = options_.services.export_run({*run, bookmarks}, key, file, progress);
                return [this, left_out, key, file] {
                  if (!left_out) return TellNotWritten(left_out.error().message);
                  const bool is_trace = key == "chrome" || key == "perfetto";
                  std::string told = "Exported " + file.string() + ".";
                  if (is_trace) told += " Open it in ui.perfetto.dev.";
                  for (const std::string& sentence : *left_out) told += " " + sentence;
                  AddLogLine(presenters::LogLevel::kGood, told);
                };
              });
}

}  // namespace tidemark::gui
