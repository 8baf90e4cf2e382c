#include "app/gui/lesson_desk.h"

#include <algorithm>
#include <utility>

#include "app/gui/view/panel_table.h"
#include "profiler/lessons/situation.h"

namespace tidemark::gui {
namespace {

using networks::DeviceKind;

void Append(const std::vector<std::string>& names, std::vector<std::string>* to) {
  to->insert(to->end(), names.begin(), names.end());
}

// `wanted`, with what is locked as it is held.
Choices WithLocked(const Choices& held, Choices wanted, const std::vector<std::string>& locked) {
  wanted.settings = lessons::KeepLocked(held.settings, wanted.settings, locked);
  if (std::ranges::count(locked, "card") > 0) wanted.device = held.device;
  if (std::ranges::count(locked, "kernels") > 0) wanted.kernels = held.kernels;
  return wanted;
}

}  // namespace

bool LessonDesk::IsInLesson(const ViewState& view) const {
  return PageOpen(view.lessons).page != nullptr && view.shown[IndexOfPanel("lessons")];
}

void LessonDesk::Open(const std::string& lesson, int page, LessonsState& state) {
  LeavePage(book_.lessons, state);
  is_entered_ = state.lesson != lesson;
  state.lesson = lesson;
  state.page = page;
  state.typed = 0;
  state.just_opened = true;
  state.begun.clear();
  state.drawing = {};
  is_opened_here_ = true;
  are_locks_lifted_ = false;
}

std::optional<int> LessonDesk::Turn(LessonsState& state) const {
  const OpenPage open = PageOpen(state);
  if (open.page == nullptr) return std::nullopt;
  const auto page = static_cast<size_t>(open.number());
  const size_t pages = open.lesson->pages.size();
  if (IsWorkedThrough(book_.lessons, state)) state.done.insert(PageKey(open.lesson->name, page));
  if (page + 1 < pages) return static_cast<int>(page + 1);
  for (size_t i = 0; i < pages; ++i) state.done.insert(PageKey(open.lesson->name, i));
  state.lesson.clear();
  return std::nullopt;
}

void LessonDesk::Close(LessonsState& state) const {
  LeavePage(book_.lessons, state);
  state.lesson.clear();
}

void LessonDesk::UseLocks(std::vector<std::string> locked, std::vector<std::string> hidden) {
  of_code_ = {std::move(locked), std::move(hidden), {}};
}

void LessonDesk::LiftLocks() {
  of_code_ = {};
  are_locks_lifted_ = true;
}

ControlAccess LessonDesk::Access(const ViewState& view) const {
  ControlAccess access = of_code_;
  if (!IsInLesson(view) || !is_opened_here_ || are_locks_lifted_) return access;
  const OpenPage open = PageOpen(view.lessons);
  Append(open.page->setup.lock, &access.locked);
  access.highlighted = open.page->setup.highlight;
  return access;
}

bool LessonDesk::IsLocked(std::string_view control, const ViewState& view) const {
  return std::ranges::count(Access(view).locked, control) > 0;
}

Choices LessonDesk::Allowed(const Choices& now, Choices wanted, const ViewState& view) const {
  return WithLocked(now, std::move(wanted), Access(view).locked);
}

Choices LessonDesk::AllowedBack(const Choices& now, Choices wanted, const ViewState& view) const {
  return own_ && IsLearning(view) ? wanted : Allowed(now, std::move(wanted), view);
}

bool LessonDesk::IsPastCode(const Choices& now, const ViewState& view) const {
  return own_ && !IsLearning(view) && !StartAlike(WithLocked(now, *own_, of_code_.locked), *own_);
}

Choices LessonDesk::SetUp(const lessons::Setup& setup, const Choices& now) {
  if (!own_) {
    own_ = now;
    own_->second = {};
  }
  Choices choices = now;
  choices.settings = setup.situation.settings;
  choices.device = DeviceFor(setup, now.device);
  choices.allocator.clear();
  return choices;
}

networks::DeviceChoice LessonDesk::DeviceFor(const lessons::Setup& setup, networks::DeviceChoice device) {
  const bool is_entered = std::exchange(is_entered_, false);
  if (is_entered && device.kind == DeviceKind::kCpu) device = own_->device;
  const bool is_for_phantom = !setup.phantom_because.empty();
  if (is_for_phantom && device.kind != DeviceKind::kPhantom) {
    taken_from_ = std::exchange(device, {DeviceKind::kPhantom, 0, setup.situation.card});
  } else if (!is_for_phantom && taken_from_) {
    device = *std::exchange(taken_from_, std::nullopt);
  }
  if (device.kind == DeviceKind::kPhantom) device.card = setup.situation.card;
  return device;
}

void LessonDesk::TakeChoice(const ViewState& view) {
  if (!IsLearning(view)) own_.reset();
}

void LessonDesk::TakeDevice(const ViewState& view) {
  TakeChoice(view);
  taken_from_.reset();
}

void LessonDesk::ForgetOwn() {
  own_.reset();
  taken_from_.reset();
}

std::string LessonDesk::ChangeToOwn(const Choices& now, const ViewState& view,
                                    const std::vector<phantom::Card>& cards) const {
  return !own_ || IsLearning(view) ? "" : DescribeChange(now, *own_, cards);
}

}  // namespace tidemark::gui
