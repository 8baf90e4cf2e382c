#include "app/cli/reports/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "app/presenters/comparison/comparison_text.h"
#include "app/presenters/moment/settings_change.h"
#include "app/presenters/moment/untold_blocks.h"
#include "profiler/base/format.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {
namespace {

using events::EventIndex;
using presenters::ComparedBytes;
using presenters::RunComparison;
using presenters::StreamComparison;
using presenters::StreamDifference;
using presenters::StreamsCompared;

constexpr size_t kMostOwners = 12;        // layers, or lines, in the text
constexpr size_t kMostDifferences = 100;  // in JSON

std::string Count(uint64_t number) { return FormatNumber(static_cast<int64_t>(number)); }

// Right-aligned by what is seen: "−" is one character and three bytes.
std::string RightAligned(std::string_view text, size_t width) {
  const auto seen = static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
  return std::string(width > seen ? width - seen : 1, ' ') + std::string(text);
}

std::string Signed(const std::string& text) {
  if (text.starts_with('-')) return "−" + text.substr(1);
  return text.starts_with('+') ? text : "+" + text;
}

std::string BytesOrNone(std::optional<int64_t> bytes) { return bytes ? FormatNumber(*bytes) : "–"; }

// "+12.50 %"; of a multiple how many times as much it is.
std::string ShareInWords(double percent) {
  constexpr double kMostPercent = 1000;
  if (percent < kMostPercent) return Signed(fmt::format("{:+.2f} %", percent));
  return "× " + FormatNumber(static_cast<int64_t>(std::llround(1 + percent / 100)));
}

std::string ComparedRow(const ComparedBytes& row) {
  const std::optional<int64_t> difference = row.Difference();
  const std::optional<double> percent = row.Percent();
  std::string line = fmt::format("  {:<22}", row.title);
  line += RightAligned(BytesOrNone(row.a), 18) + RightAligned(BytesOrNone(row.b), 18);
  line += RightAligned(!difference ? "–" : *difference == 0 ? "same" : Signed(FormatNumber(*difference)), 18);
  if (percent && *difference != 0) line += RightAligned(ShareInWords(*percent), 12);
  return line + "\n";
}

std::string ComparedTable(const std::string& title, const std::vector<ComparedBytes>& rows) {
  std::string table = fmt::format("{:<24}", title);
  for (const char* column : {"A", "B", "B − A"}) table += RightAligned(column, 18);
  table += "\n";
  for (const ComparedBytes& row : rows) table += ComparedRow(row);
  return table;
}

struct Owners {
  std::string_view one;
  std::string_view many;
};
constexpr Owners kLayers = {"layer", "layers"};
constexpr Owners kLines = {"line of code", "lines of code"};

std::string OwnerTable(const Owners& what, const std::vector<ComparedBytes>& rows) {
  if (rows.empty()) return "";
  std::vector<ComparedBytes> different;
  for (const ComparedBytes& row : rows) {
    if (row.Difference() != 0) different.push_back(row);
  }
  if (different.empty()) return fmt::format("By {}, at these peaks: the same\n", what.one);
  const size_t shown = std::min(different.size(), kMostOwners);
  const size_t more = different.size() - shown;
  const size_t same = rows.size() - different.size();
  different.resize(shown);
  std::string table = ComparedTable(fmt::format("By {}, bytes", what.one), different);
  if (more > 0)
    table +=
        fmt::format("  {} more {}; --json tells all.\n", Count(more),
                    more == 1 ? fmt::format("{} differs", what.one) : fmt::format("{} differ", what.many));
  if (same > 0)
    table += fmt::format("  {} {} the same.\n", Count(same),
                         same == 1 ? fmt::format("{} is", what.one) : fmt::format("{} are", what.many));
  return table;
}

std::string StateTables(const presenters::StateComparison& states) {
  return ComparedTable("By category, bytes", states.categories) + OwnerTable(kLayers, states.layers) +
         OwnerTable(kLines, states.lines);
}

size_t CompleteSteps(const timeline::View& view) {
  return static_cast<size_t>(std::ranges::count(view.steps(), true, &timeline::Step::complete));
}

// "2 steps and a part of one more", of those that are compared.
std::string StepCountText(const timeline::View& view) {
  const size_t complete = CompleteSteps(view);
  std::string text = fmt::format("{} {}", Count(complete), complete == 1 ? "step" : "steps");
  if (view.steps().empty() || view.steps().back().complete) return text;
  const timeline::Step& last = view.steps().back();
  return presenters::AsksForMemory(view, {last.begin, last.end}) ? text + " and a part of one more" : text;
}

std::string FileRow(char letter, const ComparedFile& file) {
  // A snapshot's title is its file's name.
  const bool has_title = !file.description.title.empty() && !file.file.ends_with(file.description.title);
  const std::string title = has_title ? ": " + file.description.title : "";
  return fmt::format("{}  {}{}, {}, {} events\n", letter, file.file, title, StepCountText(*file.view),
                     Count(file.view->health().events));
}

std::string StreamRow(const char* title, const StreamComparison& stream) {
  return fmt::format("{}: {}\n", title, presenters::AgreementText(stream, "A", "B"));
}

std::string SideRow(char letter, const timeline::View& view, EventIndex index, uint64_t only) {
  return fmt::format("  {}  {}\n", letter, presenters::SideText(view, index, only));
}

std::string FirstDifferenceRows(const char* title, const ComparedFile& a, const ComparedFile& b,
                                const StreamComparison& stream) {
  if (stream.differences.empty()) return "";
  const StreamDifference& first = stream.differences.front();
  return fmt::format("{}\n", title) + SideRow('A', *a.view, first.a, first.only_a) +
         SideRow('B', *b.view, first.b, first.only_b);
}

std::string NotesText(std::string_view letter, const ComparedFile& file, const ComparedFile& other) {
  std::string text;
  for (const auto& warning : presenters::NotesOfOne(letter, file.warnings, {})) text += warning + "\n";
  for (const auto& note : presenters::NotesOfOne(letter, file.description.notes, other.description.notes)) {
    text += note + "\n";
  }
  return text;
}

bool AreTheSame(const std::vector<ComparedBytes>& rows) {
  return std::ranges::all_of(rows,
                             [](const ComparedBytes& row) { return row.Difference().value_or(0) == 0; });
}

// What blocks hold and whose they are is told or guessed, so it makes no difference to what is allocated.
std::string Verdict(const RunComparison& comparison) {
  if (!comparison.streams.blocks_known) return "Whether the two allocate the same is not known.\n";
  if (!comparison.same()) return "The two differ.\n";
  const presenters::StateComparison& at_peak = comparison.at_peak;
  if (!AreTheSame(at_peak.categories))
    return "The two allocate the same; what their blocks are said to hold differs.\n";
  if (!AreTheSame(at_peak.layers) || !AreTheSame(at_peak.lines))
    return "The two allocate the same; whose their blocks are is not told alike.\n";
  return "The two are the same.\n";
}

// What one of the two steps has more of, the largest difference first.
std::string BlockRows(const std::vector<presenters::OneSidedBlocks>& blocks) {
  if (blocks.empty()) return "";
  std::string rows = "More of these in one\n";
  for (const presenters::OneSidedBlocks& block :
       std::span(blocks).first(std::min(blocks.size(), kMostOwners))) {
    const std::string layer = block.layer.empty() ? "" : ", " + block.layer;
    rows += RightAligned(Signed(FormatNumber(block.Difference())), 20) +
            fmt::format(" B   {} against {} of {}: {}{}\n", Count(static_cast<uint64_t>(block.in_b)),
                        Count(static_cast<uint64_t>(block.in_a)), FormatExactBytes(block.bytes), block.title,
                        layer);
  }
  if (blocks.size() > kMostOwners)
    rows += fmt::format("  {} more kinds\n", Count(blocks.size() - kMostOwners));
  return rows;
}

Json BlocksJson(const std::vector<presenters::OneSidedBlocks>& blocks) {
  Json json = Json::array();
  for (const presenters::OneSidedBlocks& block : blocks) {
    json.push_back({{"title", block.title},
                    {"layer", block.layer},
                    {"category", events::KeyOf(block.category)},
                    {"bytes", block.bytes},
                    {"in_a", block.in_a},
                    {"in_b", block.in_b}});
  }
  return json;
}

Json PlaceJson(const timeline::View& view, EventIndex index) {
  if (index >= view.end()) return {};
  const events::Event& event = view.event(index);
  const timeline::Step* step = timeline::StepAt(view, index);
  return {{"event", index},
          {"step", step == nullptr ? -1 : step->number},
          {"phase", events::NameOf(event.phase)},
          {"layer", view.name(event.layer)},
          {"operator", view.name(event.op)},
          {"bytes", event.bytes},
          {"rounded_bytes", event.rounded_bytes}};
}

Json SideJson(const timeline::View& view, EventIndex index, uint64_t only) {
  return {{"only_here", only}, {"first", only == 0 ? Json() : PlaceJson(view, index)}};
}

Json StreamJson(const ComparedFile& a, const ComparedFile& b, const StreamComparison& stream) {
  Json differences = Json::array();
  for (const StreamDifference& difference : stream.differences) {
    if (differences.size() == kMostDifferences) break;
    differences.push_back({{"a", SideJson(*a.view, difference.a, difference.only_a)},
                           {"b", SideJson(*b.view, difference.b, difference.only_b)}});
  }
  return {{"agreed", stream.agreed},
          {"of_a", stream.of_a},
          {"of_b", stream.of_b},
          {"difference_count", stream.differences.size()},
          {"differences", differences}};
}

Json OrNull(std::optional<int64_t> bytes) { return bytes ? Json(*bytes) : Json(); }

Json RowsJson(const std::vector<ComparedBytes>& rows) {
  Json json = Json::object();
  for (const ComparedBytes& row : rows) {
    const std::optional<double> percent = row.Percent();
    json[row.category ? std::string(events::KeyOf(*row.category)) : row.title] = {
        {"a_bytes", OrNull(row.a)},
        {"b_bytes", OrNull(row.b)},
        {"difference_bytes", OrNull(row.Difference())},
        {"difference_percent", percent ? Json(*percent) : Json()}};
  }
  return json;
}

Json StateJson(const presenters::StateComparison& states) {
  return {{"by_category", RowsJson(states.categories)},
          {"by_layer", RowsJson(states.layers)},
          {"by_line", RowsJson(states.lines)}};
}

Json FileJson(const ComparedFile& file) {
  return {{"file", file.file},
          {"title", file.description.title},
          {"device_name", file.description.device_name},
          {"steps", CompleteSteps(*file.view)},
          {"events", file.view->health().events},
          {"warnings", file.warnings},
          {"notes", file.description.notes}};
}

}  // namespace

