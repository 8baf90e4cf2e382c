#include "app/cli/reports/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/cli/reports/advice_report.h"
#include "app/cli/reports/line_report.h"
#include "app/presenters/allocations/blocks.h"
#include "app/presenters/moment/level_chain.h"
#include "app/presenters/moment/moment_title.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/picture/canvas.h"
#include "app/presenters/picture/picture.h"
#include "profiler/base/format.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::cli {
namespace {

using timeline::Series;

constexpr size_t kColumns = 480;
constexpr size_t kMostLayers = 20;
std::string InMebibytes(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }
std::string InPercent(double share) { return fmt::format("{:.1f} %", share * 100); }

void SortBySize(std::vector<PageRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PageRow& one, const PageRow& other) { return one.bytes > other.bytes; });
}

double ShareOf(int64_t bytes, int64_t all) {
  return all > 0 ? static_cast<double>(bytes) / static_cast<double>(all) : 0;
}

std::vector<PageRow> CategoriesAt(const timeline::SeriesValues& values) {
  std::vector<PageRow> rows;
  for (int i = 0; i < events::kCategoryCount; ++i) {
    const auto category = static_cast<events::Category>(i);
    const int64_t bytes = ValueOf(values, timeline::SeriesOf(category));
    if (bytes > 0)
      rows.push_back(
          {std::string(NameOf(category)), bytes, ShareOf(bytes, ValueOf(values, Series::kAllocated)), i});
  }
  SortBySize(rows);
  return rows;
}

std::vector<PageRow> LevelsAt(const std::vector<presenters::LevelRow>& chain) {
  std::vector<PageRow> rows;
  rows.reserve(chain.size());
  for (auto row = chain.begin(); row != chain.end(); ++row) {
    if (row->is_gap() && !presenters::IsKnown(chain, row)) continue;
    rows.push_back({row->is_gap() ? "+ " + row->title : row->title + presenters::AwayText(row->away_ns),
                    row->bytes, 0, -1});
  }
  return rows;
}

std::vector<PageRow> LayersAt(const timeline::View& view, const timeline::State& state) {
  std::map<std::string, int64_t, NaturalOrder> by_layer;
  for (const timeline::LiveBlock& block : timeline::CountedBlocks(state))
    AddTo(by_layer[presenters::LayerTitle(view, block)], block.rounded_bytes);
  if (by_layer.size() == 1 && by_layer.begin()->first == presenters::kNoLayer) return {};  // none is told
  const int64_t all = ValueOf(state.values, Series::kAllocated);
  std::vector<PageRow> rows;
  rows.reserve(by_layer.size());
  for (const auto& [layer, bytes] : by_layer) rows.push_back({layer, bytes, ShareOf(bytes, all), -1});
  SortBySize(rows);
  if (rows.size() <= kMostLayers) return rows;
  PageRow others{fmt::format("({} others)", rows.size() - kMostLayers + 1), 0, 0, -1};
  for (size_t i = kMostLayers - 1; i < rows.size(); ++i) AddTo(others.bytes, rows[i].bytes);
  others.share = ShareOf(others.bytes, all);
  rows.resize(kMostLayers - 1);
  rows.push_back(others);
  return rows;
}

// On one line, as in a table's cell: what Markdown would take for its own is kept as it is.
std::string InCell(std::string_view text) {
  std::string cell;
  for (const char letter : text) {
    if (letter == '\n' || letter == '\r') {
      cell += ' ';
      continue;
    }
    constexpr std::string_view kMarkup = "\\`*_{}[]<>|";
    if (kMarkup.find(letter) != std::string_view::npos) cell += '\\';
    cell += letter;
  }
  return cell;
}

bool TellsShares(const std::vector<PageRow>& rows) {
  return std::ranges::any_of(rows, [](const PageRow& row) { return row.share > 0; });
}

void AddMarkdownTable(std::string_view title, const std::vector<PageRow>& rows, std::string& out) {
  if (rows.empty()) return;
  const bool shares = TellsShares(rows);
  out += fmt::format("\n## {}\n\n| | bytes | |{}\n|---|---:|---:|{}\n", title, shares ? " share |" : "",
                     shares ? "---:|" : "");
  for (const PageRow& row : rows) {
    out +=
        fmt::format("| {} | {} | {} |", InCell(row.title), FormatNumber(row.bytes), InMebibytes(row.bytes));
    out += shares ? " " + InPercent(row.share) + " |\n" : "\n";
  }
}

