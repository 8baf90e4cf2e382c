// Steps and the optimizer's phase, as annotations tell them: torch.profiler marks a step by "ProfilerStep#7",
// each optimizer what it does by "Optimizer.step#Adam.step". Without a profiler's steps, a step ends with
// each Optimizer.step(). Annotations may go back further than a history whose oldest events are gone: steps
// that it does not hold from their beginning are counted, not written. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/trace/importers/event_writer.h"

namespace tidemark::trace {

class AnnotatedSteps {
 public:
  explicit AnnotatedSteps(EventWriter& writer) : writer_(writer) {}

  // Whether an annotation is about a step or an optimizer.
  static bool IsTheirs(std::string_view name);
  // All names that are to come, before the first Write.
  void Expect(std::string_view name);
  // Of an annotation that is older than the first event; writes nothing.
  void Pass(std::string_view name, bool begins);
  // Before the first event; `at`: when, and who tells it. `misses_events`: something came before it.
  void Start(const events::Event& at, bool misses_events = false);
  // False if the annotation is about something else, and nothing was written.
  bool Write(std::string_view name, bool begins, const events::Event& at);

  // Of a history that misses events: how many steps ended before it. Nothing where all were written.
  std::optional<int64_t> missed_steps() const { return missed_steps_; }

 private:
  // Of the annotations that were passed.
  struct Passed {
    int64_t steps = 0;                 // that ended
    std::optional<int64_t> open_step;  // of the profiler
    bool optimizes = false;            // an optimizer is at it
  };
  void WritePhase(bool optimizes, const events::Event& at);
  void Structure(events::EventKind kind, int64_t number, const events::Event& at);

  EventWriter& writer_;
  bool told_steps_ = false;
  bool optimizes_ = false;
  bool in_step_ = false;  // one whose beginning was written
  int64_t steps_ = 0;     // ends of Optimizer.step()
  std::optional<int64_t> missed_steps_;
  Passed passed_;
};

}  // namespace tidemark::trace
