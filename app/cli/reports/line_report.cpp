#include "app/cli/reports/line_report.h"

#include <fmt/format.h>

#include <vector>

#include "profiler/advice/owners.h"
#include "profiler/base/format.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {
namespace {

constexpr size_t kMostLines = 8;

std::vector<advice::Owner> LinesAtPeak(const timeline::View& view) {
  if (view.empty()) return {};
  return LinesAt(view, timeline::HighestMoment(view, view.first(), view.end()));
}

}  // namespace

std::vector<advice::Owner> LinesAt(const timeline::View& view, timeline::EventIndex moment) {
  std::vector<advice::Owner> lines = advice::LargestLines(view, moment, kMostLines);
  int64_t rest = timeline::ValueOf(view.ValuesAt(moment), timeline::Series::kAllocated);
  for (const advice::Owner& line : lines) rest -= line.bytes;
  if (!lines.empty() && rest > 0) lines.push_back({"(elsewhere, or where no line is told)", rest, 0, 0, {}});
  return lines;
}

std::string LinesText(const timeline::View& view) {
  std::string text;
  for (const advice::Owner& line : LinesAtPeak(view)) {
    text += fmt::format("  {:<46}{:>18}\n", line.name, FormatExactBytes(line.bytes));
  }
  return text.empty() ? "" : "At the peak of the run, by line of code\n" + text;
}

Json LinesJson(const timeline::View& view) {
  Json json = Json::array();
  for (const advice::Owner& line : LinesAtPeak(view)) {
    json.push_back({{"line", line.name}, {"bytes", line.bytes}});
  }
  return json;
}

}  // namespace tidemark::cli
