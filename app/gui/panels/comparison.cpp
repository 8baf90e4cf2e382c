#include "app/gui/panels/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "app/gui/panels/table_cells.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/allocations/layer_names.h"
#include "app/presenters/moment/signed_bytes.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::ComparedBytes;
using presenters::OneSidedBlocks;
using presenters::SelectedOwners;
using presenters::Selection;
using presenters::SideBySide;

// The first of them in the run that is shown, if it has any.
Selection FirstShown(const OneSidedBlocks& blocks, bool of_one_run) {
  if (blocks.first_in_a) return presenters::AllocationSelected(*blocks.first_in_a);
  if (of_one_run && blocks.first_in_b) return presenters::AllocationSelected(*blocks.first_in_b);
  return {};
}

constexpr size_t kMostAllocations = 200;  // the rest is told as a number

void DifferenceOf(std::optional<int64_t> difference, std::optional<double> percent, ByteUnit unit) {
  ImGui::TableNextColumn();
  if (!difference) return;
  if (*difference == 0) {
    PutRight(Colored(Strongly(Words()), Colors().good), "=");
    return;
  }
  const std::string sign = *difference > 0 ? "+" : "−";
  const Color color = *difference > 0 ? Colors().warning : Colors().good;
  const int64_t size = SaturatingMagnitude(*difference);
  PutRight(Colored(Numbers(), color), sign + FormatInUnit(size, unit));
  if (!ImGui::IsItemHovered()) return;
  std::string exact = presenters::SignedExactBytes(*difference);
  if (percent) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", std::abs(*percent));
    exact += ", " + sign + text;
  }
  Tooltip(exact);
}

constexpr const char* kClickHelp = "\nClick to light it up in every panel; click again to stop.";

// The whole row as a button, where there is something that a click selects.
void SelectsOnClick(const std::string& title, const Selection& selection, bool lit, CommandQueue& queue) {
  if (!selection.any()) return;
  if (SelectableRow(title.c_str(), lit)) queue.Push(Select{selection});
  Tooltip(title + kClickHelp);
}

// What is compared, and the columns that there is room for.
struct Shown {
  const ComparisonInput& input;
  ComparedColumns columns;
};

bool IsLit(const SelectedOwners& selected, const Selection& of_row) {
  if (of_row.kind == Selection::Kind::kCategory) return selected.category == of_row.category;
  if (of_row.kind == Selection::Kind::kLayer) return presenters::IsOneOf(selected.layer, of_row.name);
  return of_row.any() && selected.selection == of_row;
}

void ComparedRow(const Shown& shown, const std::vector<ComparedBytes>& rows, size_t index,
                 CommandQueue& queue) {
  const ComparedBytes& row = rows[index];
  const ComparisonInput& input = shown.input;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  SelectsOnClick(row.title, row.selection, IsLit(*input.selected, row.selection), queue);
  if (row.category) {
    Swatch(Colors().Of(*row.category));
    ImGui::SameLine();
  }
  const float room = ImGui::GetContentRegionAvail().x;
  const bool is_seen = ImGui::IsRectVisible({room, ImGui::GetTextLineHeight()});
  const auto others = is_seen ? NamesAbout(rows, index, &ComparedBytes::title) : std::vector<std::string>();
  Put(Words(), FittedApart(Words(), row.title, others, room));
  if (!row.selection.any() && ImGui::IsItemHovered() && Measure(Words(), row.title).x > room)
    Tooltip(row.title);
  if (shown.columns.a) BytesCell(row.a, input.unit);
  if (shown.columns.b) BytesCell(row.b, input.unit);
  DifferenceOf(row.Difference(), row.Percent(), input.unit);
}

void GroupRow(const char* title) {
  ImGui::TableNextRow(ImGuiTableRowFlags_None, Px(26));
  ImGui::TableNextColumn();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + Px(6));
  Put(SmallMuted(), title);
}

void ComparedGroup(const char* title, const Shown& shown, const std::vector<ComparedBytes>& rows,
                   CommandQueue& queue) {
  if (rows.empty()) return;
  GroupRow(title);
  ImGui::PushID(title);
  for (size_t i = 0; i < rows.size(); ++i) ComparedRow(shown, rows, i, queue);
  ImGui::PopID();
}

