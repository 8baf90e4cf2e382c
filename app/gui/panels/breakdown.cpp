#include "app/gui/panels/breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/table_cells.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/presenters/moment/level_chain.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using timeline::Series;

void DifferenceCell(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  const ByteUnit unit = input.unit;
  ImGui::TableNextColumn();
  if (!row.difference_bytes) return;
  if (*row.difference_bytes == 0) {
    PutRight(Colored(Strongly(Words()), Colors().good), "=");
    if (ImGui::IsItemHovered()) Tooltip("The run and the phantom's prediction agree to the byte.");
    return;
  }
  const std::string sign = *row.difference_bytes > 0 ? "+" : "−";
  const std::string why = WhyOther(row, input);
  PutRight(Colored(Numbers(), why.empty() ? Colors().warning : Colors().muted),
           sign + FormatInUnit(SaturatingMagnitude(*row.difference_bytes), unit));
  if (ImGui::IsItemHovered()) {
    Tooltip("The run minus the phantom's prediction: " + sign +
            FormatExactBytes(SaturatingMagnitude(*row.difference_bytes)) + (why.empty() ? "" : "\n" + why));
  }
}

// Of what is selected, in this category: lights up the row of an owner that is not a category itself.
int64_t SelectedIn(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  if (!row.category || input.selected_bytes == nullptr) return 0;
  return (*input.selected_bytes)[static_cast<size_t>(*row.category)];
}

// A lesson asks for its figures, or for some that it is a sum of.
bool IsUntold(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  return row.category ? input.asked.contains(*row.category) : !input.asked.empty();
}

void ShareCell(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  ImGui::TableNextColumn();
  const std::optional<double> share = presenters::ShareOfAllocated(*input.breakdown, row);
  if (share) PutRight(Numbers(), fmt::format("{:.1f}", 100 * *share));
}

// Rather than cutting names a narrow panel leaves out columns: the phantom's figures, which the run's and the
// difference tell as well, then the textbook's, and at last the difference, where there is one.
struct ColumnWidths {
  float figures = 0;
  float difference = 0;
  std::vector<std::string_view> left_out = {};

  bool has(std::string_view column) const { return std::ranges::count(left_out, column) == 0; }
  // Where only the textbook stands beside the run, it would be taken for the run minus that.
  const char* difference_title() const { return has("phantom") ? "diff." : "− phantom"; }
  float difference_width() const {
    return std::max(difference, Measure(SmallMuted(), difference_title()).x + Px(6));
  }
  int figure_columns() const {
    return 1 + static_cast<int>(has("textbook")) + static_cast<int>(has("phantom"));
  }
  int count() const {
    return 1 + figure_columns() + static_cast<int>(has("diff.")) + static_cast<int>(!left_out.empty());
  }
};

bool HasDifferences(const presenters::Breakdown& breakdown) {
  const auto differs = [](const presenters::BreakdownRow& row) { return row.difference_bytes.has_value(); };
  return std::ranges::any_of(breakdown.rows, differs) || std::ranges::any_of(breakdown.totals, differs);
}

constexpr const char* kNotSampled = "not sampled";

// What the card told nearest to the moment, where it tells anything of that: it holds no less than a level
// below it.
std::string WordsOfUnsampled(const presenters::BreakdownRow& row, const BreakdownInput& input) {
  const auto& totals = input.breakdown->totals;
  const bool is_less = std::ranges::any_of(totals, [&](const presenters::BreakdownRow& below) {
    return &below < &row && below.measured_bytes.value_or(0) > row.told_bytes.value_or(0);
  });
  return is_less || !row.told_bytes ? kNotSampled : FormatInUnit(*row.told_bytes, input.unit);
}

