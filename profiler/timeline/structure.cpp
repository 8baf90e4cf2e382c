#include "profiler/timeline/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "profiler/base/format.h"
#include "profiler/events/joined_steps.h"

namespace tidemark::timeline {

using events::Event;
using events::EventKind;

namespace {

constexpr std::array kPeakLevels = {Series::kAllocated, Series::kReserved, Series::kDriver, Series::kProcess,
                                    Series::kCard};

// Ends as the earlier one does. The peak is that of `level`.
void Join(Step& joined, const Step& step, Series level) {
  joined.reserved_peak = std::max(joined.reserved_peak, step.reserved_peak);
  joined.requested_peak = std::max(joined.requested_peak, step.requested_peak);
  if (ValueOf(step.at_peak, level) < ValueOf(joined.at_peak, level)) return;
  joined.peak = step.peak;
  joined.at_peak = step.at_peak;
}

}  // namespace

void Structure::Apply(const Event& event, EventIndex index, int64_t time_ns, const SeriesValues& values,
                      Health& health) {
  switch (event.kind) {
    case EventKind::kPhase:
      return BeginPhase(event, index);
    case EventKind::kStepBegin:
      return BeginStep(event, index, time_ns, values, health);
    case EventKind::kStepEnd:
      return EndStep(event, index, time_ns, health);
    case EventKind::kMetric:
      return KeepMetric(event, index);
    case EventKind::kMarker:
      return KeepMarker(event, index);
    case EventKind::kScopeBegin:
      if (events::IsGraphReplay(Name(event.op))) graph_replays_.push_back(index);
      return;
    default:
      return;
  }
}

void Structure::BeginPhase(const Event& event, EventIndex index) {
  if (phase_) {
    phase_->end = index;
    phases_.push_back(*phase_);
  }
  phase_ = PhaseSpan{event.phase, index, index};
}

void Structure::BeginStep(const Event& event, EventIndex index, int64_t time_ns, const SeriesValues& values,
                          Health& health) {
  if (step_runs_ && BeganSecond(event)) return JoinEnded(event.bytes);
  if (step_runs_) {
    ++health.unmatched_steps;
    step_->end = index;
    step_->end_ns = time_ns;
  }
  if (step_ && !began_before_) steps_.push_back(*step_);
  began_before_ = event.source == events::Source::kSession;
  step_runs_ = true;
  step_ = Step{};
  step_->number = event.bytes;
  step_->begin = index;
  step_->begin_ns = time_ns;
  step_->peak = index;
  step_->at_peak = values;
  on_peak_ = true;
  step_->reserved_peak = ValueOf(values, Series::kReserved);
  step_->requested_peak = ValueOf(values, Series::kRequested);
  step_->settings = settings_now_;
}

void Structure::EndStep(const Event& event, EventIndex index, int64_t time_ns, Health& health) {
  if (step_runs_ && JoinsFirst(event)) JoinSteps();
  if (step_runs_ && PartsFirst(event)) PartSteps(event.bytes);
  if (!step_runs_ || step_->number != event.bytes) {
    ++health.unmatched_steps;
    return;
  }
  step_runs_ = false;
  step_->end = index;
  step_->end_ns = time_ns;
  step_->complete = true;
}

// Whoever tells steps of a program that is not ours learns late that its first ones were one (event.h).
bool Structure::JoinsFirst(const Event& end) const {
  const auto steps = steps_.Publish();
  return !steps.empty() && steps.size() < events::kMostJoinedSteps && steps.front().number == end.bytes &&
         std::ranges::all_of(steps, &Step::complete) && step_->number > steps.back().number;
}

// All of them into the latest, which goes on.
void Structure::JoinSteps() {
  const Sequence<Step> steps = steps_.Publish();
  steps_ = SequenceBuilder<Step>();
  Step joined = steps.front();
  for (const Step& step : steps) Join(joined, step, peak_level());
  Join(joined, *step_, peak_level());
  joined_.assign(steps.begin(), steps.end());
  joined_.push_back(*step_);
  *step_ = joined;
}

// And that it learned wrongly (joined_steps.h).
bool Structure::PartsFirst(const Event& end) const {
  const auto steps = steps_.Publish();
  return !joined_.empty() && steps.size() == 1 && steps.front().begin == joined_.front().begin &&
         step_->number == joined_.front().number + 1 && end.bytes == joined_.back().number + 1;
}

void Structure::PartSteps(int64_t number) {
  const Step first = steps_.Publish().front();
  joined_.back().end = first.end;
  joined_.back().end_ns = first.end_ns;
  joined_.back().complete = true;
  steps_ = SequenceBuilder<Step>();
  for (const Step& step : joined_) steps_.push_back(step);
  joined_.clear();
  step_->number = number;
}

// And that even so the second optimizer was not another training's (joined_steps.h).
bool Structure::BeganSecond(const Event& begin) const {
  const auto steps = steps_.Publish();
  return steps.size() > 1 && steps.size() <= events::kMostJoinedSteps &&
         begin.bytes == steps.front().number + 1 && std::ranges::all_of(steps, &Step::complete) &&
         step_->number > steps.back().number;
}

void Structure::JoinEnded(int64_t number) {
  const Sequence<Step> steps = steps_.Publish();
  steps_ = SequenceBuilder<Step>();
  Step first = steps.front();
  for (const Step& step : steps) Join(first, step, peak_level());
  first.end = steps.back().end;
  first.end_ns = steps.back().end_ns;
  steps_.push_back(first);
  joined_.clear();
  step_->number = number;
}

void Structure::Observe(EventIndex index, const SeriesValues& values) {
  const Series level_before = peak_level();
  KeepFirstLevel(values);
  if (!step_runs_) return;
  step_->reserved_peak = std::max(step_->reserved_peak, ValueOf(values, Series::kReserved));
  step_->requested_peak = std::max(step_->requested_peak, ValueOf(values, Series::kRequested));
  // What is made last at a peak, such as a library's workspace, is categorised after it was counted.
  const Series level = peak_level();
  const int64_t bytes = ValueOf(values, level);
  const int64_t peak = ValueOf(step_->at_peak, level);
  on_peak_ = level != level_before || bytes > peak || (bytes == peak && on_peak_);
  if (!on_peak_) return;
  step_->peak = index;
  step_->at_peak = values;
}

void Structure::KeepFirstLevel(const SeriesValues& values) {
  for (const Series level : kPeakLevels) {
    if (tells_levels_ && level == first_level_) return;
    if (ValueOf(values, level) <= 0) continue;
    first_level_ = level;
    tells_levels_ = true;
    return;
  }
}

Series Structure::peak_level() const {
  return allocator_tells_ && !IsOfBlocks(first_level_) ? Series::kAllocated : first_level_;
}

void Structure::KeepMetric(const Event& event, EventIndex index) {
  if (!step_ || step_->number != event.bytes) return;
  const std::string_view name = Name(event.name);
  if (name == "loss") step_->loss = events::MetricOf(event);
  if (name == "loss scale") step_->loss_scale = events::MetricOf(event);
  if (name == "vanished gradients") step_->vanished_gradients = events::MetricOf(event);
  if (name != "skipped" || events::MetricOf(event) == 0) return;
  step_->skipped = true;
  std::string text = "step " + FormatNumber(step_->number) + " skipped: its gradients overflowed";
  if (step_->loss_scale) text += fmt::format("; loss scale now {:g}", *step_->loss_scale);
  markers_.push_back({index, std::move(text), -1, true});
}

void Structure::KeepMarker(const Event& event, EventIndex index) {
  if (event.source == events::Source::kAllocator || event.source == events::Source::kDriver ||
      event.source == events::Source::kDevice) {
    SourceState& state = sources_[static_cast<size_t>(event.source)];
    state.text = Name(event.name);
    state.told_ns = event.time_ns;
    if (event.source == events::Source::kAllocator) allocator_tells_ = events::Tells(state.standing());
    return;
  }
  const int32_t settings = SettingsIndex(event.op);
  if (settings >= 0) settings_now_ = settings;
  markers_.push_back({index, std::string(Name(event.name)), settings});
}

int32_t Structure::SettingsIndex(events::NameId json) {
  std::string text(Name(json));
  if (text.empty()) return -1;
  const auto next = static_cast<int32_t>(settings_by_text_.size());
  const auto [found, is_new] = settings_by_text_.try_emplace(std::move(text), next);
  if (is_new) settings_.push_back(found->first);
  return found->second;
}

void Structure::AddLoss(const Event& event, int64_t time_ns) {
  SourceState& state = sources_[static_cast<size_t>(event.source)];
  if (state.lost == 0) state.lost_since_ns = time_ns;
  const auto lost = static_cast<uint64_t>(std::max<int64_t>(event.bytes, 0));
  state.lost += std::min(lost, std::numeric_limits<uint64_t>::max() - state.lost);
}

std::vector<SourceState> Structure::Sources() const {
  std::vector<SourceState> told;
  for (size_t source = 0; source < sources_.size(); ++source) {
    const SourceState& state = sources_[source];
    if (state.text.empty() && state.lost == 0) continue;
    told.push_back(state);
    told.back().source = static_cast<events::Source>(source);
  }
  return told;
}

void Structure::LetGoBefore(EventIndex first) {
  steps_.LetGoWhile([this, first](const Step& step) {
    const bool goes = step.begin < first;
    if (goes) let_go_ = step;
    return goes;
  });
  phases_.LetGoWhile([first](const PhaseSpan& phase) { return phase.end <= first; });
  markers_.LetGoWhile([first](const Marker& marker) { return marker.index < first; });
  failures_.LetGoWhile([first](const OutOfMemory& failure) { return failure.index < first; });
  graph_replays_.LetGoWhile([first](EventIndex replay) { return replay < first; });
}

std::optional<int64_t> Structure::StepUnderWay(EventIndex first) const {
  if (step_ && step_->begin < first && step_runs_) return step_->number;
  const Sequence<Step> steps = steps_.Publish();
  const bool is_kept = !steps.empty() && steps.front().begin < first;  // until more is let go
  const std::optional<Step> latest = step_ && step_->begin < first ? step_
                                     : is_kept                     ? steps.front()
                                                                   : let_go_;
  return latest && latest->complete && latest->end >= first ? std::optional(latest->number) : std::nullopt;
}

Sequence<Step> Structure::Steps(EventIndex first, EventIndex end, int64_t time_ns) const {
  if (!step_ || began_before_ || step_->begin < first) return steps_.Publish();
  Step last = *step_;
  if (step_runs_) {
    last.end = end;
    last.end_ns = time_ns;
  }
  return steps_.Publish(last);
}

Sequence<PhaseSpan> Structure::Phases(EventIndex end) const {
  if (!phase_) return phases_.Publish();
  return phases_.Publish(PhaseSpan{phase_->phase, phase_->begin, end});
}

}  // namespace tidemark::timeline
