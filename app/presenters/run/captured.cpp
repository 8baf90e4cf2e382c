#include "app/presenters/run/captured.h"

#include <algorithm>

namespace tidemark::presenters {

using events::EventKind;

void Captured::Take(const timeline::View& view, timeline::EventIndex most) {
  const timeline::EventIndex begin = std::max(taken_, view.first());
  taken_ = begin + std::min(most, view.end() - std::min(begin, view.end()));
  for (timeline::EventIndex i = begin; i < taken_; ++i) {
    const events::Event event = view.event(i);
    Take(event);
    libraries_.Take(view, event);
  }
}

void Captured::Take(const events::Event& event) {
  switch (event.kind) {
    case EventKind::kAllocate:
    case EventKind::kSegmentAllocate:
    case EventKind::kSegmentMap:
      blocks_ = true;
      break;
    case EventKind::kStepBegin:
      steps_ = true;
      break;
    case EventKind::kPhase:
      phases_ = phases_ || event.phase != events::Phase::kIdle;  // in which every run begins
      break;
    case EventKind::kScopeBegin:
      (event.op == 0 ? layers_ : scopes_) = true;
      break;
    default:
      break;
  }
}

std::string Captured::CourseText() const {
  std::string text;
  const auto add = [&text](bool has_come, const char* what) {
    if (has_come) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(steps_, "steps");
  add(phases_, "phases");
  add(layers_, "layers");
  add(scopes_, "scopes");
  return text;
}

}  // namespace tidemark::presenters
