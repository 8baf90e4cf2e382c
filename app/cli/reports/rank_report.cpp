#include "app/cli/reports/rank_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/presenters/run/rank_strip.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

using presenters::RankBar;
using presenters::RankStrip;

constexpr size_t kMostSteps = 20;  // in the text

// In the column of ranks, whose title says so.
std::string CellOf(const session::RankPeaks& peaks) {
  return peaks.name.empty() ? std::to_string(peaks.rank) : peaks.name;
}

size_t LongestName(const session::Ranks& ranks) {
  size_t longest = ranks.one.size();
  for (const session::RankPeaks& peaks : ranks.ranks) longest = std::max(longest, CellOf(peaks).size());
  return longest;
}

std::string RankRow(std::string_view title, const RankStrip& strip, std::optional<size_t> index) {
  if (!index) return fmt::format("  {:<13}none\n", title);
  const RankBar& bar = strip.bars[*index];
  const std::string against = presenters::AgainstOthers(strip, bar);
  return fmt::format("  {:<13}{}: {} allocated{}{}\n", title, bar.name, FormatExactBytes(bar.allocated),
                     against.empty() ? "" : ", ", against);
}

std::string ExtremesText(const RankStrip& strip) {
  const bool are_alike = strip.bars.size() > 1 && strip.largest && strip.smallest &&
                         strip.bars[*strip.largest].allocated == strip.bars[*strip.smallest].allocated;
  if (are_alike) return fmt::format("  {:<13}{} allocated\n", "all alike", FormatExactBytes(strip.median));
  return RankRow("largest", strip, strip.largest) + RankRow("smallest", strip, strip.smallest) +
         RankRow("odd one out", strip, strip.odd);
}

// A number with the name of what has it, right-aligned under its title.
size_t CellWidth(const session::Ranks& ranks) {
  constexpr size_t kLeast = 32;
  constexpr size_t kOfNumber = 22;
  return std::max(kLeast, LongestName(ranks) + kOfNumber);
}

std::string StepRow(const session::Ranks& ranks, int64_t number) {
  const RankStrip strip = presenters::MakeRankStrip(ranks, number);
  const auto cell = [&strip](std::optional<size_t> index) {
    return index ? fmt::format("{} ({})", FormatNumber(strip.bars[*index].allocated), strip.bars[*index].name)
                 : std::string("none");
  };
  const size_t width = CellWidth(ranks);
  return fmt::format("  {:>6}{:>{}}{:>{}}{:>{}}\n", number, cell(strip.largest), width, cell(strip.smallest),
                     width, cell(strip.odd), width);
}

std::string StepsText(const session::Ranks& ranks) {
  const std::vector<int64_t> steps = presenters::StepsOf(ranks);
  if (steps.empty()) return "";
  const size_t width = CellWidth(ranks);
  std::string text = fmt::format("Step by step, bytes allocated at the peak\n  {:>6}{:>{}}{:>{}}{:>{}}\n",
                                 "step", "largest", width, "smallest", width, "odd one out", width);
  const size_t shown = std::min(steps.size(), kMostSteps);
  for (size_t i = 0; i < shown; ++i) text += StepRow(ranks, steps[i]);
  if (shown < steps.size()) text += fmt::format("  {} more steps; --json tells all.\n", steps.size() - shown);
  return text;
}

std::string MemoryEnd(const session::RankPeaks& peaks) {
  if (peaks.out_of_memory) return " (ran out of memory)";
  const std::string survived = presenters::SurvivedText(peaks.times_survived);
  return survived.empty() ? "" : " (" + survived + ")";
}

Json RankJson(const session::RankPeaks& peaks) {
  Json steps = Json::array();
  for (const session::RankPeaks::Step& step : peaks.steps) {
    steps.push_back({{"step", step.number},
                     {"allocated_peak_bytes", step.allocated},
                     {"reserved_peak_bytes", step.reserved}});
  }
  return {{"rank", peaks.name.empty() ? Json(peaks.rank) : Json()},
          {"name", session::NameOf(peaks)},
          {"file", peaks.file.string()},
          {"allocated_peak_bytes", peaks.allocated},
          {"reserved_peak_bytes", peaks.reserved},
          {"out_of_memory", peaks.out_of_memory},
          {"times_survived", peaks.times_survived},
          {"steps", steps},
          {"warning", peaks.warning}};
}

}  // namespace

std::string RanksText(const session::Ranks& ranks) {
  const RankStrip strip = presenters::MakeRankStrip(ranks, std::nullopt);
  std::string text;
  // Before all figures of ranks: they say nothing of what is none.
  if (const std::string why = session::WhyNotOneRun(ranks); !why.empty())
    text += fmt::format("Note: {} tidemark compare A B tells where two runs differ.\n", why);
  const size_t width = LongestName(ranks);
  text += fmt::format("{}\n  {:>{}}{:>20}{:>20}{:>8}  file\n", session::CountOf(ranks), ranks.one, width,
                      "allocated peak, B", "reserved peak, B", "steps");
  for (const session::RankPeaks& peaks : ranks.ranks) {
    text +=
        fmt::format("  {:>{}}{:>20}{:>20}{:>8}  {}{}\n", CellOf(peaks), width, FormatNumber(peaks.allocated),
                    peaks.reserved > 0 ? FormatNumber(peaks.reserved) : "–", peaks.steps.size(),
                    peaks.file.string(), MemoryEnd(peaks));
  }
  text += ExtremesText(strip);
  text += StepsText(ranks);
  for (const session::RankPeaks& peaks : ranks.ranks) {
    if (!peaks.warning.empty()) text += fmt::format("Note: {}\n", peaks.warning);
  }
  if (const std::string missing = session::MissingRanks(ranks); !missing.empty())
    text += fmt::format("Note: {}\n", missing);
  for (const std::string& sentence : ranks.repeated) text += fmt::format("Note: {}\n", sentence);
  for (const std::string& sentence : ranks.unreadable) text += fmt::format("Note: {}\n", sentence);
  return text;
}

Json RanksJson(const session::Ranks& ranks) {
  const RankStrip strip = presenters::MakeRankStrip(ranks, std::nullopt);
  const auto rank_at = [&](std::optional<size_t> index) {
    if (!index) return Json();
    return session::AreRanks(ranks) ? Json(strip.bars[*index].rank) : Json(strip.bars[*index].name);
  };
  Json all = Json::array();
  for (const session::RankPeaks& peaks : ranks.ranks) all.push_back(RankJson(peaks));
  return {{"ranks", all},
          {"largest", rank_at(strip.largest)},
          {"smallest", rank_at(strip.smallest)},
          {"odd_one_out", rank_at(strip.odd)},
          {"median_allocated_peak_bytes", strip.median},
          {"different_runs", session::WhyNotOneRun(ranks)},
          {"missing", session::MissingRanks(ranks)},
          {"repeated", ranks.repeated},
          {"unreadable", ranks.unreadable}};
}

}  // namespace tidemark::cli
