#include "app/presenters/comparison/side_by_side.h"

#include <utility>

#include "app/presenters/comparison/same_place.h"
#include "app/presenters/comparison/stretches.h"
#include "app/presenters/moment/moment_title.h"

namespace tidemark::presenters {
namespace {

constexpr bool kByRequested = false;

EventRange RangeOf(const timeline::Step& step) { return {step.begin, step.end}; }

// The two sides at a moment each, one after the other, since each takes its time. False where it was ended.
using MakeMoment = std::function<Moment()>;
bool AddStates(const MakeMoment& a, const MakeMoment& b, const Progress& progress, SideBySide& result) {
  const auto goes_on = [&](double share) { return !progress || progress(share); };
  if (!goes_on(0.1)) return false;
  const Moment in_a = a();
  if (!goes_on(0.4)) return false;
  const Moment in_b = b();
  if (!goes_on(0.7)) return false;
  result.states = CompareStates(in_a, in_b, kByRequested);
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
    const bool is_wanted = AddStates([&] { return PeakMomentIn(shown, all_a); },
                                     [&] { return PeakMomentIn(other, all_b); }, progress, result);
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

std::optional<SideBySide> CompareChange(const timeline::View& view, const SettingsChange& change,
                                        ByteUnit unit, const Progress& progress) {
  SideBySide result;
  result.title_a = "before";
  result.title_b = "after";
  result.of_one_run = true;
  result.moment = "at the peaks of steps " + FormatNumber(change.before.number) + " and " +
                  FormatNumber(change.after.number);
  result.headline = change.text + ": " + ConsequenceOf(change, unit);
  result.levels = CompareLevels(view, {RangeOf(change.before)}, view, {RangeOf(change.after)});
  const bool is_wanted = AddStates([&] { return MomentAt(view, change.before.peak); },
                                   [&] { return MomentAt(view, change.after.peak); }, progress, result);
  return is_wanted ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace tidemark::presenters
