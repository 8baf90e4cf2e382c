#include "app/presenters/plot/compared_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/presenters/comparison/same_place.h"
#include "app/presenters/moment/signed_bytes.h"
#include "profiler/base/saturating.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::Step;
using timeline::View;

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
// end. One that no event is in, as on the axis of time, has none of the other either.
EventIndex EndUnder(SamePlaces& places, const View& other, EventIndex column_begin, EventIndex column_end,
                    EventIndex begin) {
  if (column_begin == column_end) return begin;
  const std::optional<EventIndex> next = places.Of(column_end);
  if (next && *next > begin) return *next;
  const std::optional<EventIndex> last = places.Of(column_end - 1);
  if (last) return std::max(*last, begin) + 1;
  return next ? begin + 1 : other.end();
}

// What lies under a column whose events these are; nothing where the other has nothing like the first of
// them.
std::optional<Under> UnderColumn(SamePlaces& places, const View& shown, const View& other, EventIndex begin,
                                 EventIndex end) {
  // Behind the last event, where the axis of time goes on, what that left holds.
  if (begin == shown.end()) {
    const std::optional<EventIndex> last = places.Of(begin - 1);
    return last ? std::optional(Under{*last + 1, *last + 1}) : std::nullopt;
  }
  const std::optional<EventIndex> like = places.Of(begin);
  if (!like) return std::nullopt;
  return Under{*like, EndUnder(places, other, begin, end, *like)};
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
size_t StepsUnder(const View& shown, const TimelinePlot& plot) {
  if (plot.columns.empty()) return 0;
  const auto from = [&](EventIndex index) {
    return std::lower_bound(shown.steps().begin(), shown.steps().end(), index,
                            [](const Step& step, EventIndex at) { return step.begin < at; });
  };
  return static_cast<size_t>(from(plot.edges.back()) - from(plot.edges.front()));
}

}  // namespace

void AddComparedRun(const View& shown, const View& other, std::span<const SameEvent> same,
                    TimelinePlot& plot) {
  plot.compared_tells_blocks = other.tells_blocks();
  if (!other.tells_blocks()) return;
  ComparedLine line(other, plot);
  SamePlaces places(shown, other, same);
  for (size_t i = 0; i < plot.columns.size(); ++i) {
    if (const auto under = UnderColumn(places, shown, other, plot.edges[i], plot.edges[i + 1]))
      line.Add(plot.columns[i], *under);
  }
  line.Flush();
  if (!other.empty()) {
    const View::Peak peak = other.PeakIn(timeline::Series::kAllocated, other.first(), other.end());
    plot.compared_peak_bytes = ValueOf(peak.values, timeline::Series::kAllocated);
  }
  JoinNarrowSteps(StepsUnder(shown, plot), plot.compared);
}

std::string DescribeCompared(const TimelinePlot& plot, const PlotColumn& column, std::string_view other,
                             ByteUnit unit) {
  const auto level = std::ranges::find_if(plot.compared, [&](const PlotLevel& candidate) {
    return candidate.begin <= column.begin && column.begin < candidate.end;
  });
  const std::string name(other);
  if (!plot.compared_tells_blocks) return "what " + name + " allocated is not known";
  if (level == plot.compared.end()) return name + " has nothing like this";
  int64_t own = 0;
  for (const PlotColumn& beside : plot.columns) {
    if (beside.begin >= level->begin && beside.begin < level->end)
      own = std::max(own, ValueOf(beside.at_peak, timeline::Series::kAllocated));
  }
  const std::string told = name + " allocated " + FormatExactBytes(level->bytes) + " here";
  if (!column.tells_blocks()) return told + "; what this run did is not known";
  return told + ", this run " + FormatExactBytes(own) + ": " +
         SignedBytes(SaturatingDifference(level->bytes, own), unit);
}

}  // namespace tidemark::presenters
