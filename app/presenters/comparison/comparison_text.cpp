#include "app/presenters/comparison/comparison_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/presenters/moment/moment_title.h"
#include "app/presenters/moment/untold_blocks.h"
#include "profiler/base/format.h"
#include "profiler/events/stack.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;

constexpr size_t kMostFrames = 4;  // of a stack

std::string Count(uint64_t number) { return FormatNumber(static_cast<int64_t>(number)); }

// A name; of a stack as much as a row bears.
std::string InnerFrames(std::string_view name) {
  const std::vector<std::string_view> frames = events::FramesOf(name);
  const size_t told = std::min(frames.size(), kMostFrames);
  std::string text =
      fmt::format("{}", fmt::join(frames.begin(), frames.begin() + told, events::kFrameSeparator));
  return frames.size() > told ? text + std::string(events::kFrameSeparator) + "…" : text;
}

std::string StepsText(const StreamsCompared& streams, std::string_view a, std::string_view b) {
  std::string text = Count(streams.steps_in_both) + " in both";
  if (streams.steps_only_a > 0) text += fmt::format(", {} only in {}", Count(streams.steps_only_a), a);
  if (streams.steps_only_b > 0) text += fmt::format(", {} only in {}", Count(streams.steps_only_b), b);
  return text;
}

// "Of A only what came since it began anew. "
std::string PartText(const StreamsCompared& streams, std::string_view a, std::string_view b) {
  if (!streams.begun_anew_a && !streams.begun_anew_b) return "";
  const bool is_both = streams.begun_anew_a && streams.begun_anew_b;
  return fmt::format("Of {} only what came since {} began anew. ",
                     is_both ? "both" : (streams.begun_anew_a ? a : b), is_both ? "each" : "it");
}

}  // namespace

std::string AlignmentText(const StreamsCompared& streams, std::string_view a, std::string_view b) {
  const std::string part = PartText(streams, a, b);
  if (!streams.by_step && !streams.by_phase) return part + "Aligned allocation by allocation.";
  if (!streams.by_step) return part + "Aligned by phase.";
  const char* const how = streams.by_phase ? "Aligned by step and phase: " : "Aligned by step: ";
  return part + how + StepsText(streams, a, b) + ".";
}

std::string AgreementText(const StreamComparison& stream, std::string_view a, std::string_view b) {
  return fmt::format("{} agree in order, of {} in {} and {} in {}; {} {}", Count(stream.agreed),
                     Count(stream.of_a), a, Count(stream.of_b), b, Count(stream.differences.size()),
                     stream.differences.size() == 1 ? "difference" : "differences");
}

std::string PlaceText(const timeline::View& view, EventIndex index) {
  std::string place = "event " + Count(index);
  const std::string step = StepTitle(view, index);
  if (!step.empty()) place += ", " + step;
  const events::Phase phase = view.event(index).phase;
  if (phase != events::Phase::kIdle) place += fmt::format(", {}", events::NameOf(phase));
  return place;
}

std::string SideText(const timeline::View& view, EventIndex index, uint64_t only) {
  if (index >= view.end()) return "has ended";
  if (only == 0) return "goes on without it at " + PlaceText(view, index);
  const events::Event& event = view.event(index);
  std::string text = fmt::format("{}: {}", PlaceText(view, index), FormatExactBytes(event.bytes));
  if (event.kind == events::EventKind::kAllocate && event.rounded_bytes != event.bytes)
    text += fmt::format(" in a block of {}", FormatExactBytes(event.rounded_bytes));
  for (const events::NameId name : {event.layer, event.op}) {
    if (!view.name(name).empty()) text += ", " + InnerFrames(view.name(name));
  }
  if (only > 1) text += fmt::format(", and {} more", Count(only - 1));
  return text;
}

std::string WhyNotCompared(const timeline::View& view_a, std::string_view a, const timeline::View& view_b,
                           std::string_view b) {
  const std::string of_a = WhyUntold(view_a);
  const std::string of_b = WhyUntold(view_b);
  if (of_a == of_b) return of_a.empty() ? "" : fmt::format("Of both: {}", of_a);
  return of_a.empty()   ? fmt::format("Of {}: {}", b, of_b)
         : of_b.empty() ? fmt::format("Of {}: {}", a, of_a)
                        : fmt::format("Of {}: {} Of {}: {}", a, of_a, b, of_b);
}

StreamsSummary SummaryOf(const StreamsCompared& streams, const timeline::View& view_a, std::string_view a,
                         const timeline::View& view_b, std::string_view b) {
  StreamsSummary summary;
  summary.sentence = PartText(streams, a, b);
  if (streams.by_step) summary.sentence += "Steps: " + StepsText(streams, a, b) + ". ";
  if (!streams.blocks_known) {
    summary.sentence += WhyNotCompared(view_a, a, view_b, b);
    return summary;
  }
  const bool is_of_segments = streams.allocations.differences.empty();
  const StreamComparison& stream = is_of_segments ? streams.segments : streams.allocations;
  if (stream.differences.empty()) {
    summary.sentence += Count(streams.allocations.agreed) + " allocations, the same in both, in order.";
    return summary;
  }
  const char* const what = is_of_segments ? "New segments: " : "Allocations: ";
  summary.sentence += what + AgreementText(stream, a, b) + ".";
  const StreamDifference& first = stream.differences.front();
  summary.first_difference = fmt::format("{}: {}\n{}: {}", a, SideText(view_a, first.a, first.only_a), b,
                                         SideText(view_b, first.b, first.only_b));
  if (first.a < view_a.end()) summary.first_in_a = first.a;
  return summary;
}

std::vector<std::string> NotesOfOne(std::string_view name, const std::vector<std::string>& notes,
                                    const std::vector<std::string>& notes_of_other) {
  std::vector<std::string> told;
  for (const std::string& note : notes) {
    if (std::ranges::count(notes_of_other, note) == 0)
      told.push_back(fmt::format("Note on {}: {}", name, note));
  }
  return told;
}

}  // namespace tidemark::presenters
