#include "profiler/trace/importers/annotated_steps.h"

#include <charconv>

#include "profiler/events/torch_ranges.h"

namespace tidemark::trace {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";

int64_t NumberOf(std::string_view profiler_step) {
  int64_t number = 0;
  std::from_chars(profiler_step.data() + kProfilerStep.size(), profiler_step.data() + profiler_step.size(),
                  number);
  return number;
}

}  // namespace

bool AnnotatedSteps::IsTheirs(std::string_view name) {
  return name.starts_with(kProfilerStep) || name.starts_with(events::kOptimizerRangePrefix);
}

void AnnotatedSteps::Expect(std::string_view name) {
  told_steps_ = told_steps_ || name.starts_with(kProfilerStep);
  optimizes_ = optimizes_ || name.starts_with(events::kOptimizerRangePrefix);
}

void AnnotatedSteps::Pass(std::string_view name, bool begins) {
  if (name.starts_with(kProfilerStep)) {
    passed_.open_step = begins ? std::optional(NumberOf(name)) : std::nullopt;
    if (!begins) ++passed_.steps;
  } else if (name.starts_with(events::kOptimizerRangePrefix)) {
    passed_.optimizes = begins;
    if (!begins) ++steps_;
    if (!begins && !told_steps_) ++passed_.steps;
  }
}

// A step allocates: where one ended before the first event, or its optimizer began, events of it are gone,
// and with them the beginning of the one that is under way.
void AnnotatedSteps::Start(const events::Event& at, bool misses_events) {
  using events::EventKind;
  const bool is_cut = misses_events && (passed_.steps > 0 || passed_.optimizes);
  if (is_cut) {
    missed_steps_ = passed_.steps;
  } else if (told_steps_) {
    if (passed_.open_step) Structure(EventKind::kStepBegin, *passed_.open_step, at);
  } else if (optimizes_) {
    Structure(EventKind::kStepBegin, steps_, at);
  }
  if (passed_.optimizes) WritePhase(true, at);
}

bool AnnotatedSteps::Write(std::string_view name, bool begins, const events::Event& at) {
  using events::EventKind;
  if (name.starts_with(kProfilerStep)) {
    if (begins || in_step_)
      Structure(begins ? EventKind::kStepBegin : EventKind::kStepEnd, NumberOf(name), at);
    return true;
  }
  if (!name.starts_with(events::kOptimizerRangePrefix)) return false;
  WritePhase(begins, at);
  if (begins || told_steps_) return true;
  if (in_step_) Structure(EventKind::kStepEnd, steps_, at);
  Structure(EventKind::kStepBegin, ++steps_, at);
  return true;
}

void AnnotatedSteps::WritePhase(bool optimizes, const events::Event& at) {
  events::Event phase = at;
  phase.kind = events::EventKind::kPhase;
  phase.phase = optimizes ? events::Phase::kOptimizer : events::Phase::kIdle;
  writer_.Add(phase);
}

void AnnotatedSteps::Structure(events::EventKind kind, int64_t number, const events::Event& at) {
  events::Event event = at;
  event.kind = kind;
  event.bytes = number;
  in_step_ = kind == events::EventKind::kStepBegin;
  writer_.Add(event);
}

}  // namespace tidemark::trace
