#include "app/presenters/compared_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/presenters/signed_bytes.h"
#include "app/presenters/step_numbers.h"
#include "app/presenters/stretches.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::Step;
using timeline::View;

// A step with what follows until the next, or what comes before the first.
struct StepSpan {
  EventIndex begin = 0;
  EventIndex end = 0;
  bool grows = false;  // it has not ended yet, or never will: how much of it is over is not known
};

StepSpan BeforeSteps(const View& view) { return {view.first(), view.steps().front().begin, false}; }

StepSpan SpanOfStep(const View& view, size_t position) {
  const auto& steps = view.steps();
  const EventIndex end = position + 1 < steps.size() ? steps[position + 1].begin : view.end();
  return {steps[position].begin, end, !steps[position].complete};
}

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

// The same between allocations that agree; behind the last event by event.
std::optional<EventIndex> SameBeside(const View& shown, EventIndex index, const View& other,
                                     std::span<const SameEvent> same) {
  const auto next = std::ranges::upper_bound(same, index, {}, &SameEvent::a);
  const SameEvent from = next == same.begin() ? SameEvent{shown.first(), other.first()} : *std::prev(next);
  const bool is_tail = next == same.end();
  const SameEvent to = is_tail ? SameEvent{shown.end(), other.end()} : *next;
  return SameIn({from.a, to.a, 0}, index, {from.b, to.b, 0}, is_tail);
}

// The events of the other that a column stands for.
struct Under {
  EventIndex begin = 0;
  EventIndex end = 0;
};

// Where steps lie in another run, and the phases within them; those of one step are kept, for columns ascend.
class Places {
 public:
  Places(const View& shown, const View& other, std::span<const SameEvent> same)
      : shown_(shown),
        other_(other),
        same_(same),
        other_steps_(other.steps().size(), [&other](size_t place) { return other.steps()[place].number; }),
        by_phase_(TellsPhases(shown) && TellsPhases(other)) {}

  std::optional<EventIndex> Of(EventIndex index) {
    if (shown_.empty() || other_.empty() || index >= shown_.end()) return std::nullopt;
    if (shown_.steps().empty() || other_.steps().empty()) return SameBeside(shown_, index, other_, same_);
    const auto after = timeline::FirstStepAfter(shown_, index);
    const auto step = static_cast<size_t>(after - shown_.steps().begin());
    if (step_ != step) Pair(step);
    return !by_phase_ && in_other_ && AgreesIn(in_shown_) ? SameBeside(shown_, index, other_, same_)
                                                          : InStep(index);
  }

 private:
  struct Paired {
    Stretch shown;
    Stretch other;  // empty: the other lacks it, and here is where it would be
  };

  bool AgreesIn(const StepSpan& span) const {
    const auto first = std::ranges::lower_bound(same_, span.begin, {}, &SameEvent::a);
    return first != same_.end() && first->a < span.end;
  }

  // `step` counts from 1; 0 is what comes before the first.
  void Pair(size_t step) {
    step_ = step;
    pairs_.clear();
    in_other_.reset();
    in_shown_ = step == 0 ? BeforeSteps(shown_) : SpanOfStep(shown_, step - 1);
    if (step == 0) {
      in_other_ = BeforeSteps(other_);
    } else if (const auto same = other_steps_.PlaceOf(step - 1, shown_.steps()[step - 1].number)) {
      in_other_ = SpanOfStep(other_, *same);
    }
    if (!in_other_ || in_other_->begin >= in_other_->end) return;
    const auto add = [this](const Stretch& shown, const Stretch& other) { pairs_.push_back({shown, other}); };
    PairStretches(PhaseStretches(shown_, {in_shown_.begin, in_shown_.end, 0}, by_phase_),
                  PhaseStretches(other_, {in_other_->begin, in_other_->end, 0}, by_phase_), add, add);
  }

  std::optional<EventIndex> InStep(EventIndex index) const {
    const auto holds = [index](const Paired& pair) { return index < pair.shown.end; };
    const auto pair = std::ranges::find_if(pairs_, holds);
    if (pair == pairs_.end()) return std::nullopt;
    const bool grows = (in_shown_.grows && pair->shown.end == in_shown_.end) ||
                       (in_other_->grows && pair->other.end == in_other_->end);
    if (pair->other.begin < pair->other.end) return SameIn(pair->shown, index, pair->other, grows);
    if (grows && in_other_->grows) return std::nullopt;  // it has not come so far
    return std::min(pair->other.begin, in_other_->end - 1);
  }

  const View& shown_;
  const View& other_;
  std::span<const SameEvent> same_;
  StepNumbers other_steps_;
  bool by_phase_;
  std::optional<size_t> step_;
  StepSpan in_shown_;
  std::optional<StepSpan> in_other_;  // none: the other lacks it
  std::vector<Paired> pairs_;         // ascend in both
};

