#include "app/presenters/side_by_side.h"

#include "app/presenters/compared_run.h"
#include "app/presenters/moment_title.h"

namespace tidemark::presenters {
namespace {

constexpr bool kByRequested = false;

EventRange RangeOf(const timeline::Step& step) { return {step.begin, step.end}; }

}  // namespace

std::optional<SideBySide> CompareRunsAt(const timeline::View& shown, const timeline::View& other,
                                        const std::string& other_title,
                                        std::optional<events::EventIndex> moment) {
  SideBySide result;
  result.title_a = "this run";
  result.title_b = other_title;
  const EventRange all_a{shown.first(), shown.end()};
  const EventRange all_b{other.first(), other.end()};
  if (!moment) {
    result.moment = "at each one's peak";
    result.levels = CompareLevels(shown, all_a, other, all_b);
    result.states = CompareStates(PeakMomentIn(shown, all_a), PeakMomentIn(other, all_b), kByRequested);
    return result;
  }
  const std::optional<events::EventIndex> same = SamePlace(shown, *moment, other);
  if (!same) return std::nullopt;
  result.moment = MomentTitle(shown, *moment);
  result.levels = CompareLevels(shown, {*moment, *moment + 1}, other, {*same, *same + 1});
  result.states = CompareStates(MomentAt(shown, *moment), MomentAt(other, *same), kByRequested);
  return result;
}

SideBySide CompareChange(const timeline::View& view, const SettingsChange& change, ByteUnit unit) {
  SideBySide result;
  result.title_a = "before";
  result.title_b = "after";
  result.of_one_run = true;
  result.moment = "at the peaks of steps " + FormatNumber(change.before.number) + " and " +
                  FormatNumber(change.after.number);
  result.headline = change.text + ": " + ConsequenceOf(change, unit);
  result.levels = CompareLevels(view, RangeOf(change.before), view, RangeOf(change.after));
  result.states =
      CompareStates(MomentAt(view, change.before.peak), MomentAt(view, change.after.peak), kByRequested);
  return result;
}

}  // namespace tidemark::presenters