std::string CompareText(const ComparedFile& a, const ComparedFile& b, const RunComparison& comparison) {
  const StreamsCompared& streams = comparison.streams;
  std::string text = FileRow('A', a) + FileRow('B', b);
  const std::string settings = presenters::SettingsDifference(*a.view, *b.view);
  if (!settings.empty()) text += fmt::format("B has other settings than A: {}.\n", settings);
  text += presenters::AlignmentText(streams, "A", "B") + "\n";
  if (!streams.by_requested())
    text += "Sizes are those of blocks: what was asked for is not known in both.\n";
  text += "\n";
  if (streams.blocks_known) {
    text += StreamRow("Allocations", streams.allocations) + StreamRow("New segments", streams.segments);
    text += FirstDifferenceRows("The first difference of allocations", a, b, streams.allocations);
    text += FirstDifferenceRows("The first difference of new segments", a, b, streams.segments);
  } else {
    text += presenters::WhyNotCompared(*a.view, "A", *b.view, "B") + "\n";
  }
  text += "\n" + ComparedTable("Peaks, bytes", comparison.levels);
  text += fmt::format("\n{}, A at {}, B at {}\n",
                      streams.blocks_known ? "Where most is allocated" : "At the peaks",
                      a.view->empty() ? "its end" : presenters::PlaceText(*a.view, comparison.peak_a),
                      b.view->empty() ? "its end" : presenters::PlaceText(*b.view, comparison.peak_b));
  // Where neither tells of blocks there is no row.
  if (streams.blocks_known || !comparison.at_peak.categories.empty()) text += StateTables(comparison.at_peak);
  text += NotesText("A", a, b) + NotesText("B", b, a);
  return text + Verdict(comparison);
}

