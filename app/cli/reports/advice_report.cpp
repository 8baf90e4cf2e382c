#include "app/cli/reports/advice_report.h"

#include <fmt/format.h>

#include "app/cli/reports/line_report.h"
#include "profiler/advice/findings.h"
#include "profiler/session/steady_state.h"
#include "profiler/timeline/series.h"

namespace tidemark::cli {
namespace {

std::string AdviceOf(const advice::Finding& finding) {
  const char* const trial = " tidemark what-if tells whether that makes room here.";
  return finding.advice + (finding.can_be_tried ? trial : "");
}

// At the peak: a quarter of it, or more.
bool IsLargelyUnknown(const timeline::View& view) {
  const timeline::SeriesValues peak = session::LargestSince(view).at_peak;
  constexpr int64_t kWorthAWord = int64_t{4} << 20;
  const int64_t unknown = ValueOf(peak, timeline::SeriesOf(events::Category::kUnknown));
  return unknown >= kWorthAWord && unknown >= ValueOf(peak, timeline::Series::kAllocated) / 4;
}

}  // namespace

std::string FindingRows(const timeline::View& view, int64_t card_bytes, const SettingsTrial& trial) {
  std::string rows;
  for (const advice::Finding& finding : advice::FindingsIn(view, ByteUnit::kMebibytes, card_bytes)) {
    const std::optional<std::string> tried = finding.can_be_tried && trial ? trial() : "";
    if (!tried) continue;
    rows += fmt::format("  {} (event {})\n    {}\n    {}\n", advice::TitleOf(finding.kind),
                        FormatNumber(static_cast<int64_t>(finding.moment)), finding.evidence,
                        tried->empty() ? AdviceOf(finding) : *tried);
  }
  return rows.empty() ? rows : "Findings\n" + rows;
}

std::vector<std::string> FindingSentences(const timeline::View& view, int64_t card_bytes) {
  const std::vector<advice::Finding> findings = advice::FindingsIn(view, ByteUnit::kMebibytes, card_bytes);
  std::vector<std::string> sentences;
  sentences.reserve(findings.size());
  for (const advice::Finding& finding : findings) {
    sentences.push_back(
        fmt::format("{}: {} {}", advice::TitleOf(finding.kind), finding.evidence, AdviceOf(finding)));
  }
  return sentences;
}

std::string ProgramFindingRows(const timeline::View& view, int64_t card_bytes, const SettingsTrial& trial) {
  std::string findings = FindingRows(view, card_bytes, trial);
  if (!LinesText(view).empty()) return findings;
  const bool is_found = !findings.empty() || !view.out_of_memory().empty();
  const bool is_unknown = IsLargelyUnknown(view);
  if (!is_found && !is_unknown) return findings;
  return findings + fmt::format("{}--stacks python tells the lines of code behind {}{}.\n",
                                is_found ? "  " : "", is_found ? "it" : "what is unknown",
                                is_found && is_unknown ? ", and behind what is unknown" : "");
}

std::string GrowthNote(const timeline::View& view) {
  if (!advice::GrowsWithSteps(advice::FindingsIn(view, ByteUnit::kMebibytes, 0))) return "";
  return "Its memory grows with each step or pass, so a longer run needs more than this; tidemark phantom "
         "tells "
         "what grows.";
}

Json FindingsJson(const timeline::View& view, int64_t card_bytes) {
  Json findings = Json::array();
  for (const advice::Finding& finding : advice::FindingsIn(view, ByteUnit::kMebibytes, card_bytes)) {
    findings.push_back({{"kind", advice::KeyOf(finding.kind)},
                        {"title", advice::TitleOf(finding.kind)},
                        {"bytes", finding.bytes},
                        {"event", finding.moment},
                        {"allocations", finding.allocations},
                        {"evidence", finding.evidence},
                        {"advice", AdviceOf(finding)}});
  }
  return findings;
}

}  // namespace tidemark::cli
