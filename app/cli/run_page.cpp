#include "app/cli/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>

#include "app/presenters/level_chain.h"
#include "app/presenters/tables.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

using timeline::Series;

constexpr size_t kColumns = 480;
constexpr size_t kMostLayers = 20;
// The window's colours on white (app/gui/window/palette.cpp).
constexpr std::array<std::string_view, events::kCategoryCount> kColours = {
    "#415DA0", "#8E64D2", "#CC8A39", "#8499AA", "#1A8977", "#DA3D51", "#D6B114", "#4FB7EB", "#B3BDB7"};

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

std::vector<PageRow> LayersAt(const timeline::View& view, const timeline::State& state) {
  std::map<std::string, int64_t> by_layer;
  for (const timeline::LiveBlock& block : state.blocks) {
    if (!block.pending_free) by_layer[std::string(view.name(block.layer))] += block.rounded_bytes;
  }
  if (by_layer.size() == 1 && by_layer.begin()->first.empty()) return {};  // none is told
  const int64_t all = ValueOf(state.values, Series::kAllocated);
  std::vector<PageRow> rows;
  rows.reserve(by_layer.size());
  for (const auto& [layer, bytes] : by_layer)
    rows.push_back({layer.empty() ? "(in no layer)" : layer, bytes, ShareOf(bytes, all), -1});
  SortBySize(rows);
  if (rows.size() <= kMostLayers) return rows;
  PageRow others{fmt::format("({} others)", rows.size() - kMostLayers + 1), 0, 0, -1};
  for (size_t i = kMostLayers - 1; i < rows.size(); ++i) others.bytes += rows[i].bytes;
  others.share = ShareOf(others.bytes, all);
  rows.resize(kMostLayers - 1);
  rows.push_back(others);
  return rows;
}

std::vector<PageColumn> ColumnsOf(const timeline::View& view) {
  const size_t count = std::min<size_t>(kColumns, view.end() - view.first());
  std::vector<timeline::EventIndex> edges(count + 1);
  for (size_t i = 0; i <= count; ++i)
    edges[i] = view.first() + (view.end() - view.first()) * i / std::max<size_t>(count, 1);
  std::vector<timeline::View::Column> found(count);
  if (count > 0) view.Columns(edges, found);
  std::vector<PageColumn> columns;
  columns.reserve(found.size());
  for (const timeline::View::Column& column : found)
    columns.push_back({column.peak.values, column.reserved_max});
  return columns;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

// Within a table's cell: what Markdown would take for its own is kept as it is.
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

void AddMarkdownTable(std::string_view title, const std::vector<PageRow>& rows, std::string& out) {
  if (rows.empty()) return;
  out += fmt::format("\n## {}\n\n| | bytes | | share |\n|---|---:|---:|---:|\n", title);
  for (const PageRow& row : rows) {
    out += fmt::format("| {} | {} | {} | {} |\n", InCell(row.title), FormatNumber(row.bytes),
                       InMebibytes(row.bytes), row.share > 0 ? InPercent(row.share) : "");
  }
}

void AddHtmlTable(std::string_view title, const std::vector<PageRow>& rows, std::string& out) {
  if (rows.empty()) return;
  out += fmt::format("<h2>{}</h2>\n<table>\n", Escaped(title));
  for (const PageRow& row : rows) {
    const std::string swatch = row.category < 0 ? std::string()
                                                : fmt::format("<i style=\"background:{}\"></i>",
                                                              kColours[static_cast<size_t>(row.category)]);
    out += fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", swatch,
                       Escaped(row.title), FormatExactBytes(row.bytes), InMebibytes(row.bytes),
                       row.share > 0 ? InPercent(row.share) : "");
  }
  out += "</table>\n";
}

// The stack of categories over the run, with reserved as a line above it. The axis counts events.
class Chart {
 public:
  explicit Chart(const RunPage& page) : page_(page) {
    for (const PageColumn& column : page.columns)
      highest_ = std::max({highest_, ValueOf(column.at_peak, Series::kAllocated), column.reserved});
  }

