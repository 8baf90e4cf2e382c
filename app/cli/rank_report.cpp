#include "app/cli/rank_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/presenters/rank_strip.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

using presenters::RankBar;
using presenters::RankStrip;

constexpr size_t kMostSteps = 20;  // in the text

std::string RankRow(std::string_view title, const RankStrip& strip, std::optional<size_t> index) {
  if (!index) return fmt::format("  {:<13}none\n", title);
  const RankBar& bar = strip.bars[*index];
  const std::string against = presenters::AgainstOthers(strip, bar);
  return fmt::format("  {:<13}rank {}: {} allocated{}{}\n", title, bar.rank, FormatExactBytes(bar.allocated),
                     against.empty() ? "" : ", ", against);
}

std::string ExtremesText(const RankStrip& strip) {
  const bool are_alike = strip.bars.size() > 1 && strip.largest && strip.smallest &&
                         strip.bars[*strip.largest].allocated == strip.bars[*strip.smallest].allocated;
  if (are_alike) return fmt::format("  {:<13}{} allocated\n", "all alike", FormatExactBytes(strip.median));
  return RankRow("largest", strip, strip.largest) + RankRow("smallest", strip, strip.smallest) +
         RankRow("odd one out", strip, strip.odd);
}

std::string StepRow(const session::Ranks& ranks, int64_t number) {
  const RankStrip strip = presenters::MakeRankStrip(ranks, number);
  const auto cell = [&strip](std::optional<size_t> index) {
    return index ? fmt::format("{} (rank {})", FormatNumber(strip.bars[*index].allocated),
                               strip.bars[*index].rank)
                 : std::string("none");
  };
  return fmt::format("  {:>6}{:>32}{:>32}{:>32}\n", number, cell(strip.largest), cell(strip.smallest),
                     cell(strip.odd));
}

std::string StepsText(const session::Ranks& ranks) {
  const std::vector<int64_t> steps = presenters::StepsOf(ranks);
  if (steps.empty()) return "";
  std::string text = fmt::format("Step by step, bytes allocated at the peak\n  {:>6}{:>32}{:>32}{:>32}\n",
                                 "step", "largest", "smallest", "odd one out");
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
  return {{"rank", peaks.rank},
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
  text += fmt::format(
      "{}\n  {:>4}{:>20}{:>20}{:>8}  file\n",
      strip.bars.size() == 1 ? "1 rank" : FormatNumber(static_cast<int64_t>(strip.bars.size())) + " ranks",
      "rank", "allocated peak, B", "reserved peak, B", "steps");
  for (const session::RankPeaks& peaks : ranks.ranks) {
    text +=
        fmt::format("  {:>4}{:>20}{:>20}{:>8}  {}{}\n", peaks.rank, FormatNumber(peaks.allocated),
                    FormatNumber(peaks.reserved), peaks.steps.size(), peaks.file.string(), MemoryEnd(peaks));
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
  const auto rank_at = [&strip](std::optional<size_t> index) {
    return index ? Json(strip.bars[*index].rank) : Json(nullptr);
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
