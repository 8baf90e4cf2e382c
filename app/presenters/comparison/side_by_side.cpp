#include "app/presenters/comparison/side_by_side.h"

#include <algorithm>
#include <utility>

#include "app/presenters/comparison/compared_peaks.h"
#include "app/presenters/comparison/same_place.h"
#include "app/presenters/comparison/stretches.h"
#include "app/presenters/moment/moment_title.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;

constexpr bool kByRequested = false;

EventRange RangeOf(const timeline::Step& step) { return {step.begin, step.end}; }

// With what NVML told behind it, ten times a second, before another step or other settings began.
EventRange RangeWithSamples(const timeline::View& view, const timeline::Step& step) {
  constexpr events::EventIndex kMostEvents = 4096;
  EventRange range = RangeOf(step);
  const events::EventIndex end = std::min(view.end(), step.end + kMostEvents);
  for (events::EventIndex index = step.end; index < end; ++index) {
    const events::Event& event = view.event(index);
    if (event.kind == events::EventKind::kStepBegin || event.kind == events::EventKind::kMarker) break;
    if (event.kind == events::EventKind::kCounter) range.end = index + 1;
  }
  return range;
}

// Of two steps. What the allocator has is told as it happens, the process and the card from time to time.
std::vector<ComparedBytes> LevelsOf(const timeline::View& view, const timeline::Step& a,
                                    const timeline::Step& b) {
  std::vector<ComparedBytes> levels = CompareLevels(view, {RangeOf(a)}, view, {RangeOf(b)});
  const std::vector<ComparedBytes> sampled =
      CompareLevels(view, {RangeWithSamples(view, a)}, view, {RangeWithSamples(view, b)});
  for (ComparedBytes& level : levels) {
    if (level.level != timeline::Series::kProcess && level.level != timeline::Series::kCard) continue;
    const auto found = std::ranges::find(sampled, level.level, &ComparedBytes::level);
    if (found != sampled.end()) level = *found;
  }
  return levels;
}

// Of a step the event that lies as far in the same phase of another; none where that has no such.
std::optional<EventIndex> PlaceInStep(const timeline::View& view, const timeline::Step& step,
                                      EventIndex index, const timeline::Step& other) {
  std::optional<EventIndex> place;
  const bool by_phase = TellsPhases(view);
  const auto both = [&](const Stretch& here, const Stretch& there) {
    const bool is_in_it = index >= here.begin && index < here.end;
    if (is_in_it && index - here.begin < there.end - there.begin) place = there.begin + (index - here.begin);
  };
  PairStretches(PhaseStretches(view, {step.begin, step.end, 0}, by_phase),
                PhaseStretches(view, {other.begin, other.end, 0}, by_phase), both,
                [](const Stretch&, const Stretch&) {});
  return place;
}

ComparedPeaks PeaksOfSteps(const timeline::View& view, const timeline::Step& a, const timeline::Step& b) {
  return PeaksToCompare(view, a.peak, view, b.peak, PlaceInStep(view, b, b.peak, a),
                        PlaceInStep(view, a, a.peak, b));
}

// The two sides at a moment each, one after the other, since each takes its time. False where it was ended.
using MakeMoment = std::function<Moment()>;
bool AddStates(const MakeMoment& a, const MakeMoment& b, const Progress& progress, SideBySide& result) {
  const auto goes_on = [&](double share) { return !progress || progress(share); };
  const auto moments = std::make_shared<TwoMoments>();
  if (!goes_on(0.1)) return false;
  moments->a = a();
  if (!goes_on(0.4)) return false;
  moments->b = b();
  if (!goes_on(0.7)) return false;
  result.states = CompareStates(moments->a, moments->b, kByRequested);
  result.moments = moments;
  return true;
}

}  // namespace

std::optional<SideBySide> CompareRunsAt(const timeline::View& shown, const timeline::View& other,
                                        const std::string& other_title,
                                        std::optional<events::EventIndex> moment,
                                        std::span<const SameEvent> same_events, const Progress& progress) {
  SideBySide result;
  result.title_a = "this run";
  result.title_b = other_title;
  const ComparedPart of_a = ComparedPartOf(shown);
  const ComparedPart of_b = ComparedPartOf(other);
  const std::vector<EventRange> all_a{{of_a.begin, shown.end()}};
  const std::vector<EventRange> all_b{{of_b.begin, other.end()}};
  if (!moment) {
    result.moment = "at each one's peak";
    if (!of_a.is_whole() || !of_b.is_whole()) result.moment += " since it began anew";
    result.levels = CompareLevels(shown, all_a, other, all_b);
    const std::optional<ComparedPeaks> peaks = PeaksOfRuns(shown, all_a, other, all_b, same_events);
    const bool is_wanted = AddStates(
        [&] { return peaks ? MomentAt(shown, peaks->a) : PeakMomentIn(shown, all_a); },
        [&] { return peaks ? MomentAt(other, peaks->b) : PeakMomentIn(other, all_b); }, progress, result);
    return is_wanted ? std::optional(std::move(result)) : std::nullopt;
  }
  const std::optional<events::EventIndex> same = SamePlace(shown, *moment, other, same_events);
  if (!same) return std::nullopt;
  result.moment = MomentTitle(shown, *moment);
  result.levels = CompareLevels(shown, {{*moment, *moment + 1}}, other, {{*same, *same + 1}});
  const bool is_wanted = AddStates([&] { return MomentAt(shown, *moment); },
                                   [&] { return MomentAt(other, *same); }, progress, result);
  return is_wanted ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<SideBySide> CompareMoments(const timeline::View& view, EventIndex a, EventIndex b,
                                         const Progress& progress) {
  SideBySide result;
  const auto event = [](EventIndex index) { return FormatNumber(static_cast<int64_t>(index)); };
  result.title_a = StepTitle(view, a);
  result.title_b = StepTitle(view, b);
  if (result.title_a == result.title_b) {
    result.title_a = "event " + event(a);
    result.title_b = "event " + event(b);
  }
  result.of_one_run = true;
  result.moment = "at events " + event(a) + " and " + event(b);
  result.levels = CompareLevels(view, {{a, a + 1}}, view, {{b, b + 1}});
  const bool is_wanted =
      AddStates([&] { return MomentAt(view, a); }, [&] { return MomentAt(view, b); }, progress, result);
  return is_wanted ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<SideBySide> CompareSteps(const timeline::View& view, const timeline::Step& a,
                                       const timeline::Step& b, const Progress& progress) {
  SideBySide result;
  result.title_a = "step " + FormatNumber(a.number);
  result.title_b = "step " + FormatNumber(b.number);
  result.of_one_run = true;
  result.moment = "at the peaks of steps " + FormatNumber(a.number) + " and " + FormatNumber(b.number);
  result.levels = LevelsOf(view, a, b);
  const ComparedPeaks peaks = PeaksOfSteps(view, a, b);
  const bool is_wanted = AddStates([&] { return MomentAt(view, peaks.a); },
                                   [&] { return MomentAt(view, peaks.b); }, progress, result);
  return is_wanted ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<SideBySide> CompareChange(const timeline::View& view, const SettingsChange& change,
                                        ByteUnit unit, const Progress& progress) {
  std::optional<SideBySide> result = CompareSteps(view, change.before, change.after, progress);
  if (!result) return result;
  result->title_a = "before";
  result->title_b = "after";
  result->headline = change.text + ": " + ConsequenceOf(change, unit);
  return result;
}

}  // namespace tidemark::presenters
