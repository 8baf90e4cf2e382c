#include "profiler/session/kept_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "profiler/base/format.h"
#include "profiler/timeline/steps.h"

namespace tidemark::session {
namespace {

using events::EventKind;
using timeline::EventIndex;
using timeline::Series;
using timeline::Step;
using timeline::View;

constexpr std::string_view kPartNote = "Only a part of the run is in it: ";

bool IsTold(const View& view, EventIndex index, EventKind kind, int64_t number) {
  const events::Event event = view.event(index);
  return event.kind == kind && event.bytes == number;
}

// Whether its own events tell it so, and not later ones (events/joined_steps.h).
bool IsAsItWasTold(const View& view, const Step& step) {
  return IsTold(view, step.begin, EventKind::kStepBegin, step.number) &&
         (!step.complete || IsTold(view, step.end, EventKind::kStepEnd, step.number));
}

// Where a part with this one of the view's steps, and all after it, begins: what tells them otherwise than
// they were told before has to be in it, and that is among the run's first.
EventIndex BeginningWith(const View& view, size_t step) {
  const auto& steps = view.steps();
  const auto as_told = [&view](const Step& one) {
    return one.number > kStepsUntilSettled || IsAsItWasTold(view, one);
  };
  const bool all = std::all_of(steps.begin() + static_cast<std::ptrdiff_t>(step), steps.end(), as_told);
  return all ? steps[step].begin : steps.front().begin;
}

// Of a view that begins anywhere: its first step, unless that comes late.
EventIndex BeginningOfSome(const View& view) {
  const bool cuts_step = view.step_under_way().has_value();
  if (!cuts_step || view.steps().empty()) return view.first();
  const EventIndex begin = view.steps().front().begin;
  return begin - view.first() > (view.end() - view.first()) / 2 ? view.first() : begin;
}

std::string InWords(int64_t first, int64_t last) {
  if (first == last) return fmt::format("step {}", FormatNumber(first));
  return fmt::format("steps {} to {}", FormatNumber(first), FormatNumber(last));
}

// The complete ones of a part.
struct StepNumbers {
  int64_t first = 0;
  int64_t last = 0;

