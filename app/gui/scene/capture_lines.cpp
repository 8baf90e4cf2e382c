#include "app/gui/scene/capture_lines.h"

#include <algorithm>

#include "app/presenters/moment/level_chain.h"
#include "profiler/base/format.h"

namespace tidemark::gui {
namespace {

const char* TitleOf(events::Source source) {
  switch (source) {
    case events::Source::kTrainer:
      return "Training";
    case events::Source::kAllocator:
      return "Allocator";
    case events::Source::kDriver:
      return "CUDA driver";
    case events::Source::kDevice:
      return "Card";
    default:
      return "Session";
  }
}

constexpr const char* kWhatIsLost =
    "Lost are events that the ring could not take: counted, never silent. The curves have gaps there.";

// What stands in the row of a source that lost nothing.
std::string StandingOf(const timeline::SourceState& source, bool runs) {
  using events::Standing;
  const Standing standing = source.standing();
  if (events::Tells(standing)) return !runs ? "ended" : standing == Standing::kLive ? "live" : "in part";
  if (standing == Standing::kWaiting) return runs ? "waiting" : "told nothing";
  return source.text.substr(0, source.text.find_first_of(":,("));
}

// By what it says of itself, and of one that says nothing by what has come of it: `has_come`, in words.
CaptureLine SourceLine(const timeline::View& view, const timeline::SourceState& source,
                       const std::string& has_come, const char* help, bool runs) {
  CaptureLine line{TitleOf(source.source), "", LampState::kOff, source.text.empty() ? help : source.text};
  const bool is_well = source.text.empty() ? !has_come.empty() : events::Tells(source.standing());
  if (runs && is_well) line.lamp = LampState::kLive;
  if (source.text.empty()) {
    line.status = !has_come.empty() ? has_come : runs ? "waiting" : "told nothing";
  } else {
    line.status = StandingOf(source, runs);
    line.is_written_out = !presenters::IsWell(source);
    if (line.is_written_out) line.lamp = LampState::kTrouble;
  }
  if (source.lost > 0) {
    line.status = presenters::LostSince(view, source);
    line.lamp = LampState::kLost;
    line.help += std::string(" ") + kWhatIsLost;
  }
  return line;
}

timeline::SourceState StateOf(const timeline::View& view, events::Source source) {
  const auto& told = view.sources();
  const auto found = std::ranges::find(told, source, &timeline::SourceState::source);
  if (found != told.end()) return *found;
  timeline::SourceState nothing;
  nothing.source = source;
  return nothing;
}

// The allocator and the training have a row in any case, the others once they told or lost something.
void AddSourceLines(const timeline::View& view, const presenters::Captured& captured, bool runs,
                    std::vector<CaptureLine>& lines) {
  using events::Source;
  lines.push_back(SourceLine(view, StateOf(view, Source::kAllocator),
                             captured.blocks() ? (runs ? "live" : "ended") : "",
                             "Every block and segment, from the allocator itself.", runs));
  lines.push_back(
      SourceLine(view, StateOf(view, Source::kTrainer), captured.CourseText(),
                 "What has come of the training itself: its steps, phases and layers, and scopes: "
                 "operators, backward nodes and what a program marks through NVTX.",
                 runs));
  for (const timeline::SourceState& source : view.sources()) {
    if (source.source != Source::kAllocator && source.source != Source::kTrainer)
      lines.push_back(SourceLine(view, source, "", "", runs));
  }
}

// What asked the driver for memory, where CUPTI tells.
void AddLibraryLines(const presenters::DriverLibraries& libraries, ByteUnit unit,
                     std::vector<CaptureLine>& lines) {
  constexpr size_t kMostLines = 3;
  const std::vector<presenters::LibraryMemory> largest = libraries.Largest();
  for (size_t i = 0; i < std::min(kMostLines, largest.size()); ++i) {
    const presenters::LibraryMemory& held = largest[i];
    lines.push_back({held.library, FormatBytes(held.last_bytes, unit), LampState::kOff,
                     "Held from the CUDA driver by what " + held.library +
                         " asked for, as CUPTI tells; at most " + FormatBytes(held.most_bytes, unit) + ".",
                     false, true});
  }
  if (const auto& managed = libraries.managed()) {
    lines.push_back({managed->library, FormatBytes(managed->last_bytes, unit), LampState::kOff,
                     "On the host or on the card, as its pages move, and in none of the levels; at most " +
                         FormatBytes(managed->most_bytes, unit) + ".",
                     false, true});
  }
}

}  // namespace

std::vector<CaptureLine> CaptureLines(const SceneInput& input, const presenters::Captured& captured,
                                      ByteUnit unit) {
  const bool runs = GoesOn(input);
  const bool live = runs && input.view != nullptr && !input.view->empty();
  std::vector<CaptureLine> lines;
  if (input.view != nullptr && !input.view->empty()) {
    AddSourceLines(*input.view, captured, runs, lines);
  } else {
    lines.push_back({"Allocator",
                     input.starting ? "starting"
                     : runs         ? "waiting"
                                    : "told nothing",
                     LampState::kOff, "Every block and segment, from the allocator itself."});
  }
  // Of all ranks, of which each tells its own sources.
  const uint64_t lost = std::max(input.status.lost, input.view == nullptr ? 0 : input.view->health().lost);
  lines.push_back({"Events",
                   FormatNumber(static_cast<int64_t>(input.status.captured)) + " · " +
                       FormatNumber(static_cast<int64_t>(lost)) + " lost",
                   live ? LampState::kLive : LampState::kOff,
                   std::string("Captured since the run began. ") + kWhatIsLost});
  AddLibraryLines(captured.libraries(), unit, lines);
  if (input.view != nullptr) {
    for (const std::string& sentence : timeline::DescribeHealth(*input.view)) {
      lines.push_back({"Health", "incomplete", LampState::kLost, sentence, true});
    }
  }
  if (!input.status.recording_error.empty()) {
    lines.push_back({"Recording", "stopped", LampState::kLost, input.status.recording_error, true});
  }
  return lines;
}

}  // namespace tidemark::gui
