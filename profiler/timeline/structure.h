// The parts of a stream that people speak of: steps, phases, markers, settings, out of memory, replays of
// CUDA graphs. Belongs to the builder; not thread safe. O(1) amortised per event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/timeline/names.h"
#include "profiler/timeline/sequence.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

class Structure {
 public:
  explicit Structure(const NameTable& names) : names_(names) {}

  // Every event that is not about memory. `time_ns` is the largest stamp so far, `values` those after the
  // event.
  void Apply(const events::Event& event, EventIndex index, int64_t time_ns, const SeriesValues& values,
             Health& health);
  // Every event that changed the values.
  void Observe(EventIndex index, const SeriesValues& values);
  // Every kOutOfMemory.
  void AddFailure(const OutOfMemory& failure) { failures_.push_back(failure); }
  // Every kLoss.
  void AddLoss(const events::Event& event, int64_t time_ns);
  // Lets go of what lies before `first`.
  void LetGoBefore(EventIndex first);

  events::Phase phase() const { return phase_ ? phase_->phase : events::Phase::kIdle; }

  // The number of the latest step.
  std::optional<int64_t> latest_step() const { return step_ ? std::optional(step_->number) : std::nullopt; }

  // As View has it. O(1).
  Series peak_level() const;
  std::optional<int64_t> StepUnderWay(EventIndex first) const;
  Sequence<Step> Steps(EventIndex first, EventIndex end, int64_t time_ns) const;
  Sequence<PhaseSpan> Phases(EventIndex end) const;
  Sequence<Marker> Markers() const { return markers_.Publish(); }
  Sequence<OutOfMemory> Failures() const { return failures_.Publish(); }
  Sequence<EventIndex> GraphReplays() const { return graph_replays_.Publish(); }
  Sequence<std::string> Settings() const { return settings_.Publish(); }
  std::vector<SourceState> Sources() const;

 private:
  void KeepFirstLevel(const SeriesValues& values);
  void BeginPhase(const events::Event& event, EventIndex index);
  void BeginStep(const events::Event& event, EventIndex index, int64_t time_ns, const SeriesValues& values,
                 Health& health);
  void EndStep(const events::Event& event, EventIndex index, int64_t time_ns, Health& health);
  bool JoinsFirst(const events::Event& end) const;
  void JoinSteps();
  bool BeganSecond(const events::Event& begin) const;
  void JoinEnded(int64_t number);
  bool PartsFirst(const events::Event& end) const;
  void PartSteps(int64_t number);
  void KeepMetric(const events::Event& event, EventIndex index);
  void KeepMarker(const events::Event& event, EventIndex index);
  int32_t SettingsIndex(events::NameId json);
  std::string_view Name(events::NameId id) const { return names_.Find(id, names_.limit()); }

  const NameTable& names_;
  std::optional<Step> step_;  // the latest; kept apart until the next begins, for its metrics may come late
  bool step_runs_ = false;
  bool began_before_ = false;                // the latest, before the stream: it is no step of it
  std::optional<Step> let_go_;               // the latest step that was
  bool on_peak_ = false;                     // peak_level() has not fallen since step_->peak was reached
  Series first_level_ = Series::kAllocated;  // of those of peak_level() the first that was told of
  bool tells_levels_ = false;                // that any was
  bool allocator_tells_ = false;             // or says so
  std::optional<PhaseSpan> phase_;
  int32_t settings_now_ = -1;
  std::unordered_map<std::string, int32_t> settings_by_text_;
  SequenceBuilder<Step> steps_;
  std::vector<Step> joined_;  // what the first step was told as, until it is known whether it was one
  SequenceBuilder<PhaseSpan> phases_;
  SequenceBuilder<Marker> markers_;
  SequenceBuilder<OutOfMemory> failures_;
  SequenceBuilder<EventIndex> graph_replays_;
  SequenceBuilder<std::string> settings_;
  std::array<SourceState, events::kSourceCount> sources_;
};

}  // namespace tidemark::timeline
