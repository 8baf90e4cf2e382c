#include "app/cli/reports/level_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/plot/device_work.h"
#include "profiler/base/format.h"
#include "profiler/base/utf8.h"

namespace tidemark::cli {
namespace {

using Rows = std::vector<presenters::LevelRow>;

}  // namespace

std::string LevelRowsText(const Rows& rows) {
  constexpr int kTitleWidth = 46;
  std::string text;
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    if (row->is_gap() && !presenters::IsKnown(rows, row)) {
      text += fmt::format("    not known then: {}\n", row->title);
      continue;
    }
    const std::string title =
        row->is_gap() ? "  + " + row->title : row->title + presenters::AwayText(row->away_ns);
    text += fmt::format("  {:<{}}{:>18}\n", title, kTitleWidth, FormatExactBytes(row->bytes));
  }
  return text;
}

std::string LevelsText(const timeline::View& view) {
  const auto rows = presenters::MakeLevelChain(view);
  // Without the driver's level and those above it there is nothing to lead to.
  if (std::ranges::none_of(rows, [](const auto& row) { return row.level >= timeline::Series::kDriver; }))
    return "";
  const std::optional<presenters::PeakMoment> peak = presenters::PeakOfRun(view);
  std::string text =
      "From tensors to the card, " + (peak ? peak->title : std::string("at the peak of the run")) + "\n";
  return text + LevelRowsText(rows);
}

Json LevelsJson(const timeline::View& view) {
  Json json = Json::object();
  for (const presenters::LevelRow& row : presenters::MakeLevelChain(view)) {
    if (!row.is_gap()) json[row.title + "_bytes"] = row.bytes;
    if (row.away_ns != 0) json[row.title + "_away_ns"] = row.away_ns;
  }
  return json;
}

std::string LibrariesText(const timeline::View& view) {
  std::string text;
  const presenters::DriverLibraries libraries = presenters::DriverMemoryByLibrary(view);
  const auto add = [&text](std::string_view title, int64_t bytes) {
    text += fmt::format("  {:<46}{:>18}\n", title, FormatExactBytes(bytes));
  };
  for (const presenters::LibraryMemory& library : libraries.Largest())
    add(library.library, library.most_bytes);
  if (!text.empty()) text = "Held from the CUDA driver, by the library that asked, at most\n" + text;
  if (libraries.managed()) {
    text += "Beside these levels, on the host or the card as its pages move, at most\n";
    add(libraries.managed()->library, libraries.managed()->most_bytes);
  }
  return text;
}

void AddLibrariesJson(const timeline::View& view, Json& json) {
  const presenters::DriverLibraries libraries = presenters::DriverMemoryByLibrary(view);
  Json by_library = Json::array();
  for (const presenters::LibraryMemory& library : libraries.Largest()) {
    by_library.push_back({{"library", library.library},
                          {"most_bytes", library.most_bytes},
                          {"last_bytes", library.last_bytes}});
  }
  json["driver_by_library"] = std::move(by_library);
  Json& managed = json["managed_memory"] = nullptr;
  if (libraries.managed())
    managed = {{"most_bytes", libraries.managed()->most_bytes},
               {"last_bytes", libraries.managed()->last_bytes}};
}

std::string SourcesText(const timeline::View& view) {
  std::string text;
  for (const std::string& line : presenters::SourceLines(view)) text += fmt::format("  {}\n", line);
  return text.empty() ? "" : "Sources\n" + text;
}

std::string WorkText(const timeline::View& view) {
  constexpr size_t kMostNames = 3;
  constexpr size_t kLongestName = 100;
  const presenters::WorkTotals totals = presenters::TotalsOfWork(view, kMostNames);
  if (totals.longest.empty()) return "";
  std::string text = "What the GPU did: " + presenters::CountsText(totals.counts);
  text += totals.duration_ns > 0 ? ", " + FormatDuration(totals.duration_ns) + " in all; the longest\n"
                                 : "; how long they take is not known on a phantom; the most frequent\n";
  for (const presenters::WorkTotal& total : totals.longest) {
    std::string name(FirstLetters(total.name, kLongestName));
    if (name.size() < total.name.size()) name += "...";
    text += "  " + name + ": " + FormatNumber(total.count) + (total.count == 1 ? " time" : " times");
    if (total.duration_ns > 0) text += ", " + FormatDuration(total.duration_ns);
    if (total.bytes > 0) text += ", " + FormatExactBytes(total.bytes);
    text += "\n";
  }
  return text;
}

Json WorkJson(const timeline::View& view) {
  constexpr size_t kMostNames = 20;
  const presenters::WorkTotals totals = presenters::TotalsOfWork(view, kMostNames);
  Json longest = Json::array();
  for (const presenters::WorkTotal& total : totals.longest) {
    longest.push_back({{"name", total.name},
                       {"kind", events::NameOf(total.kind)},
                       {"count", total.count},
                       {"duration_ns", total.duration_ns},
                       {"bytes", total.bytes}});
  }
  return {{"kernels", totals.counts[0]},
          {"memory_copies", totals.counts[1]},
          {"memsets", totals.counts[2]},
          {"duration_ns", totals.duration_ns},
          {"longest", std::move(longest)}};
}

Json SourcesJson(const timeline::View& view) {
  Json json = Json::array();
  for (const timeline::SourceState& state : view.sources()) {
    json.push_back({{"source", events::NameOf(state.source)},
                    {"state", state.text},
                    {"lost", state.lost},
                    {"lost_since_ns", state.lost_since_ns}});
  }
  return json;
}

}  // namespace tidemark::cli