void AllocationRow(const Shown& shown, const OneSidedBlocks& blocks, CommandQueue& queue) {
  const ComparisonInput& input = shown.input;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const Selection selection = FirstShown(blocks, input.comparison->of_one_run);
  const std::string whole = blocks.title + (blocks.layer.empty() ? "" : "\n" + blocks.layer) + "\n" +
                            FormatExactBytes(blocks.bytes) + " each";
  if (selection.any()) {
    const bool lit = IsLit(*input.selected, selection);
    if (SelectableRow("of one", lit)) queue.Push(Select{selection});
    Tooltip(whole + "\nClick to light the first of them up in every panel; click again to stop.");
  }
  Swatch(Colors().Of(blocks.category));
  ImGui::SameLine();
  Put(Words(), Fitted(Words(), blocks.title, ImGui::GetContentRegionAvail().x));
  if (!selection.any() && ImGui::IsItemHovered())
    Tooltip(whole + "\nThe run that is shown has none of them.");
  if (shown.columns.a) NumberCell(FormatNumber(blocks.in_a) + " ×");
  if (shown.columns.b) NumberCell(FormatNumber(blocks.in_b) + " ×");
  DifferenceOf(blocks.Difference(), std::nullopt, input.unit);
}

void AllocationGroup(const Shown& shown, CommandQueue& queue) {
  const std::vector<OneSidedBlocks>& blocks = shown.input.comparison->states.blocks;
  if (blocks.empty()) return;
  GroupRow("more of these in one");
  const size_t told = std::min(blocks.size(), kMostAllocations);
  for (size_t i = 0; i < told; ++i) {
    ImGui::PushID(static_cast<int>(i));
    AllocationRow(shown, blocks[i], queue);
    ImGui::PopID();
  }
  if (told == blocks.size()) return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(MutedWords(), FormatNumber(static_cast<int64_t>(blocks.size() - told)) + " more kinds");
}

// As wide as the widest figure, so that all room that is left goes to the names.
ComparedWidths WidthsOf(const SideBySide& comparison, ByteUnit unit) {
  ComparedWidths widths;
  widths.difference = Measure(SmallMuted(), "difference").x;
  const auto widen = [unit](float& width, const char* sign, std::optional<int64_t> bytes) {
    if (bytes)
      width = std::max(width, Measure(Numbers(), sign + FormatInUnit(SaturatingMagnitude(*bytes), unit)).x);
  };
  const presenters::StateComparison& states = comparison.states;
  for (const auto* rows : {&comparison.levels, &states.categories, &states.layers, &states.lines}) {
    for (const ComparedBytes& row : *rows) {
      widen(widths.a, "", row.a);
      widen(widths.b, "", row.b);
      widen(widths.difference, "+", row.Difference());
      widths.names = std::max(widths.names, Measure(Words(), row.title).x);
    }
  }
  widths.names =
      std::min(widths.names + Px(18), Px(110));  // its colour; layers' names are cut in their middle
  for (float* width : {&widths.a, &widths.b, &widths.difference}) *width += Px(6);
  return widths;
}

float WidthOfAll(const ComparedWidths& widths, const ComparedColumns& columns, float padding) {
  float width = widths.names + widths.difference + 3 * padding;
  if (columns.a) width += widths.a + padding;
  if (columns.b) width += widths.b + padding;
  return width;
}

// What names and figures leave goes to the runs' titles.
void WidenForTitles(const SideBySide& comparison, const ComparedColumns& columns, float left,
                    ComparedWidths* widths) {
  const auto widen = [&left](const std::string& title, bool is_shown, float* width) {
    const float wanted = Measure(SmallMuted(), title).x + Px(6) - *width;
    const float more = is_shown ? std::clamp(wanted, 0.0F, std::max(left, 0.0F)) : 0;
    *width += more;
    left -= more;
  };
  widen(comparison.title_a, columns.a, &widths->a);
  widen(comparison.title_b, columns.b, &widths->b);
}

void DrawHeader(const SideBySide& comparison, ByteUnit unit, const ComparedColumns& columns,
                const ComparedWidths& widths, std::span<const std::string_view> left_out) {
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  if (columns.a) ImGui::TableSetupColumn("A", 0, widths.a);
  if (columns.b) ImGui::TableSetupColumn("B", 0, widths.b);
  ImGui::TableSetupColumn("difference", 0, widths.difference);
  ImGui::TableSetupColumn("before the scrollbar", ImGuiTableColumnFlags_WidthFixed, WidthOfLeftOut(left_out));
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow();
  HeaderCell(std::string("what, ") + UnitName(unit), Align::kLeft, "what");
  const auto run = [](const std::string& title, float width, const char* label) {
    HeaderCell(FittedEnds(SmallMuted(), title, width), Align::kRight, label);
    if (ImGui::IsItemHovered()) Tooltip(title);
  };
  if (columns.a) run(comparison.title_a, widths.a, "first run");
  if (columns.b) run(comparison.title_b, widths.b, "second run");
  HeaderCell("difference", Align::kRight);
  LeftOutCell(left_out);
}

