#include "app/gui/panels/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
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

// What, both runs' figures, their difference, and a gap before the scrollbar. A narrow panel leaves out the
// difference, which the two figures tell as well, rather than cutting names.
constexpr int kComparedColumns = 5;
bool HasDifferences() { return ImGui::TableGetColumnCount() == kComparedColumns; }

void DifferenceOf(std::optional<int64_t> difference, std::optional<double> percent, ByteUnit unit) {
  if (!HasDifferences()) return;
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
  std::string exact = sign + FormatExactBytes(size);
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

bool IsLit(const SelectedOwners& selected, const Selection& of_row) {
  if (of_row.kind == Selection::Kind::kCategory) return selected.category == of_row.category;
  if (of_row.kind == Selection::Kind::kLayer) return selected.layer == of_row.name;
  return of_row.any() && selected.selection == of_row;
}

void ComparedRow(const ComparisonInput& input, const ComparedBytes& row, CommandQueue& queue) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  SelectsOnClick(row.title, row.selection, IsLit(*input.selected, row.selection), queue);
  if (row.category) {
    Swatch(Colors().Of(*row.category));
    ImGui::SameLine();
  }
  const float room = ImGui::GetContentRegionAvail().x;
  Put(Words(), Fitted(Words(), row.title, room));
  if (!row.selection.any() && ImGui::IsItemHovered() && Measure(Words(), row.title).x > room)
    Tooltip(row.title);
  BytesCell(row.a, input.unit);
  BytesCell(row.b, input.unit);
  DifferenceOf(row.Difference(), row.Percent(), input.unit);
}

void GroupRow(const char* title) {
  ImGui::TableNextRow(ImGuiTableRowFlags_None, Px(26));
  ImGui::TableNextColumn();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + Px(6));
  Put(SmallMuted(), title);
}

void ComparedGroup(const char* title, const ComparisonInput& input, const std::vector<ComparedBytes>& rows,
                   CommandQueue& queue) {
  if (rows.empty()) return;
  GroupRow(title);
  ImGui::PushID(title);
  for (const ComparedBytes& row : rows) ComparedRow(input, row, queue);
  ImGui::PopID();
}

void AllocationRow(const ComparisonInput& input, const OneSidedBlocks& blocks, CommandQueue& queue) {
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
  NumberCell(FormatNumber(blocks.in_a) + " ×");
  NumberCell(FormatNumber(blocks.in_b) + " ×");
  DifferenceOf(blocks.Difference(), std::nullopt, input.unit);
}

void AllocationGroup(const ComparisonInput& input, CommandQueue& queue) {
  const std::vector<OneSidedBlocks>& blocks = input.comparison->states.blocks;
  if (blocks.empty()) return;
  GroupRow("more of these in one");
  const size_t shown = std::min(blocks.size(), kMostAllocations);
  for (size_t i = 0; i < shown; ++i) {
    ImGui::PushID(static_cast<int>(i));
    AllocationRow(input, blocks[i], queue);
    ImGui::PopID();
  }
  if (shown == blocks.size()) return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(MutedWords(), FormatNumber(static_cast<int64_t>(blocks.size() - shown)) + " more kinds");
}

// As wide as the widest figure, so that all room that is left goes to the names.
float FiguresWidth(const SideBySide& comparison, ByteUnit unit) {
  float width = Measure(SmallMuted(), "difference").x;
  for (const auto* rows : {&comparison.levels, &comparison.states.categories, &comparison.states.layers}) {
    for (const ComparedBytes& row : *rows) {
      for (const std::optional<int64_t>& bytes : {row.a, row.b, row.Difference()}) {
        if (bytes) width = std::max(width, Measure(Numbers(), FormatInUnit(*bytes, unit)).x);
      }
    }
  }
  return width + Px(12);
}

void DrawTable(const ComparisonInput& input, CommandQueue& queue) {
  const SideBySide& comparison = *input.comparison;
  const ByteUnit unit = input.unit;
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_ScrollY;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(Px(4), Px(3)));
  const float figures = FiguresWidth(comparison, unit);
  const float all = Px(110) + 3 * figures + 2 * Px(4) * kComparedColumns + ImGui::GetStyle().ScrollbarSize;
  const bool is_narrow = ImGui::GetContentRegionAvail().x < all;
  const int columns = is_narrow ? kComparedColumns - 1 : kComparedColumns;
  if (ImGui::BeginTable(is_narrow ? "narrow comparison" : "comparison", columns, kFlags,
                        ImGui::GetContentRegionAvail())) {
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    for (const char* name : {"A", "B"}) ImGui::TableSetupColumn(name, 0, figures);
    if (HasDifferences()) ImGui::TableSetupColumn("difference", 0, figures);
    ImGui::TableSetupColumn("before the scrollbar", ImGuiTableColumnFlags_WidthFixed, Px(1));
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow();
    HeaderCell(std::string("what, ") + UnitName(unit), Align::kLeft, "what");
    HeaderCell(Fitted(SmallMuted(), comparison.title_a, figures), Align::kRight, "first run");
    if (ImGui::IsItemHovered()) Tooltip(comparison.title_a);
    HeaderCell(Fitted(SmallMuted(), comparison.title_b, figures), Align::kRight, "second run");
    if (ImGui::IsItemHovered()) Tooltip(comparison.title_b);
    if (HasDifferences()) HeaderCell("difference", Align::kRight);
    ComparedGroup("levels", input, comparison.levels, queue);
    ComparedGroup("by category", input, comparison.states.categories, queue);
    ComparedGroup("by layer", input, comparison.states.layers, queue);
    ComparedGroup("by stream", input, comparison.states.streams, queue);
    AllocationGroup(input, queue);
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

}  // namespace

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
  if (input.streams != nullptr) PutWrapped(SmallMuted(), input.streams->sentence);
  if (!input.comparison->headline.empty()) PutWrapped(StrongWords(), input.comparison->headline);
  DrawTable(input, queue);
}

}  // namespace tidemark::gui
