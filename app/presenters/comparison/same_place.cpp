#include "app/presenters/comparison/same_place.h"

#include <algorithm>
#include <iterator>

#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::View;

// How far `index` is into a stretch, in the other. Where one of the two grows it is counted in events. The
// other may be empty: then it has no such place.
std::optional<EventIndex> SameIn(const Stretch& shown, EventIndex index, const Stretch& other, bool grows) {
  const EventIndex since = index - std::min(index, shown.begin);
  const EventIndex length = other.end - other.begin;
  if (length == 0) return std::nullopt;
  if (grows) return since < length ? std::optional(other.begin + since) : std::nullopt;
  __extension__ using Wide = unsigned __int128;  // a product of two lengths
  const auto passed = static_cast<EventIndex>(Wide{since} * length / (shown.end - shown.begin));
  return other.begin + std::min(passed, length - 1);
}

}  // namespace

SamePlaces::StepSpan SamePlaces::BeforeSteps(const View& view, const ComparedPart& part) {
  return {part.begin, view.steps()[part.first_step].begin, false};
}

SamePlaces::StepSpan SamePlaces::SpanOfStep(const View& view, size_t position) {
  const auto& steps = view.steps();
  const EventIndex end = position + 1 < steps.size() ? steps[position + 1].begin : view.end();
  return {steps[position].begin, end, !steps[position].complete};
}

SamePlaces::SamePlaces(const View& shown, const View& other, std::span<const SameEvent> same)
    : shown_(shown),
      other_(other),
      same_(same),
      part_of_shown_(ComparedPartOf(shown)),
      part_of_other_(ComparedPartOf(other)),
      other_steps_(other.steps().size() - part_of_other_.first_step,
                   [&other, first = part_of_other_.first_step](size_t place) {
                     return other.steps()[first + place].number;
                   }),
      by_phase_(TellsPhases(shown) && TellsPhases(other)) {}

std::optional<EventIndex> SamePlaces::Of(EventIndex index) {
  if (shown_.empty() || other_.empty() || index >= shown_.end()) return std::nullopt;
  if (!part_of_shown_.is_whole() && index < part_of_shown_.begin) return std::nullopt;
  if (shown_.steps().empty() || other_.steps().empty()) return Beside(index);
  const auto after = static_cast<size_t>(timeline::FirstStepAfter(shown_, index) - shown_.steps().begin());
  const size_t step = after - std::min(after, part_of_shown_.first_step);
  if (step_ != step) Pair(step);
  return !by_phase_ && in_other_ && AgreesIn(in_shown_) ? Beside(index) : InStep(index);
}

// The same between allocations that agree; behind the last event by event.
std::optional<EventIndex> SamePlaces::Beside(EventIndex index) const {
  const auto next = std::ranges::upper_bound(same_, index, {}, &SameEvent::a);
  const SameEvent from =
      next == same_.begin() ? SameEvent{part_of_shown_.begin, part_of_other_.begin} : *std::prev(next);
  const bool is_tail = next == same_.end();
  const SameEvent to = is_tail ? SameEvent{shown_.end(), other_.end()} : *next;
  return SameIn({from.a, to.a, 0}, index, {from.b, to.b, 0}, is_tail);
}

bool SamePlaces::AgreesIn(const StepSpan& span) const {
  const auto first = std::ranges::lower_bound(same_, span.begin, {}, &SameEvent::a);
  return first != same_.end() && first->a < span.end;
}

void SamePlaces::Pair(size_t step) {
  step_ = step;
  pairs_.clear();
  in_other_.reset();
  if (step == 0) {
    in_shown_ = BeforeSteps(shown_, part_of_shown_);
    in_other_ = BeforeSteps(other_, part_of_other_);
  } else {
    const size_t place = part_of_shown_.first_step + step - 1;
    in_shown_ = SpanOfStep(shown_, place);
    if (const auto same = other_steps_.PlaceOf(step - 1, shown_.steps()[place].number))
      in_other_ = SpanOfStep(other_, part_of_other_.first_step + *same);
  }
  if (!in_other_ || in_other_->begin >= in_other_->end) return;
  const auto add = [this](const Stretch& shown, const Stretch& other) { pairs_.push_back({shown, other}); };
  PairStretches(PhaseStretches(shown_, {in_shown_.begin, in_shown_.end, 0}, by_phase_),
                PhaseStretches(other_, {in_other_->begin, in_other_->end, 0}, by_phase_), add, add);
}

std::optional<EventIndex> SamePlaces::InStep(EventIndex index) const {
  const auto holds = [index](const Paired& pair) { return index < pair.shown.end; };
  const auto pair = std::ranges::find_if(pairs_, holds);
  if (pair == pairs_.end()) return std::nullopt;
  const bool grows = (in_shown_.grows && pair->shown.end == in_shown_.end) ||
                     (in_other_->grows && pair->other.end == in_other_->end);
  if (pair->other.begin < pair->other.end) return SameIn(pair->shown, index, pair->other, grows);
  if (grows && in_other_->grows) return std::nullopt;  // it has not come so far
  return std::min(pair->other.begin, in_other_->end - 1);
}

bool AlignByAllocations(const View& shown, const View& other) {
  return shown.steps().empty() || other.steps().empty() || !TellsPhases(shown) || !TellsPhases(other);
}

std::optional<EventIndex> SamePlace(const View& shown, EventIndex index, const View& other,
                                    std::span<const SameEvent> same) {
  return SamePlaces(shown, other, same).Of(index);
}

}  // namespace tidemark::presenters
