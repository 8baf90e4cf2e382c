// Steps and the optimizer's phase, as annotations tell them: torch.profiler marks a step by "ProfilerStep#7",
// each optimizer what it does by "Optimizer.step#Adam.step". Without a profiler's steps, a step ends with
// each Optimizer.step(). Not thread safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/trace/importers/event_writer.h"

namespace tidemark::trace {

class AnnotatedSteps {
 public:
  explicit AnnotatedSteps(EventWriter& writer) : writer_(writer) {}

  // All names that are to come, before the first Write.
  void Expect(std::string_view name);
  // Before the first event; `at`: when, and who tells it.
  void Start(const events::Event& at);
  // False if the annotation is about something else, and nothing was written.
  bool Write(std::string_view name, bool begins, const events::Event& at);

 private:
  void Structure(events::EventKind kind, int64_t number, const events::Event& at);

  EventWriter& writer_;
  bool told_steps_ = false;
  bool optimizes_ = false;
  int64_t steps_ = 0;
};

}  // namespace tidemark::trace