std::string StepsText(const ComparedFile& file, const presenters::SideBySide& steps) {
  std::string text = fmt::format("A  {} of {}\nB  {}\n\n", steps.title_a, file.file, steps.title_b);
  text += ComparedTable("Peaks, bytes", steps.levels);
  if (file.view->tells_blocks())
    text +=
        "\nWhere most is allocated in each\n" + StateTables(steps.states) + BlockRows(steps.states.blocks);
  for (const auto& warning : file.warnings) text += warning + "\n";
  if (!file.view->tells_blocks()) return text + presenters::WhyUntold(*file.view) + "\n";
  return text + (AreTheSame(steps) ? "The two are the same.\n" : "The two differ.\n");
}

Json StepsJson(const ComparedFile& file, const presenters::SideBySide& steps) {
  return {{"same", file.view->tells_blocks() ? Json(AreTheSame(steps)) : Json()},
          {"file", FileJson(file)},
          {"a", steps.title_a},
          {"b", steps.title_b},
          {"peaks", RowsJson(steps.levels)},
          {"at_peak", StateJson(steps.states)},
          {"blocks", BlocksJson(steps.states.blocks)}};
}

// What the card tells depends on when it is asked.
bool AreTheSame(const presenters::SideBySide& steps) {
  const auto counts = [](const ComparedBytes& level) {
    return level.level == timeline::Series::kRequested || level.level == timeline::Series::kAllocated ||
           level.level == timeline::Series::kReserved;
  };
  return steps.states.blocks.empty() && std::ranges::all_of(steps.levels, [&](const ComparedBytes& level) {
           return !counts(level) || level.Difference().value_or(0) == 0;
         });
}

