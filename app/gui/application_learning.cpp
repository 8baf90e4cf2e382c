// Lessons, session codes and what they lock.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <variant>

#include "app/gui/application.h"
#include "app/gui/view/panel_table.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/session/card_fit.h"
#include "profiler/trace/output_file.h"

namespace tidemark::gui {
namespace {

constexpr size_t kMostSessionBytes = 1 << 16;

void Append(const std::vector<std::string>& names, std::vector<std::string>* to) {
  to->insert(to->end(), names.begin(), names.end());
}

}  // namespace

ControlAccess Application::Access() const {
  ControlAccess access = of_code_;
  if (const OpenPage open = PageOf(book_.lessons, state_.lessons); open.page != nullptr && !locks_lifted_) {
    Append(open.page->setup.lock, &access.locked);
    access.highlighted = open.page->setup.highlight;
  }
  return access;
}

void Application::ChangeByHand(const networks::TrainingSettings& settings) {
  if (!IsInLesson()) before_lessons_.reset();
  Change(Allowed(settings), true);
}

bool Application::IsInLesson() const {
  return !state_.lessons.lesson.empty() && state_.shown[IndexOfPanel("lessons")];
}

std::string Application::ChangeToOwn() const {
  if (!before_lessons_ || IsInLesson() || StartAlike(*before_lessons_, Chosen())) return "";
  std::vector<std::string> changes;
  if (const std::string change = networks::DescribeChange(input_.settings, before_lessons_->settings);
      !change.empty())
    changes.push_back(change);
  const phantom::Card* const card = phantom::CardNamed(cards_, before_lessons_->device.card);
  if (before_lessons_->device != input_.device && card != nullptr)
    changes.push_back("on the " + session::ShortCardTitle(card->title));
  return fmt::format("{}", fmt::join(changes, ", "));
}

void Application::TakeOwnSettings() {
  if (!before_lessons_) return;
  Choices own = *before_lessons_;
  own.second = second_;
  own.settings = Allowed(own.settings);
  if (std::ranges::count(Access().locked, "card") > 0) own.device = input_.device;
  AskBeforeChoosing(own, [this, own] {
    before_lessons_.reset();
    if (ApplyAnew(own) == StartOfChoices::kNeeded) StartRun();
  });
}

networks::TrainingSettings Application::Allowed(const networks::TrainingSettings& settings) {
  const networks::TrainingSettings allowed = lessons::KeepLocked(input_.settings, settings, Access().locked);
  if (allowed == input_.settings && settings != input_.settings) {
    AddLogLine(presenters::LogLevel::kWarning,
               "This control is locked by the lesson or the session code; Learn, Unlock all controls gives "
               "it back.");
  }
  return allowed;
}

void Application::ShowPage(const std::string& lesson, int page) {
  LeavePage(book_.lessons, state_.lessons);
  const bool is_entered = state_.lessons.lesson != lesson;
  state_.lessons.lesson = lesson;
  state_.lessons.page = page;
  state_.lessons.typed = 0;
  state_.lessons.just_opened = true;
  state_.lessons.begun.clear();
  state_.lessons.drawing = {};
  locks_lifted_ = false;
  if (!state_.learning) ExecuteLearningAction(ActionId::kLearnLayout);
  if (is_entered && state_.unit != ByteUnit::kMegabytes) {
    state_.unit = ByteUnit::kMegabytes;
    AddLogLine(presenters::LogLevel::kInfo, "Lessons tell MB, so the window does, too. U switches back.");
  }
  const OpenPage open = PageOf(book_.lessons, state_.lessons);
  if (open.page == nullptr || !IsOfOurs(input_)) return;  // only the button replaces what is somebody's own
  SetUp(open.page->setup);
  // The first that is there: a session code may hide some.
  const auto& hidden = of_code_.hidden;
  for (const std::string& control : open.page->setup.highlight) {
    if (std::ranges::count(hidden, control) == 0) return void(state_.run_controls.sought = control);
  }
}

void Application::SetUpOpenPage() {
  if (const OpenPage open = PageOf(book_.lessons, state_.lessons); open.page != nullptr)
    SetUp(open.page->setup);
}

// What the run before has cached and pinned is nothing to a page that is about other settings.
void Application::SetUp(const lessons::Setup& setup) {
  state_.run_controls.draft.reset();
  if (!before_lessons_) {
    before_lessons_ = Chosen();
    before_lessons_->second = {};
  }
  const networks::TrainingSettings before = input_.settings;
  Choices choices = Chosen();
  // With the page's run it would end by itself, as a choice of its own: they are taken back in one step.
  if (second_.run != nullptr && presenters::IsProgram(second_.run->description())) {
    AddLogLine(presenters::LogLevel::kInfo,
               "No longer compared with " + second_.title +
                   ": it is of another program. Ctrl+Z takes the page's settings "
                   "back and lays it over again.");
    choices.second = {};
  }
  choices.settings = setup.situation.settings;
  if (choices.device.kind == networks::DeviceKind::kPhantom) choices.device.card = setup.situation.card;
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
  AskBeforeChoosing(choices, [this, session] { Use(session); });
}

void Application::Use(const lessons::SessionState& session) {
  const std::optional<networks::TrainingSettings> trainable = Trainable(session.settings);
  if (!trainable) return;
  before_lessons_.reset();
  Choices choices = Chosen();
  choices.settings = *trainable;
  choices.device = session.device;
  const bool needs_start = ApplyAnew(choices) == StartOfChoices::kNeeded;
  of_code_ = {session.locked, session.hidden, {}};
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
  if (!session.lesson.empty()) {
    state_.lessons.lesson = session.lesson;
    state_.lessons.page = session.page;
  }
}

lessons::SessionState Application::CurrentSession() const {
  lessons::SessionState session;
  session.settings = input_.settings;
  session.device = input_.device;
  session.steps_per_second = input_.steps_per_second;
  session.unit = state_.unit;
  session.wall_clock = state_.timeline.axis == presenters::TimeAxis::kWallClock;
  session.hidden_categories = static_cast<uint32_t>(state_.timeline.hidden_categories);
  const bool all_shown = std::ranges::count(state_.shown, false) == 0;
  for (size_t i = 0; i < kPanelCount && !all_shown; ++i) {
    if (state_.shown[i]) session.panels.emplace_back(Panels()[i].name);
  }
  session.locked = of_code_.locked;
  session.hidden = of_code_.hidden;
  session.lesson = state_.lessons.lesson;
  session.page = session.lesson.empty() ? 0 : state_.lessons.page;
  return session;
}

void Application::ReadSession(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMostSessionBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  const Result<lessons::SessionState> session =
      in.is_open() ? lessons::StateFromCode(text)
                   : Result<lessons::SessionState>(Error{"it cannot be read. Check that it is there."});
  if (session) {
    UseAsked(*session);
    state_.last_folder = file.parent_path();
  } else {
    AddLogLine(presenters::LogLevel::kError, file.string() + ": " + session.error().message);
  }
  if (!shown_ && !starts_.is_wanted()) StartRun();
}

void Application::WriteSession(const std::filesystem::path& file) {
  const Status written = trace::WriteWhole(lessons::CodeOf(CurrentSession()) + "\n", file);
  AddLogLine(written ? presenters::LogLevel::kGood : presenters::LogLevel::kError,
             written ? "Saved " + file.string() + "." : written.error().message);
}

bool Application::ExecuteLearningAction(ActionId action) {
  const OpenPage open = PageOf(book_.lessons, state_.lessons);
  const int page = open.page == nullptr ? 0 : static_cast<int>(open.page - open.lesson->pages.data());
  switch (action) {
    case ActionId::kLearnLayout:
      arrangement_.Take(Layout::kLearn, state_);
      break;
    case ActionId::kNextPage:
      if (open.page == nullptr) break;
      if (IsWorkedThrough(book_.lessons, state_.lessons))
        state_.lessons.done.insert(PageKey(open.lesson->name, static_cast<size_t>(page)));
      if (page + 1 < static_cast<int>(open.lesson->pages.size())) {
        ShowPage(open.lesson->name, page + 1);
      } else {
        state_.lessons.lesson.clear();
      }
      break;
    case ActionId::kPreviousPage:
      if (open.page != nullptr && page > 0) ShowPage(open.lesson->name, page - 1);
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
    case ActionId::kUnlock:
      of_code_ = {};
      locks_lifted_ = true;
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace tidemark::gui