void DrawTable(const ComparisonInput& input, CommandQueue& queue) {
  const SideBySide& comparison = *input.comparison;
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_ScrollY;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(Px(4), Px(3)));
  ComparedWidths widths = WidthsOf(comparison, input.unit);
  constexpr std::array<std::string_view, 1> kOne = {"…"};
  const float beside = WidthOfLeftOut(kOne) + ImGui::GetStyle().ScrollbarSize;
  const float room = ImGui::GetContentRegionAvail().x - beside;
  const float padding = 2 * Px(4);
  const Shown shown{input, ComparedColumnsFor(widths, padding, room)};
  WidenForTitles(comparison, shown.columns, room - WidthOfAll(widths, shown.columns, padding), &widths);
  std::vector<std::string_view> left_out;
  if (!shown.columns.a) left_out.push_back(comparison.title_a);
  if (!shown.columns.b) left_out.push_back(comparison.title_b);
  const int columns = 5 - static_cast<int>(left_out.size());
  if (ImGui::BeginTable("comparison", columns, kFlags, ImGui::GetContentRegionAvail())) {
    DrawHeader(comparison, input.unit, shown.columns, widths, left_out);
    ComparedGroup("levels", shown, comparison.levels, queue);
    ComparedGroup("by category", shown, comparison.states.categories, queue);
    ComparedGroup("by layer", shown, comparison.states.layers, queue);
    ComparedGroup("by line of code", shown, comparison.states.lines, queue);
    ComparedGroup("by stream", shown, comparison.states.streams, queue);
    AllocationGroup(shown, queue);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

// Where the two part, in order.
void DrawFirstDifference(const presenters::StreamsSummary* streams, CommandQueue& queue) {
  if (streams == nullptr || streams->first_difference.empty()) return;
  ImGui::SameLine();
  ImGui::BeginDisabled(!streams->first_in_a);
  if (PlainButton("First difference")) queue.Push(GoToMoment{streams->first_in_a, {}, true});
  ImGui::EndDisabled();
  Tooltip(streams->first_difference +
          (streams->first_in_a ? "\nClick to go there; Backspace comes back." : ""));
}

// The first of them; the others where the pointer rests.
void DrawNotes(const std::vector<std::string>& notes) {
  constexpr size_t kMostNotes = 3;
  const size_t told = std::min(notes.size(), kMostNotes);
  for (size_t i = 0; i < told; ++i) PutWrapped(Words(), notes[i]);
  if (told == notes.size()) return;
  Put(MutedWords(), FormatNumber(static_cast<int64_t>(notes.size() - told)) + " more notes");
  std::string others;
  for (size_t i = told; i < notes.size(); ++i) others += (others.empty() ? "" : "\n") + notes[i];
  if (ImGui::IsItemHovered()) Tooltip(others);
}

}  // namespace

ComparedColumns ComparedColumnsFor(const ComparedWidths& widths, float padding, float room) {
  ComparedColumns columns;
  const auto fits = [&] { return WidthOfAll(widths, columns, padding) <= room; };
  columns.a = fits();
  columns.b = columns.a || fits();
  return columns;
}

void DrawComparisonPanel(const ComparisonInput& input, ComparisonState& state, CommandQueue& queue) {
  state.drawn = true;
  PanelTitle("Compare", input.comparison == nullptr ? "" : input.comparison->moment);
  if (input.second_run) {
    if (PlainButton("Stop comparing")) queue.Push(ActionId::kStopComparing);
    DrawFirstDifference(input.streams, queue);
  } else if (PlainButton("Compare with…")) {
    queue.Push(ActionId::kCompareWith);
  }
  if (input.comparison == nullptr) {
    EmptyReason(input.empty_reason);
    return;
  }
  if (!input.settings.empty())
    PutWrapped(Words(), "The second run has other settings: " + input.settings + ".");
  DrawNotes(input.notes);
  if (input.streams != nullptr) PutWrapped(SmallMuted(), input.streams->sentence);
  if (!input.comparison->headline.empty()) PutWrapped(StrongWords(), input.comparison->headline);
  DrawTable(input, queue);
}

}  // namespace tidemark::gui
