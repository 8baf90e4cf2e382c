// What lessons and session codes are to the window: the page that is open, what it and a code lock, what it
// sets up, and what was chosen before. It says what is to be chosen and starts nothing. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/choice_history.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/scene/learning.h"
#include "app/gui/view/view_state.h"
#include "profiler/lessons/lesson.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::gui {

class LessonDesk {
 public:
  LessonDesk() : book_(LoadLessonBook()) {}

  const LessonBook& book() const { return book_; }

  // As if it had never been looked at: nothing is typed or begun on it, and its locks hold. What was done on
  // the page before is kept.
  void Open(const std::string& lesson, int page, LessonsState& state);
  OpenPage PageOpen(const LessonsState& state) const { return PageOf(book_.lessons, state); }
  bool IsInLesson(const ViewState& view) const;  // a page is open, and its panel is shown
  // And in the lessons' layout: what is chosen there is the lesson's. Left, it is a person's own.
  bool IsLearning(const ViewState& view) const { return view.learning && IsInLesson(view); }
  // The number of the next page, once the open one is counted as read where it is worked through. After the
  // last none: the lesson is closed, and all of it counts as read.
  std::optional<int> Turn(LessonsState& state) const;
  void Close(LessonsState& state) const;  // as All lessons does

  // Of a code, until another comes or all are lifted.
  void UseLocks(std::vector<std::string> locked, std::vector<std::string> hidden);
  void LiftLocks();  // also those of the page that is open
  const ControlAccess& of_code() const { return of_code_; }
  // Locks of the code and, where it is in sight, of the page that is open; and what that points at.
  ControlAccess Access(const ViewState& view) const;
  bool IsLocked(std::string_view control, const ViewState& view) const;
  // `wanted`, with what is locked as it is now.
  Choices Allowed(const Choices& now, Choices wanted, const ViewState& view) const;
  // The same of what is undone or redone: what a page sets up is taken back whatever is locked.
  Choices AllowedBack(const Choices& now, Choices wanted, const ViewState& view) const;
  // A page that is no longer in sight has set up other than the code locks.
  bool IsPastCode(const Choices& now, const ViewState& view) const;

  // What a page is about: with PyTorch's own allocator, as its figures are, and on the phantom where no
  // machine is to bear it. A CPU that was chosen in a lesson is that lesson's alone: the next is about a
  // card. What was chosen before the first page is remembered, to come back to.
  Choices SetUp(const lessons::Setup& setup, const Choices& now);
  // The device that the page's run was taken from, onto the phantom; the next page is there again.
  const std::optional<networks::DeviceChoice>& taken_from() const { return taken_from_; }
  // By a person: what was chosen before the lessons is given up by what is chosen outside of them.
  void TakeChoice(const ViewState& view);
  void TakeDevice(const ViewState& view);  // the same, and pages stay where it is
  const std::optional<Choices>& own() const { return own_; }
  void ForgetOwn();
  bool HasChanged(const Choices& now) const { return own_ && !StartAlike(now, *own_); }
  // What coming back would change, in words; "" where there is nothing to come back to, or while learning.
  std::string ChangeToOwn(const Choices& now, const ViewState& view,
                          const std::vector<phantom::Card>& cards) const;

 private:
  networks::DeviceChoice DeviceFor(const lessons::Setup& setup, networks::DeviceChoice device);

  LessonBook book_;
  ControlAccess of_code_;
  bool is_opened_here_ = false;    // a page; what a window before has left open sets nothing up in this one
  bool are_locks_lifted_ = false;  // those of the page that is open
  bool is_entered_ = false;        // a lesson, of which nothing has been set up yet
  std::optional<Choices> own_;     // before the lessons
  std::optional<networks::DeviceChoice> taken_from_;
};

}  // namespace tidemark::gui
