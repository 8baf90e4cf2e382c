#include "app/cli/line_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"

namespace tidemark::cli {
namespace {

constexpr size_t kMostLines = 8;

using LineBytes = std::pair<int64_t, std::string>;

std::vector<LineBytes> LargestLines(const timeline::View& view) {
  if (view.empty()) return {};
  const timeline::State peak =
      view.StateAt(view.PeakIn(timeline::Series::kAllocated, view.first(), view.end()).index);
  std::map<std::string, int64_t> bytes;
  for (const timeline::LiveBlock& block : peak.blocks) {
    const std::string_view line = events::InnermostLine(view.name(block.op));
    if (line.empty() || block.pending_free) continue;
    int64_t& sum = bytes[std::string(line)];
    sum = SaturatingSum(sum, block.rounded_bytes);
  }
  std::vector<LineBytes> lines;
  lines.reserve(bytes.size());
  for (const auto& [line, sum] : bytes) lines.emplace_back(sum, line);
  std::ranges::stable_sort(lines, std::ranges::greater(), &LineBytes::first);
  lines.resize(std::min(lines.size(), kMostLines));
  return lines;
}

}  // namespace

std::string LinesText(const timeline::View& view) {
  std::string text;
  for (const auto& [bytes, line] : LargestLines(view)) {
    text += fmt::format("  {:<46}{:>18}\n", line, FormatExactBytes(bytes));
  }
  return text.empty() ? "" : "At the peak of the run, by line of code\n" + text;
}

Json LinesJson(const timeline::View& view) {
  Json json = Json::array();
  for (const auto& [bytes, line] : LargestLines(view)) json.push_back({{"line", line}, {"bytes", bytes}});
  return json;
}

}  // namespace tidemark::cli
