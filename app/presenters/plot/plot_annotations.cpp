#include "app/presenters/plot/plot_annotations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/presenters/comparison/stream_comparison.h"
#include "app/presenters/moment/settings_change.h"
#include "profiler/base/format.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using events::Phase;
using timeline::Marker;
using timeline::Step;
using timeline::View;

constexpr double kPixelsPerStepLabel = 40;
constexpr double kPixelsPerPhase = 4;  // on average; narrower ones say nothing

// Joins spans until they are as wide as a column; what is joined shows the phase of its longest part.
class PhaseJoiner {
 public:
  explicit PhaseJoiner(double least_width) : least_width_(least_width) {}

  void Add(double begin, double end, Phase phase) {
    if (!(begin < end)) return;
    if (!open_) {
      open_ = PlotPhase{begin, end, phase};
      longest_ = end - begin;
    } else {
      open_->end = end;
      if (end - begin > longest_) open_->phase = phase;
      longest_ = std::max(longest_, end - begin);
    }
    if (open_->end - open_->begin < least_width_) return;
    phases_.push_back(*open_);
    open_.reset();
  }
  std::vector<PlotPhase> Take() {
    if (open_ && phases_.empty()) phases_.push_back(*open_);
    if (open_) phases_.back().end = open_->end;
    return std::move(phases_);
  }

 private:
  double least_width_;
  std::optional<PlotPhase> open_;
  double longest_ = 0;
  std::vector<PlotPhase> phases_;
};

// Steps are numbered in tens where they are many: 1, 2, 5, 10, 20, 50, …
int64_t RoundStride(double least) {
  int64_t ten = 1;
  while (static_cast<double>(ten) * 10 < least) ten *= 10;
  for (const int64_t factor : {1, 2, 5}) {
    if (static_cast<double>(ten * factor) >= least) return ten * factor;
  }
  return ten * 10;
}

// The sentence with which a run ends tells of the failure before it, which has a label of its own, where the
// run asked for nothing since: it only let go of what it had, however much that was.
bool TellsOfFailure(const View& view, const Marker& marker) {
  const auto& failures = view.out_of_memory();
  if (marker.settings >= 0 || failures.empty() || marker.index + 1 != view.end()) return false;
  const EventIndex failed = failures.back().index;
  return failed < marker.index && !AsksForMemory(view, {failed + 1, marker.index});
}

// Visits elements whose index lies under the columns, at most one per column.
template <typename List, typename Visit>
void VisitSpaced(const View& view, TimeAxis axis, const List& list, const PlotColumns& cut, Visit visit) {
  using Item = typename List::value_type;
  const auto from = [&](EventIndex index) {
    return std::lower_bound(list.begin(), list.end(), index,
                            [](const Item& item, EventIndex at) { return item.index < at; });
  };
  auto item = from(cut.first);
  while (item != list.end() && item->index < cut.end) {
    const double position = PositionOf(view, axis, item->index);
    visit(static_cast<size_t>(item - list.begin()), position);
    const EventIndex next = IndexAtPosition(view, axis, position + cut.width);
    item = from(std::max(next, item->index + 1));
  }
}

}  // namespace

std::vector<PlotPhase> PhasesOver(const View& view, TimeAxis axis, const PlotColumns& cut) {
  const auto& phases = view.phases();
  auto phase = std::upper_bound(phases.begin(), phases.end(), cut.first,
                                [](EventIndex at, const timeline::PhaseSpan& span) { return at < span.end; });
  const auto last =
      std::lower_bound(phase, phases.end(), cut.end,
                       [](const timeline::PhaseSpan& span, EventIndex at) { return span.begin < at; });
  const double pixels = (cut.columns.back().end - cut.columns.front().begin) / cut.pixel;
  if (static_cast<double>(last - phase) * kPixelsPerPhase > pixels) return {};
  PhaseJoiner joiner(cut.width);
  for (; phase != last; ++phase) {
    joiner.Add(PositionOf(view, axis, std::max(phase->begin, view.first())),
               PositionOf(view, axis, phase->end), phase->phase);
  }
  return joiner.Take();
}