void AddHtmlTable(std::string_view title, const std::vector<PageRow>& rows, std::string& out) {
  if (rows.empty()) return;
  const bool shares = TellsShares(rows);
  out += fmt::format("<h2>{}</h2>\n<table>\n", presenters::EscapedForXml(title));
  for (const PageRow& row : rows) {
    const std::string swatch =
        row.category < 0 ? std::string()
                         : fmt::format("<i style=\"background:{}\"></i>",
                                       presenters::PrintColour(static_cast<events::Category>(row.category)));
    out += fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}</td>{}</tr>\n", swatch,
                       presenters::EscapedForXml(row.title), FormatExactBytes(row.bytes),
                       InMebibytes(row.bytes), shares ? "<td>" + InPercent(row.share) + "</td>" : "");
  }
  out += "</table>\n";
}

std::string ChartOf(const RunPage& page) {
  constexpr int kWidth = 960;
  constexpr int kHeight = 240;
  const int64_t highest = presenters::HighestOf(page.curve);
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"memory by category over the run\">\n{2}"
      "<line x1=\"0\" y1=\"{3}\" x2=\"{0}\" y2=\"{3}\" class=\"axis\"/>\n<text x=\"0\" "
      "y=\"12\">{4}</text>\n"
      "<text x=\"0\" y=\"{5}\">events, from the first to the last</text>\n</svg>\n",
      kWidth, kHeight + 24, presenters::CurveShapes(page.curve, kWidth, kHeight, highest), kHeight,
      InMebibytes(highest), kHeight + 18);
}

std::string BytesOf(const presenters::BridgeStep& step) {
  if (step.kind == presenters::BridgeStep::Kind::kLevel) return FormatNumber(step.bytes);
  return (step.bytes < 0 ? "− " : "+ ") + FormatNumber(SaturatingMagnitude(step.bytes));
}

void AddMarkdownBridge(const RunPage& page, std::string& out) {
  if (page.bridge.steps.empty()) {
    if (!page.why_no_bridge.empty()) out += "\n" + InCell(page.why_no_bridge) + "\n";
    return;
  }
  out += fmt::format("\n## {}\n\n| | bytes | why |\n|---|---:|---|\n", BridgeTitle(page.bridge));
  for (const presenters::BridgeStep& step : page.bridge.steps)
    out += fmt::format("| {} | {} | {} |\n", InCell(step.name), BytesOf(step), InCell(step.sentence));
}

void AddHtmlBridge(const RunPage& page, std::string& out) {
  if (page.bridge.steps.empty()) {
    if (!page.why_no_bridge.empty()) out += "<p>" + presenters::EscapedForXml(page.why_no_bridge) + "</p>\n";
    return;
  }
  out += fmt::format("<h2>{}</h2>\n<table class=\"bridge\">\n",
                     presenters::EscapedForXml(BridgeTitle(page.bridge)));
  for (const presenters::BridgeStep& step : page.bridge.steps) {
    const bool is_level = step.kind == presenters::BridgeStep::Kind::kLevel;
    out += fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td></tr>\n", is_level ? " class=\"level\"" : "",
                       presenters::EscapedForXml(step.name), BytesOf(step),
                       presenters::EscapedForXml(step.sentence));
  }
  out += "</table>\n";
}

void AddMarkdownList(std::string_view title, const std::vector<std::string>& lines, std::string& out) {
  if (!lines.empty()) out += fmt::format("\n## {}\n\n", title);
  for (const std::string& line : lines) out += "- " + InCell(line) + "\n";
}

void AddHtmlList(std::string_view title, const std::vector<std::string>& lines, std::string& out) {
  if (lines.empty()) return;
  out += fmt::format("<h2>{}</h2>\n<ul>\n", title);
  for (const std::string& line : lines) out += "<li>" + presenters::EscapedForXml(line) + "</li>\n";
  out += "</ul>\n";
}