  int64_t count() const { return last - first + 1; }
};
std::optional<StepNumbers> StepsIn(const View& view, const trace::Part& part) {
  std::optional<StepNumbers> numbers;
  for (const Step& step : view.steps()) {
    if (step.begin < part.begin || step.end >= part.end || !step.complete) continue;
    if (!numbers) numbers.emplace().first = step.number;
    numbers->last = step.number;
  }
  return numbers;
}

std::string InWords(const timeline::Highest& highest, std::string_view what) {
  return fmt::format(
      "{} {}{}", FormatBytes(highest.bytes, ByteUnit::kMebibytes), what,
      highest.step ? fmt::format(" in step {}", FormatNumber(*highest.step)) : " before the first step");
}

// What the part would hide.
std::string LargerElsewhere(const View& view, const trace::Part& part) {
  std::string before;
  const auto add = [&](const timeline::Highest& highest, Series series, std::string_view what) {
    const int64_t kept = ValueOf(view.PeakIn(series, part.begin, part.end).values, series);
    if (highest.bytes > kept) before += (before.empty() ? "" : " and ") + InWords(highest, what);
  };
  add(view.highest_allocated(), Series::kAllocated, "allocated");
  add(view.highest_reserved(), Series::kReserved, "reserved");
  return before.empty() ? "" : fmt::format(" More was held at other times: {}.", before);
}

std::string LastInWords(const View& view, const trace::Part& part, const LastOfRun& asked) {
  const std::optional<StepNumbers> steps = StepsIn(view, part);
  const std::string let_go = FormatNumber(static_cast<int64_t>(part.begin));
  if (!steps) return fmt::format("what came after its first {} events, which were let go.", let_go);
  const std::string fewer =
      steps->count() < asked.steps ? " More steps had no room in the recorder's memory." : "";
  return fmt::format("{} of {}, and what followed. The {} events before were let go.{}",
                     InWords(steps->first, steps->last), FormatNumber(steps->last + 1), let_go, fewer);
}

std::string StepsInWords(const View& view, const trace::Part& part, const StepsOfRun& asked) {
  const std::optional<StepNumbers> steps = StepsIn(view, part);
  if (!steps) return fmt::format("the beginning of step {}, in which it ended.", FormatNumber(asked.first));
  const std::string early = steps->last < asked.last ? " It ended before the others." : "";
  return InWords(steps->first, steps->last) + "." + early;
}

}  // namespace

size_t BudgetEventsFor(const KeptPart& kept) {
  constexpr int64_t kLeastBytesPerEvent = 8;  // in the timeline, of nearly any run
  const auto* const last = std::get_if<LastOfRun>(&kept);
  const int64_t events = last == nullptr ? 0 : last->bytes / kLeastBytesPerEvent;
  return std::max(timeline::kDefaultBudgetEvents, static_cast<size_t>(events));
}

trace::Part LastPartOf(const View& view, const LastOfRun& last) {
  const auto complete = static_cast<int64_t>(timeline::StepsUntilLastComplete(view));
  const int64_t let_go = view.first() == 0 ? 0 : 1;  // at the least; with no step before them all is kept
  if (last.steps > 0 && complete + let_go > last.steps)
    return {BeginningWith(view, static_cast<size_t>(complete - last.steps)), view.end()};
  return {view.first() == 0 ? 0 : BeginningOfSome(view), view.end()};
}

std::optional<trace::Part> StepsPartOf(const View& view, const StepsOfRun& asked) {
  const auto& steps = view.steps();
  const auto first = std::ranges::find_if(
      steps, [&](const Step& step) { return step.number >= asked.first && step.number <= asked.last; });
  if (first == steps.end()) return {};
  trace::Part part{BeginningWith(view, static_cast<size_t>(first - steps.begin())), view.end()};
  const auto next =
      std::find_if(first, steps.end(), [&](const Step& step) { return step.number > asked.last; });
  if (next != steps.end()) part.end = next->begin;
  const Step& last = *(next - 1);
  if (last.number == asked.last && last.complete) part.end = last.end + 1;
  return part;
}

std::shared_ptr<const View> ViewOf(const View& view, const trace::Part& part) {
  constexpr size_t kPrologueToo = 2;  // nothing of what a view had room for is let go here
  timeline::Builder builder(kPrologueToo *
                            std::max<size_t>(part.end - part.begin, timeline::kDefaultBudgetEvents));
  (void)trace::TellPart(view, part, [&builder](std::span<const events::Event> events) {
    builder.Append(events);
    return Status(Done{});
  });
  return builder.Publish();
}

std::string NoteOfPart(const View& view, const trace::Part& part, const KeptPart& asked) {
  const auto* const last = std::get_if<LastOfRun>(&asked);
  const auto* const steps = std::get_if<StepsOfRun>(&asked);
  if ((last == nullptr || part.begin == 0) && steps == nullptr) return "";
  const std::string words =
      last != nullptr ? LastInWords(view, part, *last) : StepsInWords(view, part, *steps);
  return std::string(kPartNote) + words + LargerElsewhere(view, part);
}

bool HoldsPart(const std::vector<std::string>& notes) {
  return std::ranges::any_of(notes, [](const std::string& note) { return note.starts_with(kPartNote); });
}

std::string WhyNoStepOf(const StepsOfRun& asked, int64_t steps_done) {
  if (steps_done == 0) {
    return fmt::format("It came to no step, so {} could not be recorded, and no file was written.",
                       InWords(asked.first, asked.last));
  }
  return fmt::format(
      "It ended after step {}, so {} could not be recorded, and no file was written. Its steps are numbered "
      "from 0.",
      FormatNumber(steps_done - 1), InWords(asked.first, asked.last));
}

}  // namespace tidemark::session