  std::string Svg() const {
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"memory by category over the run\">\n", kWidth,
        kHeight + 24);
    std::vector<int64_t> below(page_.columns.size(), 0);
    for (int category = 0; category < events::kCategoryCount; ++category)
      out += Area(timeline::SeriesOf(static_cast<events::Category>(category)),
                  kColours[static_cast<size_t>(category)], below);
    out += Reserved();
    out += fmt::format(
        "<line x1=\"0\" y1=\"{0}\" x2=\"{1}\" y2=\"{0}\" class=\"axis\"/>\n<text x=\"0\" "
        "y=\"12\">{2}</text>\n"
        "<text x=\"0\" y=\"{3}\">events, from the first to the last</text>\n</svg>\n",
        kHeight, kWidth, InMebibytes(highest_), kHeight + 18);
    return out;
  }

 private:
  static constexpr int kWidth = 960;
  static constexpr int kHeight = 240;

  std::string Point(size_t column, int64_t bytes) const {
    const double x = static_cast<double>(column) * kWidth / static_cast<double>(page_.columns.size());
    const double y = kHeight - static_cast<double>(bytes) * kHeight / static_cast<double>(highest_);
    return fmt::format("{:.1f},{:.1f} ", x, y);
  }

  // Raises `below` by what the series holds. Each column is as wide as the next begins.
  std::string Area(Series series, std::string_view colour, std::vector<int64_t>& below) const {
    std::string upper;
    std::vector<std::string> lower;
    bool any = false;
    for (size_t i = 0; i < page_.columns.size(); ++i) {
      const int64_t bytes = ValueOf(page_.columns[i].at_peak, series);
      any = any || bytes > 0;
      lower.push_back(Point(i, below[i]));
      lower.push_back(Point(i + 1, below[i]));
      below[i] += bytes;
      upper += Point(i, below[i]) + Point(i + 1, below[i]);
    }
    if (!any) return "";
    for (size_t i = lower.size(); i > 0; --i) upper += lower[i - 1];
    upper.pop_back();
    return fmt::format("<polygon fill=\"{}\" points=\"{}\"/>\n", colour, upper);
  }

  std::string Reserved() const {
    std::string points;
    for (size_t i = 0; i < page_.columns.size(); ++i)
      points += Point(i, page_.columns[i].reserved) + Point(i + 1, page_.columns[i].reserved);
    if (points.empty()) return "";
    points.pop_back();
    return fmt::format("<polyline class=\"reserved\" points=\"{}\"/>\n", points);
  }

  const RunPage& page_;
  int64_t highest_ = 1;
};

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem "
    "auto;padding:0 "
    "1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}td{padding:."
    "15rem "
    "1.2rem .15rem 0;border-bottom:1px solid "
    "#8884}td:nth-child(n+2){text-align:right;font-variant-numeric:tabular-nums}"
    ".facts "
    "td{text-align:left}i{display:inline-block;width:.7rem;height:.7rem;margin-right:.5rem}svg{width:100%;"
    "font:12px "
    "system-ui,sans-serif;fill:currentColor}.reserved{fill:none;stroke:currentColor;stroke-width:1.5;stroke-"
    "dasharray:4 "
    "3}.axis{stroke:#8888}";

}  // namespace

RunPage MakeRunPage(const timeline::View& view, const events::RunDescription& description) {
  RunPage page;
  page.title = description.title;
  page.notes = description.notes;
  page.columns = ColumnsOf(view);
  const std::optional<presenters::PeakMoment> peak = presenters::LatestPeak(view);
  const timeline::EventIndex index =
      peak ? peak->index : view.PeakIn(Series::kAllocated, view.first(), view.end()).index;
  page.moment = peak ? peak->title : "at the peak of the run";
  if (view.empty()) return page;
  const timeline::State state = view.StateAt(index);
  for (const presenters::LevelRow& row : presenters::MakeLevelChain(view)) {
    const std::string sign = row.bytes < 0 ? "− " : "+ ";
    page.levels.push_back({row.is_gap ? sign + row.title : row.title, std::abs(row.bytes), 0, -1});
  }
  page.categories = CategoriesAt(state.values);
  page.layers = LayersAt(view, state);
  return page;
}

std::string MarkdownOf(const RunPage& page) {
  std::string out = fmt::format("# {}\n\n| | |\n|---|---|\n", InCell(page.title));
  for (const auto& [title, text] : page.facts)
    out += fmt::format("| {} | {} |\n", InCell(title), InCell(text));
  AddMarkdownTable("From tensors to the card, " + page.moment, page.levels, out);
  AddMarkdownTable("By category, " + page.moment, page.categories, out);
  AddMarkdownTable("By layer, " + page.moment, page.layers, out);
  if (!page.notes.empty()) out += "\n## Notes\n\n";
  for (const std::string& note : page.notes) out += "- " + InCell(note) + "\n";
  return out;
}

std::string HtmlOf(const RunPage& page) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>\n<h1>{0}</h1>\n",
      Escaped(page.title), kStyle);
  out += "<table class=\"facts\">\n";
  for (const auto& [title, text] : page.facts)
    out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", Escaped(title), Escaped(text));
  out += "</table>\n<h2>Memory over the run</h2>\n" + Chart(page).Svg();
  AddHtmlTable("From tensors to the card, " + page.moment, page.levels, out);
  AddHtmlTable("By category, " + page.moment, page.categories, out);
  AddHtmlTable("By layer, " + page.moment, page.layers, out);
  if (!page.notes.empty()) out += "<h2>Notes</h2>\n<ul>\n";
  for (const std::string& note : page.notes) out += "<li>" + Escaped(note) + "</li>\n";
  if (!page.notes.empty()) out += "</ul>\n";
  return out + "</html>\n";
}

}  // namespace tidemark::cli
