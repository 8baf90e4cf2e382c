#include "app/presenters/level_chain.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "app/presenters/signed_bytes.h"
#include "app/presenters/tables.h"
#include "profiler/base/format.h"
#include "profiler/events/driver_memory.h"

namespace tidemark::presenters {
namespace {

using timeline::EventIndex;
using timeline::Series;
using timeline::View;

struct ChainLink {
  Series series;
  const char* title;
  const char* gap;  // what lies between the level before and this one
};
constexpr std::array<ChainLink, 6> kChain = {{
    {Series::kRequested, "requested", ""},
    {Series::kAllocated, "allocated", "rounding to blocks"},
    {Series::kReserved, "reserved", "cached by PyTorch"},
    {Series::kDriver, "driver", "outside of PyTorch"},
    {Series::kProcess, "process", "context, modules, CUPTI, rounding to 2 MiB"},
    {Series::kCard, "card", "other processes, the card's own"},
}};

// What the chain is looked up at the peak of: of a program that has no tensors of PyTorch, or whose allocator
// reports none (cudaMallocAsync), the first level that it has.
View::Peak PeakOfChain(const View& view, EventIndex begin, EventIndex end) {
  View::Peak peak;
  for (const Series level :
       {Series::kAllocated, Series::kReserved, Series::kDriver, Series::kProcess, Series::kCard}) {
    peak = view.PeakIn(level, begin, end);
    if (ValueOf(peak.values, level) > 0) break;
  }
  return peak;
}

bool IsSampled(Series series) { return series == Series::kProcess || series == Series::kCard; }

}  // namespace

int64_t LevelAt(const View& view, EventIndex index, Series series) {
  if (!IsSampled(series)) return ValueOf(view.ValuesAt(index), series);
  constexpr int64_t kWithinNs = 200'000'000;  // two samples long
  const int64_t at_ns = std::min(view.TimeOf(index), std::numeric_limits<int64_t>::max() - kWithinNs);
  return ValueOf(view.PeakIn(series, index, view.IndexAt(at_ns + kWithinNs)).values, series);
}

std::vector<LevelRow> MakeLevelChain(const View& view, EventIndex begin, EventIndex end) {
  std::vector<LevelRow> rows;
  if (view.empty()) return rows;
  const View::Peak peak = PeakOfChain(view, begin, end);
  std::optional<int64_t> before;
  for (const ChainLink& link : kChain) {
    const int64_t bytes = LevelAt(view, peak.index, link.series);
    if (bytes == 0) continue;  // nobody told of it
    if (before) rows.push_back({link.gap, Difference(bytes, *before), true});
    rows.push_back({link.title, bytes, false});
    before = bytes;
  }
  return rows;
}

std::vector<LevelRow> MakeLevelChain(const View& view) {
  const std::optional<PeakMoment> peak = LatestPeak(view);
  if (!peak) return MakeLevelChain(view, view.first(), view.end());
  return MakeLevelChain(view, peak->index, peak->index + 1);
}

void DriverLibraries::Take(const View& view, EventIndex most) {
  const EventIndex begin = std::max(taken_, view.first());
  taken_ = begin + std::min(most, view.end() - std::min(begin, view.end()));
  for (EventIndex i = begin; i < taken_; ++i) {
    const events::Event event = view.event(i);
    if (event.kind != events::EventKind::kCounter || event.source != events::Source::kDriver) continue;
    const std::string_view name = view.name(event.name);
    if (!name.starts_with(events::kDriverMemoryOf)) continue;
    LibraryMemory& library = libraries_[event.name];
    library.library = name.substr(events::kDriverMemoryOf.size());
    library.last_bytes = event.bytes;
    library.most_bytes = std::max(library.most_bytes, event.bytes);
  }
}

std::vector<LibraryMemory> DriverLibraries::Largest() const {
  std::vector<LibraryMemory> sorted;
  sorted.reserve(libraries_.size());
  for (const auto& [id, library] : libraries_) sorted.push_back(library);
  std::ranges::stable_sort(sorted, std::greater(), &LibraryMemory::most_bytes);
  return sorted;
}

std::vector<LibraryMemory> DriverMemoryByLibrary(const View& view) {
  DriverLibraries libraries;
  libraries.Take(view, view.end());
  return libraries.Largest();
}

bool IsWell(const timeline::SourceState& state) {
  return state.text.starts_with("live") && state.text.find(", but ") == std::string::npos;
}

std::string LossText(const View& view) {
  const auto lost = static_cast<int64_t>(view.health().lost);
  if (lost == 0) return "";
  std::string sources;
  int64_t since_ns = std::numeric_limits<int64_t>::max();
  for (const timeline::SourceState& state : view.sources()) {
    if (state.lost == 0) continue;
    sources += (sources.empty() ? "" : ", ") + std::string(events::NameOf(state.source));
    since_ns = std::min(since_ns, state.lost_since_ns);
  }
  std::string text = FormatNumber(lost) + (lost == 1 ? " event was lost" : " events were lost");
  const int64_t after_ns = sources.empty() ? 0 : Difference(since_ns, view.start_ns());
  if (!sources.empty()) text += " (" + sources + ")";
  if (after_ns > 0) text += ", the first after " + FormatDuration(after_ns);
  return text + "; the curves have gaps there.";
}

std::vector<std::string> SourceLines(const View& view) {
  std::vector<std::string> lines;
  for (const timeline::SourceState& state : view.sources()) {
    std::string line = std::string(events::NameOf(state.source)) + ": " + state.text;
    if (state.lost > 0) {
      line += (state.text.empty() ? "lost " : "; lost ") + FormatNumber(static_cast<int64_t>(state.lost)) +
              " events since " + FormatDuration(Difference(state.lost_since_ns, view.start_ns()));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tidemark::presenters