Json CompareJson(const ComparedFile& a, const ComparedFile& b, const RunComparison& comparison) {
  const StreamsCompared& streams = comparison.streams;
  Json at_peak = {{"a", PlaceJson(*a.view, comparison.peak_a)}, {"b", PlaceJson(*b.view, comparison.peak_b)}};
  at_peak.update(StateJson(comparison.at_peak));
  const auto stream_json = [&](const StreamComparison& stream) {
    return streams.blocks_known ? StreamJson(a, b, stream) : Json();
  };
  return {{"same", streams.blocks_known ? Json(comparison.same()) : Json()},
          {"a", FileJson(a)},
          {"b", FileJson(b)},
          {"settings_difference", presenters::SettingsDifference(*a.view, *b.view)},
          {"aligned_by_step", streams.by_step},
          {"aligned_by_phase", streams.by_phase},
          {"compared_since_begun_anew", {{"a", streams.begun_anew_a}, {"b", streams.begun_anew_b}}},
          {"compared_sizes", streams.by_requested() ? "requested" : "allocated"},
          {"steps",
           {{"in_both", streams.steps_in_both},
            {"only_a", streams.steps_only_a},
            {"only_b", streams.steps_only_b}}},
          {"allocations", stream_json(streams.allocations)},
          {"new_segments", stream_json(streams.segments)},
          {"peaks", RowsJson(comparison.levels)},
          {"at_peak", std::move(at_peak)}};
}

}  // namespace tidemark::cli