// How a format writes each kind of part.
struct PartWriters {
  void (*list)(std::string_view title, const std::vector<std::string>& lines, std::string& out);
  void (*table)(std::string_view title, const std::vector<PageRow>& rows, std::string& out);
  void (*bridge)(const RunPage& page, std::string& out);
};
constexpr PartWriters kInMarkdown{AddMarkdownList, AddMarkdownTable, AddMarkdownBridge};
constexpr PartWriters kInHtml{AddHtmlList, AddHtmlTable, AddHtmlBridge};

// What a page has below its facts, in its order; a part of which nothing is known is left out.
void AddParts(const RunPage& page, const PartWriters& write, std::string& out) {
  write.list("Out of memory", page.out_of_memory, out);
  write.table("Largest owners of what was allocated then", page.owners, out);
  write.list("Findings", page.findings, out);
  write.bridge(page, out);
  write.table("From tensors to the card, " + page.moment, page.levels, out);
  write.table("By category, " + page.moment, page.categories, out);
  write.table("By layer, " + page.moment, page.layers, out);
  write.table("By line of code, " + page.moment, page.lines, out);
  write.list("Bookmarks", page.bookmarks, out);
  write.list("Notes", page.notes, out);
}

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem "
    "auto;padding:0 "
    "1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}td{padding:."
    "15rem "
    "1.2rem .15rem 0;border-bottom:1px solid "
    "#8884}td:nth-child(n+2){text-align:right;font-variant-numeric:tabular-nums}.facts td,.bridge "
    "td:last-child{text-align:left}.level{font-weight:bold}i{display:inline-block;width:.7rem;height:.7rem;"
    "margin-right:.5rem}svg{width:100%;font:12px "
    "system-ui,sans-serif;fill:currentColor}.reserved{fill:none;stroke:currentColor;stroke-width:1.5;stroke-"
    "dasharray:4 "
    "3}.axis{stroke:#8888}";

}  // namespace

RunPage MakeRunPage(const timeline::View& view, const events::RunDescription& description) {
  RunPage page;
  page.title = description.title;
  page.notes = description.notes;
  page.findings = FindingSentences(view, description.device_bytes);
  page.curve = presenters::CurveOf(view, kColumns);
  const std::optional<presenters::PeakMoment> peak = presenters::PeakOfRun(view);
  if (!peak) return page;
  page.moment = peak->title;
  const timeline::State state = timeline::SettledStateAt(view, peak->index, peak->step_end);
  const std::vector<presenters::LevelRow> chain = presenters::MakeLevelChain(view);
  page.levels = LevelsAt(chain);
  page.tells_card = !chain.empty() && chain.back().level == Series::kCard;
  page.categories = CategoriesAt(state.values);
  page.layers = LayersAt(view, state);
  const int64_t allocated = ValueOf(state.values, Series::kAllocated);
  for (const advice::Owner& line : LinesAt(view, peak->index))
    page.lines.push_back({line.name, line.bytes, ShareOf(line.bytes, allocated), -1});
  return page;
}

std::vector<std::string> BookmarkRows(const timeline::View& view,
                                      const std::vector<trace::Bookmark>& bookmarks) {
  std::vector<std::string> rows;
  if (view.empty()) return rows;
  rows.reserve(bookmarks.size());
  for (const trace::Bookmark& bookmark : bookmarks) {
    const timeline::EventIndex index = std::min(view.IndexAt(bookmark.time_ns), view.end() - 1);
    rows.push_back(fmt::format("{} ({})", bookmark.text, presenters::MomentTitle(view, index)));
  }
  return rows;
}

std::string MarkdownOf(const RunPage& page) {
  std::string out = fmt::format("# {}\n\n| | |\n|---|---|\n", InCell(page.title));
  for (const auto& [title, text] : page.facts)
    out += fmt::format("| {} | {} |\n", InCell(title), InCell(text));
  AddParts(page, kInMarkdown, out);
  return out;
}

std::string HtmlOf(const RunPage& page) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>\n<h1>{0}</h1>\n",
      presenters::EscapedForXml(page.title), kStyle);
  out += "<table class=\"facts\">\n";
  for (const auto& [title, text] : page.facts)
    out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", presenters::EscapedForXml(title),
                       presenters::EscapedForXml(text));
  out += "</table>\n<h2>Memory over the run</h2>\n" + ChartOf(page);
  AddParts(page, kInHtml, out);
  return out + "</html>\n";
}

}  // namespace tidemark::cli
