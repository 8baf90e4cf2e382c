#include "profiler/trace/importers/annotated_steps.h"

#include <charconv>

namespace tidemark::trace {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";

}  // namespace

void AnnotatedSteps::Expect(std::string_view name) {
  told_steps_ = told_steps_ || name.starts_with(kProfilerStep);
  optimizes_ = optimizes_ || name.starts_with(kOptimizerStep);
}

void AnnotatedSteps::Start(const events::Event& at) {
  if (optimizes_ && !told_steps_) Structure(events::EventKind::kStepBegin, 0, at);
}

bool AnnotatedSteps::Write(std::string_view name, bool begins, const events::Event& at) {
  using events::EventKind;
  if (name.starts_with(kProfilerStep)) {
    int64_t number = 0;
    std::from_chars(name.data() + kProfilerStep.size(), name.data() + name.size(), number);
    Structure(begins ? EventKind::kStepBegin : EventKind::kStepEnd, number, at);
    return true;
  }
  if (!name.starts_with(kOptimizerStep)) return false;
  events::Event phase = at;
  phase.kind = EventKind::kPhase;
  phase.phase = begins ? events::Phase::kOptimizer : events::Phase::kIdle;
  writer_.Add(phase);
  if (begins || told_steps_) return true;
  Structure(EventKind::kStepEnd, steps_++, at);
  Structure(EventKind::kStepBegin, steps_, at);
  return true;
}

void AnnotatedSteps::Structure(events::EventKind kind, int64_t number, const events::Event& at) {
  events::Event event = at;
  event.kind = kind;
  event.bytes = number;
  writer_.Add(event);
}

}  // namespace tidemark::trace