// Columns are as wide as their widest figure, so that all room that is left goes to the names.
ColumnWidths WidthsFor(const BreakdownInput& input) {
  ColumnWidths widths{Measure(SmallMuted(), WordForRun(input.on_phantom)).x};
  for (const auto* rows : {&input.breakdown->rows, &input.breakdown->totals}) {
    for (const presenters::BreakdownRow& row : *rows) {
      for (const auto& bytes : {row.textbook_bytes, row.phantom_bytes, row.measured_bytes}) {
        if (bytes)
          widths.figures =
              std::max(widths.figures,
                       Measure(row.category ? Numbers() : StrongWords(), FormatInUnit(*bytes, input.unit)).x);
      }
      if (row.is_unsampled)
        widths.figures = std::max(widths.figures, Measure(SmallMuted(), WordsOfUnsampled(row, input)).x);
      if (row.difference_bytes.value_or(0) == 0) continue;
      widths.difference = std::max(
          widths.difference,
          Measure(Numbers(), "+" + FormatInUnit(SaturatingMagnitude(*row.difference_bytes), input.unit)).x);
    }
  }
  if (input.only_measured) widths.difference = Measure(Numbers(), "100.0").x;
  widths.figures += Px(6);
  widths.difference += Px(6);
  float names = Px(18);
  for (const presenters::BreakdownRow& row : input.breakdown->rows)
    names = std::max(names, Px(18) + Measure(Words(), row.title).x);
  for (const presenters::BreakdownRow& row : input.breakdown->totals)
    names = std::max(names, Px(18) + Measure(StrongWords(), row.title).x);
  const auto fits = [&] {
    const float needed = names + widths.figures * static_cast<float>(widths.figure_columns()) +
                         (widths.has("diff.") ? widths.difference_width() : 0) +
                         (widths.left_out.empty() ? 0 : WidthOfLeftOut(widths.left_out)) +
                         2 * Px(4) * static_cast<float>(widths.count());
    return needed <= ImGui::GetContentRegionAvail().x;
  };
  if (input.only_measured) return widths;
  std::vector<std::string_view> least_needed = {"phantom", "textbook", "diff."};
  if (!HasDifferences(*input.breakdown)) std::ranges::rotate(least_needed, least_needed.end() - 1);
  for (const std::string_view column : least_needed) {
    if (fits()) break;
    widths.left_out.push_back(column);
  }
  return widths;
}

// A lesson asks for what would stand here.
void NotToldCells(const BreakdownInput& input, const ColumnWidths& widths) {
  const int figures = input.only_measured ? 1 : widths.figure_columns();
  for (int i = 0; i < figures; ++i) {
    NumberCell("?");
    if (ImGui::IsItemHovered()) Tooltip("A page of this lesson asks for it first.");
  }
}

void MeasuredCell(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  if (!row.is_unsampled) return BytesCell(row.measured_bytes, input.unit, !row.category.has_value());
  ImGui::TableNextColumn();
  PutRight(SmallMuted(), WordsOfUnsampled(row, input));
  if (ImGui::IsItemHovered()) {
    const std::string told =
        row.told_bytes ? FormatExactBytes(*row.told_bytes) + presenters::AwayText(row.away_ns) + ".\n" : "";
    Tooltip(told +
            "The card is asked ten times a second, and was not while this process held as much as here.");
  }
}

void Row(const BreakdownInput& input, const presenters::BreakdownRow& row, const ColumnWidths& widths,
         CommandQueue& queue) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (row.category) {
    const bool lit =
        SelectedIn(input, row) > 0 || (input.selected != nullptr && input.selected->category == row.category);
    if (SelectableRow(row.title.c_str(), lit))
      queue.Push(Select{presenters::CategorySelected(*row.category)});
  }
  const bool total = !row.category.has_value();
  if (total) {
    ImGui::Dummy({Px(10), 1});
    ImGui::SameLine();
    const std::string shown = Fitted(StrongWords(), row.title, ImGui::GetContentRegionAvail().x);
    Put(StrongWords(), shown);
    MarkTerms(ImGui::GetItemRectMin(), StrongWords(), shown, TermHint::kNone);
  } else {
    Swatch(Colors().Of(*row.category));
    ImGui::SameLine();
    const std::string shown = Fitted(Words(), row.title, ImGui::GetContentRegionAvail().x);
    Put(Words(), shown);
    MarkTerms(ImGui::GetItemRectMin(), Words(), shown, TermHint::kNone);
  }
  if (ImGui::IsItemHovered()) Tooltip(ToldOf(row, input));
  if (IsUntold(input, row)) return NotToldCells(input, widths);
  if (input.only_measured) {
    MeasuredCell(input, row);
    return ShareCell(input, row);
  }
  if (widths.has("textbook")) BytesCell(row.textbook_bytes, input.unit, total);
  if (widths.has("phantom")) BytesCell(row.phantom_bytes, input.unit, total);
  MeasuredCell(input, row);
  if (widths.has("diff.")) DifferenceCell(input, row);
}

