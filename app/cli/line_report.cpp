#include "app/cli/line_report.h"

#include <fmt/format.h>

#include <vector>

#include "profiler/advice/owners.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

constexpr size_t kMostLines = 8;

std::vector<advice::Owner> LinesAtPeak(const timeline::View& view) {
  if (view.empty()) return {};
  const timeline::EventIndex peak = view.PeakIn(timeline::Series::kAllocated, view.first(), view.end()).index;
  return advice::LargestLines(view, peak, kMostLines);
}

}  // namespace

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
