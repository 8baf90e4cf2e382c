#include "app/presenters/compared_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

// The step of that number: the one at the same position where that has it, for a run that was restarted
// counts from 0 again.
std::optional<size_t> PositionOfNumber(const View& view, size_t position, int64_t number) {
  const auto& steps = view.steps();
  if (position < steps.size() && steps[position].number == number) return position;
  const auto found = std::lower_bound(steps.begin(), steps.end(), number,
                                      [](const Step& step, int64_t wanted) { return step.number < wanted; });
  if (found == steps.end() || found->number != number) return std::nullopt;
  return static_cast<size_t>(found - steps.begin());
}

std::optional<EventIndex> SameIn(const StepSpan& shown, EventIndex index, const StepSpan& other) {
  if (other.begin >= other.end) return std::nullopt;
  const EventIndex since = index - std::min(index, shown.begin);
  if (shown.grows || other.grows) {
    if (since >= other.end - other.begin) return std::nullopt;
    return other.begin + since;
  }
  const double share = static_cast<double>(since) / static_cast<double>(shown.end - shown.begin);
  const auto passed = static_cast<EventIndex>(share * static_cast<double>(other.end - other.begin));
  return std::min(other.begin + passed, other.end - 1);
}

// The events of the other that a column stands for.
struct Under {
  EventIndex begin = 0;
  EventIndex end = 0;
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
EventIndex EndUnder(const View& shown, EventIndex column_end, const View& other, EventIndex begin) {
  const std::optional<EventIndex> next = SamePlace(shown, column_end, other);
  if (next && *next > begin) return *next;
  const std::optional<EventIndex> last = SamePlace(shown, column_end - 1, other);
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

std::optional<EventIndex> SamePlace(const View& shown, EventIndex index, const View& other) {
  if (shown.empty() || other.empty() || index >= shown.end()) return std::nullopt;
  const auto& steps = shown.steps();
  if (steps.empty() || other.steps().empty())
    return SameIn({shown.first(), shown.end(), true}, index, {other.first(), other.end(), true});
  const auto after = timeline::FirstStepAfter(shown, index);
  if (after == steps.begin()) return SameIn(BeforeSteps(shown), index, BeforeSteps(other));
  const auto position = static_cast<size_t>(after - steps.begin()) - 1;
  const std::optional<size_t> same = PositionOfNumber(other, position, steps[position].number);
  if (!same) return std::nullopt;
  return SameIn(SpanOfStep(shown, position), index, SpanOfStep(other, *same));
}

void AddComparedRun(const View& shown, TimeAxis axis, const View& other, TimelinePlot& plot) {
  ComparedLine line(other, plot);
  for (const PlotColumn& column : plot.columns) {
    const std::optional<EventIndex> begin =
        SamePlace(shown, IndexAtPosition(shown, axis, column.begin), other);
    if (!begin) continue;
    line.Add(column, {*begin, EndUnder(shown, IndexAtPosition(shown, axis, column.end), other, *begin)});
  }
  line.Flush();
  JoinNarrowSteps(StepsUnder(shown, axis, plot), plot.compared);
}

}  // namespace tidemark::presenters