void Header(const BreakdownInput& input, const ColumnWidths& widths) {
  const char* const run = WordForRun(input.on_phantom);
  std::vector<const char*> figures;
  for (const char* column : {"textbook", "phantom"}) {
    if (!input.only_measured && widths.has(column)) figures.push_back(column);
  }
  figures.push_back(run);
  const char* const last = input.only_measured ? "%" : widths.difference_title();
  ImGui::TableSetupColumn("category", ImGuiTableColumnFlags_WidthStretch);
  for (const char* name : figures) ImGui::TableSetupColumn(name, 0, widths.figures);
  const bool has_last = input.only_measured || widths.has("diff.");
  if (has_last)
    ImGui::TableSetupColumn(last, 0, input.only_measured ? widths.difference : widths.difference_width());
  if (!widths.left_out.empty()) ImGui::TableSetupColumn("left out", 0, WidthOfLeftOut(widths.left_out));
  ImGui::TableNextRow();
  const std::string unit = UnitName(input.unit);
  ImGui::TableNextColumn();
  const bool has_room = Measure(SmallMuted(), "category, " + unit).x <= ImGui::GetContentRegionAvail().x;
  PutLabel(SmallMuted(), has_room ? "category, " + unit : unit, Align::kLeft, "category");
  for (const std::string_view name : figures) {
    const bool is_of_peak = input.ran_out && name == "phantom";
    HeaderCell(name, Align::kRight, is_of_peak ? "phantom's peak" : name);
  }
  if (has_last) HeaderCell(last, Align::kRight, input.only_measured ? last : "diff.");
  LeftOutCell(widths.left_out);
}

// Above and below each row: less where all of them would not fit otherwise.
float RowPadding(const BreakdownInput& input) {
  const auto rows = static_cast<float>(input.breakdown->rows.size() + input.breakdown->totals.size() + 1);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float higher = input.breakdown->higher ? Px(24) : 0;
  const float note = input.note.empty() ? 0 : MeasureWrapped(SmallMuted(), input.note, room.x).y + Px(6);
  const float row = (room.y - note - higher - Px(12)) / rows;
  return std::clamp(std::floor((row - ImGui::GetTextLineHeight()) / 2), Px(1), Px(4));
}

// "layer conv2: 29.70 MB of it, in the rows that are lit"
std::string SelectedLine(const BreakdownInput& input) {
  int64_t bytes = 0;
  for (const presenters::BreakdownRow& row : input.breakdown->rows)
    bytes = SaturatingSum(bytes, SelectedIn(input, row));
  if (bytes == 0 || input.selected->selection.kind == presenters::Selection::Kind::kCategory) return "";
  return input.selected->title + ": " + FormatBytes(bytes, input.unit) + " of it, in the rows that are lit";
}

void DrawRows(const BreakdownInput& input, CommandQueue& queue) {
  const ColumnWidths widths = WidthsFor(input);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(Px(4), RowPadding(input)));
  const int columns = input.only_measured ? 3 : widths.count();
  std::string table = "breakdown";  // each has widths of its own
  for (const std::string_view column : widths.left_out) table.append(" without ").append(column);
  // In a wide panel the figures would stand far from their names.
  const float width = std::min(ImGui::GetContentRegionAvail().x, Px(560));
  if (ImGui::BeginTable(input.only_measured ? "measured breakdown" : table.c_str(), columns,
                        ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings, {width, 0})) {
    Header(input, widths);
    for (const presenters::BreakdownRow& row : input.breakdown->rows) Row(input, row, widths, queue);
    ImGui::TableNextRow(ImGuiTableRowFlags_None, Px(9));
    ImGui::TableNextColumn();
    const float line_y = ImGui::GetCursorScreenPos().y;
    for (const presenters::BreakdownRow& row : input.breakdown->totals) Row(input, row, widths, queue);
    ImGui::EndTable();
    const float left = ImGui::GetItemRectMin().x;
    ImGui::GetWindowDrawList()->AddLine({left, line_y}, {ImGui::GetItemRectMax().x, line_y},
                                        U32(Colors().border));
  }
  ImGui::PopStyleVar();
  Consequence(SelectedLine(input), Colors().accent);
  if (input.breakdown->higher && input.asked.empty())
    Consequence(presenters::InWords(*input.breakdown->higher, input.unit));
  std::set<std::string> reasons;  // each once: what lies below a total follows from it
  for (const presenters::BreakdownRow& total : input.breakdown->totals) {
    if (const std::string why = WhyOther(total, input); reasons.insert(why).second) Consequence(why);
  }
  Consequence(input.breakdown->untold);
  Consequence(input.note);
}