class ComparedLine {
 public:
  ComparedLine(const View& other, TimelinePlot& plot) : other_(other), plot_(plot) {}

  void Add(const PlotColumn& column, Under under) {
    if (!columns_.empty() && edges_.back() != under.begin) Flush();
    if (columns_.empty()) edges_ = {under.begin};
    edges_.push_back(under.end);
    columns_.push_back(&column);
  }
  void Flush() {
    std::vector<View::Column> answers(columns_.size());
    if (!columns_.empty()) other_.Columns(edges_, timeline::kAllCategories, answers);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const int64_t bytes = ValueOf(answers[i].peak.values, timeline::Series::kAllocated);
      plot_.compared.push_back({columns_[i]->begin, columns_[i]->end, bytes});
      plot_.highest_bytes = std::max(plot_.highest_bytes, bytes);
    }
    columns_.clear();
    edges_.clear();
  }

 private:
  const View& other_;
  TimelinePlot& plot_;
  std::vector<EventIndex> edges_;  // of columns that lie beside each other in both runs
  std::vector<const PlotColumn*> columns_;
};

// Where the events end that lie under a column: where the next one begins; under the last of the run, and
// where a restart leads back, behind the last event that has its like; where the other lacks the step, at its
// end.
EventIndex EndUnder(Places& places, EventIndex column_end, const View& other, EventIndex begin) {
  const std::optional<EventIndex> next = places.Of(column_end);
  if (next && *next > begin) return *next;
  const std::optional<EventIndex> last = places.Of(column_end - 1);
  if (last) return std::max(*last, begin) + 1;
  return next ? begin + 1 : other.end();
}

// Where steps are narrow a line that follows each of them covers everything: there it tells the highest of
// two steps' width.
void JoinNarrowSteps(size_t steps, std::vector<PlotLevel>& levels) {
  constexpr size_t kNarrow = 12;  // columns
  if (steps == 0 || levels.size() / steps >= kNarrow) return;
  const size_t together = (2 * levels.size() + steps - 1) / steps;
  std::vector<PlotLevel> joined;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (i % together == 0 || joined.back().end != levels[i].begin) {
      joined.push_back(levels[i]);
      continue;
    }
    joined.back().end = levels[i].end;
    joined.back().bytes = std::max(joined.back().bytes, levels[i].bytes);
  }
  levels = std::move(joined);
}

// How many steps begin in sight.
size_t StepsUnder(const View& shown, TimeAxis axis, const TimelinePlot& plot) {
  if (plot.columns.empty()) return 0;
  const auto from = [&](double position) {
    return std::lower_bound(shown.steps().begin(), shown.steps().end(),
                            IndexAtPosition(shown, axis, position),
                            [](const Step& step, EventIndex at) { return step.begin < at; });
  };
  return static_cast<size_t>(from(plot.columns.back().end) - from(plot.columns.front().begin));
}

}  // namespace

bool AlignByAllocations(const View& shown, const View& other) {
  return shown.steps().empty() || other.steps().empty() || !TellsPhases(shown) || !TellsPhases(other);
}

std::optional<EventIndex> SamePlace(const View& shown, EventIndex index, const View& other,
                                    std::span<const SameEvent> same) {
  return Places(shown, other, same).Of(index);
}

void AddComparedRun(const View& shown, TimeAxis axis, const View& other, std::span<const SameEvent> same,
                    TimelinePlot& plot) {
  ComparedLine line(other, plot);
  Places places(shown, other, same);
  for (const PlotColumn& column : plot.columns) {
    const std::optional<EventIndex> begin = places.Of(IndexAtPosition(shown, axis, column.begin));
    if (!begin) continue;
    line.Add(column, {*begin, EndUnder(places, IndexAtPosition(shown, axis, column.end), other, *begin)});
  }
  line.Flush();
  JoinNarrowSteps(StepsUnder(shown, axis, plot), plot.compared);
}

std::string DescribeCompared(const TimelinePlot& plot, const PlotColumn& column, std::string_view other,
                             ByteUnit unit) {
  const auto level = std::ranges::find_if(plot.compared, [&](const PlotLevel& candidate) {
    return candidate.begin <= column.begin && column.begin < candidate.end;
  });
  const std::string name(other);
  if (level == plot.compared.end()) return name + " has nothing like this";
  int64_t own = 0;
  for (const PlotColumn& beside : plot.columns) {
    if (beside.begin >= level->begin && beside.begin < level->end)
      own = std::max(own, ValueOf(beside.at_peak, timeline::Series::kAllocated));
  }
  return name + " allocated " + FormatExactBytes(level->bytes) + " here, this run " + FormatExactBytes(own) +
         ": " + SignedBytes(SaturatingDifference(level->bytes, own), unit);
}

}  // namespace tidemark::presenters
