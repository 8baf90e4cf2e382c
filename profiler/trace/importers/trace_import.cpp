#include "profiler/trace/importers/trace_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/trace/importers/trace_history.h"

namespace tidemark::trace {
namespace {

std::string InWords(uint64_t number) { return FormatNumber(static_cast<int64_t>(number)); }

// The cards' memory where a trace has any; how many records of the CPU's were left out.
uint64_t LeaveCpuOut(std::vector<TraceInstant>& instants) {
  const auto is_of = [](bool cpu) {
    return [cpu](const TraceInstant& told) {
      return told.is_of_memory() && (told.device_type == kCpuDeviceType) == cpu;
    };
  };
  if (std::none_of(instants.begin(), instants.end(), is_of(false))) return 0;
  return std::erase_if(instants, is_of(true));
}

std::string DevicesIn(const std::vector<TraceInstant>& instants) {
  std::array<bool, 256> used{};
  for (const TraceInstant& told : instants) {
    if (told.is_of_memory() && told.device_type != kCpuDeviceType) used[told.device] = true;
  }
  std::string names;
  for (size_t device = 0; device < used.size(); ++device) {
    if (used[device]) names += fmt::format("{}cuda:{}", names.empty() ? "" : ", ", device);
  }
  return names.empty() ? "cpu" : names;
}

std::string SentencesOf(const TraceRecords& records, const TraceOrigin& origin, const WrittenHistory& history,
                        const std::string& file_name, uint64_t of_cpu) {
  std::string text;
  const auto add = [&text](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (!origin.damage.empty()) {
    add(
        fmt::format("{} is cut short or damaged: {}. What came before it is shown; copy it anew, or make it "
                    "again, to see all of it.",
                    file_name, origin.damage));
  }
  if (records.unreadable > 0) {
    add(fmt::format("{} records of memory lack their size, their time or what they free; they were left out.",
                    InWords(records.unreadable)));
  }
  if (of_cpu > 0) {
    add(fmt::format("{} allocations and frees of the CPU's memory are left out: the trace has a card's.",
                    InWords(of_cpu)));
  }
  if (history.disagreements > 0) {
    add(fmt::format(
        "At {} places the trace's own total differs from what its records sum up to: some are missing.",
        InWords(history.disagreements)));
  }
  return text;
}

}  // namespace

Result<TideSummary> ImportTrace(TraceRecords& records, TraceOrigin origin, const std::string& file_name,
                                const AcceptEvents& accept, const Progress& progress) {
  if (records.instants.empty()) {
    return Error{file_name + (origin.damage.empty()
                                  ? " tells nothing of memory. Record it with torch.profiler.profile("
                                    "profile_memory=True), or choose another file."
                                  : " cannot be read: " + origin.damage + ".")};
  }
  const uint64_t of_cpu = LeaveCpuOut(records.instants);
  const std::optional<WrittenHistory> history = WriteHistory(records, origin, accept, progress);
  if (!history) return Error{"Reading " + file_name + " was cancelled."};
  TideSummary summary;
  const int64_t base_ns = origin.base_ns;
  summary.description = std::move(origin.description);
  if (history->guessed_free) {
    summary.description.notes.emplace_back(
        "What was free on the card when memory ran out the trace does not tell; what is shown is all that "
        "PyTorch had not reserved.");
  }
  if (summary.description.title.empty())
    summary.description.title = std::filesystem::path(file_name).filename().string();
  if (summary.description.device.empty()) summary.description.device = DevicesIn(records.instants);
  summary.description.start_time_ns = history->start_ns;
  summary.events = history->events;
  summary.complete = origin.damage.empty();
  summary.bookmarks = std::move(records.bookmarks);
  for (Bookmark& bookmark : summary.bookmarks) bookmark.time_ns = TimeOf(bookmark.time_ns, base_ns);
  summary.warning = SentencesOf(records, origin, *history, file_name, of_cpu);
  return summary;
}

}  // namespace tidemark::trace