std::vector<PlotStep> StepsOver(const View& view, TimeAxis axis, const PlotColumns& cut) {
  std::vector<PlotStep> labels;
  const auto& steps = view.steps();
  const auto begins_before = [](const Step& step, EventIndex at) { return step.begin < at; };
  auto step = std::lower_bound(steps.begin(), steps.end(), cut.first, begins_before);
  if (step != steps.begin() && std::prev(step)->end > cut.first) --step;
  const auto last = std::lower_bound(step, steps.end(), cut.end, begins_before);
  const double spacing = kPixelsPerStepLabel * cut.pixel;
  const double room = (cut.columns.back().end - cut.columns.front().begin) / spacing;
  const int64_t stride = RoundStride(static_cast<double>(last - step) / std::max(room, 1.0));
  while (step < last) {
    const int64_t beyond = ((step->number % stride) + stride) % stride;
    if (beyond != 0) {
      step += std::min<std::ptrdiff_t>(stride - beyond, last - step);
      continue;
    }
    const double begin = PositionOf(view, axis, step->begin);
    if (labels.empty() || begin - labels.back().begin >= spacing) {
      labels.push_back({begin, PositionOf(view, axis, std::min(step->end + 1, view.end())), step->number});
    }
    step += std::min<std::ptrdiff_t>(stride, last - step);
  }
  return labels;
}

std::vector<PlotMarker> MarkersOver(const View& view, const TimelinePlotRequest& request,
                                    const PlotColumns& cut) {
  std::vector<PlotMarker> markers;
  VisitSpaced(view, request.axis, view.markers(), cut, [&](size_t number, double position) {
    const Marker& marker = view.markers()[number];
    if (TellsOfFailure(view, marker)) return;
    const std::optional<SettingsChange> change = ChangeAt(view, marker);
    markers.push_back({position, marker.text, change ? ConsequenceOf(*change, request.unit) : ""});
  });
  return markers;
}

std::string TitleOfFailure(const timeline::OutOfMemory& failure, ByteUnit unit) {
  return ShortTitleOfFailure(failure, unit) + " (" + FormatExactBytes(failure.requested_bytes) +
         ") asked for";
}

std::string ShortTitleOfFailure(const timeline::OutOfMemory& failure, ByteUnit unit) {
  return "out of memory: " + FormatBytes(failure.requested_bytes, unit);
}

std::vector<PlotMarker> FailuresOver(const View& view, const TimelinePlotRequest& request,
                                     const PlotColumns& cut) {
  std::vector<PlotMarker> failures;
  VisitSpaced(view, request.axis, view.out_of_memory(), cut, [&](size_t number, double position) {
    const timeline::OutOfMemory& failure = view.out_of_memory()[number];
    failures.push_back(
        {position, TitleOfFailure(failure, request.unit), "", ShortTitleOfFailure(failure, request.unit)});
  });
  return failures;
}

std::vector<SettingsStretch> SettingsOver(const View& view, const PlotColumns& cut) {
  std::vector<SettingsStretch> stretches;
  SettingsStretch stretch{view.first(), view.end(), -1};
  // Where the columns begin, the step before knows, and before the first that is kept this one; then the
  // markers since.
  const auto& steps = view.steps();
  const auto& markers = view.markers();
  const auto later = timeline::FirstStepAfter(view, cut.first);
  const auto sets = [](const Marker& marker) { return marker.settings >= 0; };
  if (later != steps.begin()) {
    stretch = {std::prev(later)->begin, view.end(), std::prev(later)->settings};
  } else if (later != steps.end()) {
    const auto first_change = std::find_if(markers.begin(), markers.end(), sets);
    if (first_change == markers.end() || first_change->index > later->begin)
      stretch.settings = later->settings;
  }
  const auto close = [&](EventIndex end) {
    stretch.begin = std::max(stretch.begin, cut.first);
    stretch.end = std::min(end, cut.end);
    if (stretch.settings >= 0 && stretch.begin < stretch.end) stretches.push_back(stretch);
  };
  auto marker = std::lower_bound(markers.begin(), markers.end(), stretch.begin,
                                 [](const Marker& candidate, EventIndex at) { return candidate.index < at; });
  for (; marker != markers.end() && marker->index < cut.end; ++marker) {
    if (!sets(*marker) || marker->settings == stretch.settings) continue;
    close(marker->index);
    stretch = {marker->index, view.end(), marker->settings};
  }
  close(view.end());
  return stretches;
}

}  // namespace tidemark::presenters
