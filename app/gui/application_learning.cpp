// Lessons, session codes and what they lock.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <variant>

#include "app/gui/application.h"
#include "app/gui/view/panel_table.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/whole_file.h"
#include "profiler/trace/output_file.h"

namespace tidemark::gui {
namespace {

constexpr size_t kMostSessionBytes = 1 << 16;

}  // namespace

void Application::ChangeByHand(const networks::TrainingSettings& settings) {
  desk_.TakeChoice(state_);
  Choices wanted = Chosen();
  wanted.settings = settings;
  Change(Allowed(wanted).settings, true);
}

Choices Application::OwnChoices() const {
  Choices own = *desk_.own();
  own.second = second_;
  return own;
}

// What a page has set up is taken back whatever is locked: it was not held by that either.
void Application::TakeOwnSettings() {
  if (!desk_.own()) return LeaveLesson();
  const Choices own = OwnChoices();
  AskBeforeChoosing(own, [this, own] {
    desk_.ForgetOwn();
    Take(own);
    LeaveLesson();
  });
}

void Application::LeaveLesson() {
  desk_.Close(state_.lessons);
  LeaveLearnLayout();
}

// A lesson may set up what a code locks, for as long as its page is in sight. Then all that was chosen before
// comes back by itself, since nobody could ask for what is locked. A program is not ended for that.
void Application::ReturnToCode() {
  if (!desk_.IsPastCode(Chosen(), state_)) return;
  const Choices own = OwnChoices();
  if (TakesAStart(own) && !IsOfOurs(input_)) return;
  AddLogLine(presenters::LogLevel::kInfo,
             "The session code locks what the lesson had set up, which is as before: " +
                 DescribeChange(Chosen(), own, cards_) + ".");
  desk_.ForgetOwn();
  Take(own);
}

void Application::LeaveLearnLayout() {
  if (state_.learning) arrangement_.GiveBack(state_);
}

Choices Application::Allowed(const Choices& wanted) {
  return Told(wanted, desk_.Allowed(Chosen(), wanted, state_));
}

Choices Application::AllowedBack(const Choices& wanted) {
  return Told(wanted, desk_.AllowedBack(Chosen(), wanted, state_));
}

Choices Application::Told(const Choices& wanted, Choices allowed) {
  const Choices now = Chosen();
  if (StartAlike(allowed, now) && !StartAlike(wanted, now)) {
    AddLogLine(presenters::LogLevel::kWarning,
               "This control is locked by the lesson or the session code; Learn, Unlock all controls gives "
               "it back.");
  }
  return allowed;
}

void Application::ShowPage(const std::string& lesson, int page) {
  const bool is_entered = state_.lessons.lesson != lesson;
  desk_.Open(lesson, page, state_.lessons);
  if (!state_.learning) ExecuteLearningAction(ActionId::kLearnLayout);
  if (is_entered && state_.unit != ByteUnit::kMegabytes) {
    state_.unit = ByteUnit::kMegabytes;
    AddLogLine(presenters::LogLevel::kInfo, "Lessons tell MB, so the window does, too. U switches back.");
  }
  const OpenPage open = desk_.PageOpen(state_.lessons);
  if (open.page == nullptr || !IsOfOurs(input_)) return;  // only the button replaces what is somebody's own
  SetUp(open.page->setup);
  // The first that is there: a session code may hide some.
  const auto& hidden = desk_.of_code().hidden;
  for (const std::string& control : open.page->setup.highlight) {
    if (std::ranges::count(hidden, control) == 0) return void(state_.run_controls.sought = control);
  }
}

void Application::AskBeforeStartingOver() {
  const OpenPage open = desk_.PageOpen(state_.lessons);
  const std::string of = open.page == nullptr ? "all lessons" : open.lesson->title;
  const std::string lesson = state_.lessons.lesson;
  consent_.Ask({.title = "Start over?",
                .explanation = "Predictions, drawings and finished tasks of " + of + " are forgotten.",
                .choices = {{"Keep them", HeldAnswer::kStays}, {"Start over", HeldAnswer::kGoesOn}},
                .overtaken = ""},
               [this, lesson] {
                 if (!lesson.empty()) ShowPage(lesson, 0);
                 ForgetAnswers(lesson, state_.lessons);  // also what leaving its last page adds
               });
}

void Application::SetUpOpenPage() {
  const OpenPage open = desk_.PageOpen(state_.lessons);
  if (open.page == nullptr) return;
  if (!state_.learning) ExecuteLearningAction(ActionId::kLearnLayout);
  SetUp(open.page->setup);
}

// What the run before has cached and pinned is nothing to a page that is about other settings.
void Application::SetUp(const lessons::Setup& setup) {
  state_.run_controls.draft.reset();
  const networks::TrainingSettings before = input_.settings;
  Choices choices = desk_.SetUp(setup, Chosen());
  // With the page's run it would end by itself, as a choice of its own: they are taken back in one step.
  if (second_.run != nullptr && presenters::IsProgram(second_.run->description())) {
    AddLogLine(presenters::LogLevel::kInfo,
               "No longer compared with " + second_.title +
                   ": it is of another program. Ctrl+Z takes the page's settings "
                   "back and lays it over again.");
    choices.second = {};
  }
  const bool needs_start = ApplyAnew(choices) == StartOfChoices::kNeeded;
  const bool differs = input_.settings != before;
  if (needs_start || (!input_.live && !starts_.is_wanted())) {
    StartRun();
  } else if (differs && input_.live) {
    shown_->Restart(input_.settings);
    if (!state_.slow_motion.active) shown_->SetMode(transport::RunMode::kRun);  // it may have been paused
  }
  if (setup.pin_peak || differs) state_.pinned.reset();  // the latest peak
  state_.timeline.follow = true;
  state_.timeline.whole = false;
  state_.timeline.stack.reset();  // pages speak of what memory holds
  for (size_t i = 0; i < kPanelCount; ++i) {
    if (std::ranges::count(setup.show, Panels()[i].name) > 0) state_.shown[i] = true;
  }
  if (!setup.show.empty()) shell_.raise_panel = setup.show.front();
}

void Application::UseAsked(const lessons::SessionState& session) {
  Choices choices = Chosen();
  choices.device = session.device;
  choices.allocator = session.allocator;
  AskBeforeChoosing(choices, [this, session] { Use(session); });
}

void Application::Use(const lessons::SessionState& session) {
  const std::optional<networks::TrainingSettings> trainable = Trainable(session.settings);
  if (!trainable) return;
  desk_.ForgetOwn();
  const Choices before = Chosen();
  Choices choices = before;
  choices.settings = *trainable;
  choices.device = session.device;
  choices.allocator = session.allocator;
  const bool needs_start = ApplyAnew(choices) == StartOfChoices::kNeeded;
  desk_.UseLocks(session.locked, session.hidden);
  state_.unit = session.unit;
  state_.timeline.hidden_categories = session.hidden_categories;
  input_.steps_per_second = session.steps_per_second;
  if (shown_) shown_->SetPace(session.steps_per_second);
  const auto axis = session.wall_clock ? presenters::TimeAxis::kWallClock : presenters::TimeAxis::kEvents;
  if (state_.timeline.axis != axis) SwitchAxis(input_.view.get(), axis, state_.timeline);
  for (size_t i = 0; i < kPanelCount && !session.panels.empty(); ++i) {
    state_.shown[i] = std::ranges::count(session.panels, Panels()[i].name) > 0;
  }
  if (needs_start && (shown_ || starts_.is_wanted())) StartRun();
  if (!needs_start && shown_) TellOfNextRun(before);
  if (!session.lesson.empty()) desk_.Open(session.lesson, session.page, state_.lessons);
}

lessons::SessionState Application::CurrentSession() const {
  lessons::SessionState session;
  session.settings = input_.settings;
  session.device = input_.device;
  session.allocator = input_.allocator;
  session.steps_per_second = input_.steps_per_second;
  session.unit = state_.unit;
  session.wall_clock = state_.timeline.axis == presenters::TimeAxis::kWallClock;
  session.hidden_categories = static_cast<uint32_t>(state_.timeline.hidden_categories);
  const bool all_shown = std::ranges::count(state_.shown, false) == 0;
  for (size_t i = 0; i < kPanelCount && !all_shown; ++i) {
    if (state_.shown[i]) session.panels.emplace_back(Panels()[i].name);
  }
  session.locked = desk_.of_code().locked;
  session.hidden = desk_.of_code().hidden;
  session.lesson = state_.lessons.lesson;
  session.page = session.lesson.empty() ? 0 : state_.lessons.page;
  return session;
}

void Application::ReadSession(const std::filesystem::path& file) {
  const Result<std::string> text = ReadWholeFile(file, kMostSessionBytes);
  const Result<lessons::SessionState> session = text ? lessons::StateFromCode(*text) : text.error();
  if (session) {
    UseAsked(*session);
    Remember({file});
  } else {
    AddLogLine(presenters::LogLevel::kError, (text ? file.string() + ": " : "") + session.error().message);
  }
  if (!shown_ && !starts_.is_wanted()) StartRun();
}

void Application::WriteSession(const std::filesystem::path& file) {
  const Status written = trace::WriteWhole(lessons::CodeOf(CurrentSession()) + "\n", file);
  AddLogLine(written ? presenters::LogLevel::kGood : presenters::LogLevel::kError,
             written ? "Saved " + file.string() + "." : written.error().message);
}

bool Application::ExecuteLearningAction(ActionId action) {
  switch (action) {
    case ActionId::kLearnLayout:
      arrangement_.Borrow(Layout::kLearn, state_);
      break;
    case ActionId::kNextPage:
      if (const std::optional<int> next = desk_.Turn(state_.lessons)) {
        ShowPage(state_.lessons.lesson, *next);
      } else {
        LeaveLearnLayout();
      }
      break;
    case ActionId::kPreviousPage:
      if (const OpenPage open = desk_.PageOpen(state_.lessons); open.number() > 0)
        ShowPage(open.lesson->name, open.number() - 1);
      break;
    case ActionId::kCopyCode:
      ImGui::SetClipboardText(lessons::CodeOf(CurrentSession()).c_str());
      AddLogLine(presenters::LogLevel::kGood, "Copied: " + lessons::CodeOf(CurrentSession()));
      break;
    case ActionId::kPasteCode: {
      const char* pasted = ImGui::GetClipboardText();
      const Result<lessons::SessionState> session = lessons::StateFromCode(pasted == nullptr ? "" : pasted);
      if (session) {
        UseAsked(*session);
      } else {
        AddLogLine(presenters::LogLevel::kWarning, session.error().message);
      }
      break;
    }
    case ActionId::kBackToOwn:
      TakeOwnSettings();
      break;
    case ActionId::kStartOver:
      AskBeforeStartingOver();
      break;
    case ActionId::kUnlock:
      desk_.LiftLocks();
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace tidemark::gui
