// Where a person looks: back and forward, bookmarks, going to a moment.
#include <imgui.h>

#include <algorithm>
#include <cstdio>

#include "app/gui/application.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {

void Application::LookBack(bool forward) {
  const ViewMoment now = MomentOf(state_);
  const std::optional<ViewMoment> moment = forward ? history_.Forward(now) : history_.Back(now);
  if (moment) GoTo(*moment, &state_);
}

void Application::Show(const GoToMoment& wanted) {
  if (wanted.selection.any()) state_.selection = wanted.selection;
  if (!wanted.moment || input_.view == nullptr || input_.view->empty()) return;
  state_.pinned = wanted.moment;
  TimelineState& timeline = state_.timeline;
  const double position = presenters::PositionOf(*input_.view, timeline.axis, *wanted.moment);
  if (wanted.with_surroundings) return ShowSurroundings(*wanted.moment);
  const presenters::VisibleRange visible = timeline.visible;
  if (!timeline.whole) timeline.follow = false;
  if (timeline.whole || (position >= visible.begin && position < visible.end)) return;
  const double half = (visible.end - visible.begin) / 2;
  timeline.visible = {position - half, position + half};
}

// The step that it lies in; between steps, events before and after.
void Application::ShowSurroundings(timeline::EventIndex moment) {
  constexpr timeline::EventIndex kAround = 200;
  const timeline::View& view = *input_.view;
  if (const timeline::Step* step = timeline::StepAt(view, moment)) return ShowEvents(step->begin, step->end);
  ShowEvents(std::max(view.first() + kAround, moment) - kAround, std::min(moment + kAround, view.end() - 1));
}

void Application::ShowEvents(timeline::EventIndex begin, timeline::EventIndex end) {
  TimelineState& timeline = state_.timeline;
  timeline.follow = timeline.whole = false;
  timeline.visible = {presenters::PositionOf(*input_.view, timeline.axis, begin),
                      presenters::PositionOf(*input_.view, timeline.axis, std::max(end, begin + 1))};
}

// At the moment that the memory map shows.
void Application::AskForBookmark() {
  if (frame_ == nullptr || frame_->memory_map.state == nullptr) return;
  BookmarkState& asked = shell_.bookmark;
  asked = {};
  asked.open = true;
  asked.of = shown_.process();
  asked.time_ns = frame_->memory_map.state->time_ns;
  asked.moment = frame_->memory_map.moment;
  for (const trace::Bookmark& bookmark : shown_.bookmarks()) {
    if (bookmark.time_ns == asked.time_ns)
      std::snprintf(asked.text.data(), asked.text.size(), "%s", bookmark.text.c_str());
  }
}

void Application::Keep(const KeepBookmark& wanted) {
  if (const Status kept = shown_.Note(wanted.of, {wanted.time_ns, wanted.text}); !kept)
    TellNotWritten(kept.error().message);
}

void Application::TellOfNotes(const Status& read) {
  if (!read) AddLogLine(presenters::LogLevel::kWarning, read.error().message);
}

}  // namespace tidemark::gui