constexpr const char* kRanOutBefore = "Memory ran out before the peak that is predicted.";
constexpr const char* kFirstStep =
    "The first step with these settings makes what later ones find, such as the optimizer's state; the "
    "prediction is of a later one.";
constexpr const char* kInCache =
    "What earlier settings left in PyTorch's cache is in reserved and driver; the phantom's prediction has "
    "none of it. R begins anew.";
constexpr const char* kInOtherPlaces =
    "Less is reserved than by a run that begins with these settings: blocks lie in what earlier settings "
    "left in PyTorch's cache. R begins anew.";
// Of the driver alone, where reserved does not lie on the same side of what is predicted.
constexpr const char* kMoreOutside =
    "The driver gave more outside of PyTorch than to a run that begins with these settings: reserved is not "
    "more. R begins anew.";
constexpr const char* kLessAtMoment =
    "At this moment the driver has given less than to a run that begins with these settings. Reserved is not "
    "less: it is the most of the whole step.";

std::optional<int64_t> DifferenceOf(const presenters::Breakdown& breakdown, Series level) {
  const auto row = std::ranges::find(breakdown.totals, level, &presenters::BreakdownRow::level);
  return row == breakdown.totals.end() ? std::nullopt : row->difference_bytes;
}

// Of reserved or the driver, in a run that has had other settings.
const char* WhyOtherInCache(const presenters::BreakdownRow& row, const BreakdownInput& input) {
  const int64_t difference = *row.difference_bytes;
  const int64_t reserved = DifferenceOf(*input.breakdown, Series::kReserved).value_or(difference);
  if (difference > 0) return reserved > 0 ? kInCache : kMoreOutside;
  return reserved < 0 ? kInOtherPlaces : kLessAtMoment;
}

bool AsksAsPredicted(const presenters::Breakdown& breakdown) {
  return DifferenceOf(breakdown, Series::kRequested) == 0;
}

}  // namespace

std::string WhyOther(const presenters::BreakdownRow& row, const BreakdownInput& input) {
  const int64_t difference = row.difference_bytes.value_or(0);
  if (difference == 0) return "";
  if (input.ran_out && difference < 0) return kRanOutBefore;
  const bool is_of_cache = row.level == Series::kReserved || row.level == Series::kDriver;
  if (input.was_changed && is_of_cache) return WhyOtherInCache(row, input);
  if (input.is_first_step && !AsksAsPredicted(*input.breakdown)) return kFirstStep;
  const bool is_allocated = row.category || row.level == Series::kAllocated;
  return input.was_changed && is_allocated && difference > 0
             ? presenters::WhyMoreIsAllocated(*input.breakdown)
             : "";
}

std::string ToldOf(const presenters::BreakdownRow& row, const BreakdownInput& input) {
  std::string told =
      lessons::MeaningOf(input.glossary, row.level ? std::string(NameOf(*row.level)) : row.title);
  if (IsUntold(input, row)) return told;
  if (const int64_t bytes = SelectedIn(input, row); bytes > 0)
    told = input.selected->title + ": " + FormatExactBytes(bytes) + " of it.\n" + told;
  if (row.at_moment_bytes) {
    told = "The highest, while it went on; at this very moment " + FormatExactBytes(*row.at_moment_bytes) +
           " were reserved, as the timeline shows there.\n" + told;
  }
  if (row.requested_bytes && row.requested_bytes != row.measured_bytes)
    told = FormatExactBytes(*row.requested_bytes) + " were requested; PyTorch's blocks are larger.\n" + told;
  if (!row.category || input.textbook == nullptr) return told;
  const auto& terms = input.textbook->terms;
  const auto term = std::ranges::find(terms, *row.category, &textbook::Term::category);
  if (term == terms.end())
    return told + "\nThe textbook has no formula for this category: it is what a real program needs besides.";
  return told + "\n" + term->title + "\n" + term->words + "\n" + term->symbols + " = " +
         FormatExactBytes(term->bytes);
}

void DrawBreakdownPanel(const BreakdownInput& input, BreakdownState&, CommandQueue& queue) {
  const bool tells_no_step = input.only_measured && input.breakdown->rows.empty();  // which it need not have
  PanelTitle(input.at_peak ? "Where the peak goes" : "Where the memory goes",
             tells_no_step ? "" : input.breakdown->moment);
  if (input.breakdown->rows.empty()) return EmptyReason(input.empty_reason);
  if (BeginScrolled("rows")) DrawRows(input, queue);
  EndScrolled();
}

}  // namespace tidemark::gui
