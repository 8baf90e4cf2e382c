#include "app/gui/panels/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/signed_bytes.h"

namespace tidemark::gui {
namespace {

using presenters::ComparedBytes;
using presenters::OneSidedBlocks;
using presenters::SideBySide;

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
  const int64_t size =
      presenters::Difference(std::max<int64_t>(*difference, 0), std::min<int64_t>(*difference, 0));
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

void ComparedRow(const ComparedBytes& row, ByteUnit unit) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (row.category) {
    Swatch(Colors().Of(*row.category));
    ImGui::SameLine();
  }
  const float room = ImGui::GetContentRegionAvail().x;
  Put(Words(), Fitted(Words(), row.title, room));
  if (ImGui::IsItemHovered() && Measure(Words(), row.title).x > room) Tooltip(row.title);
  BytesCell(row.a, unit);
  BytesCell(row.b, unit);
  DifferenceOf(row.Difference(), row.Percent(), unit);
}

void GroupRow(const char* title) {
  ImGui::TableNextRow(ImGuiTableRowFlags_None, Px(26));
  ImGui::TableNextColumn();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + Px(6));
  Put(SmallMuted(), title);
}

void ComparedGroup(const char* title, const std::vector<ComparedBytes>& rows, ByteUnit unit) {
  if (rows.empty()) return;
  GroupRow(title);
  for (const ComparedBytes& row : rows) ComparedRow(row, unit);
}

void AllocationRow(const OneSidedBlocks& blocks, ByteUnit unit) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Swatch(Colors().Of(blocks.category));
  ImGui::SameLine();
  Put(Words(), Fitted(Words(), blocks.title, ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered()) {
    Tooltip(blocks.title + (blocks.layer.empty() ? "" : "\n" + blocks.layer) + "\n" +
            FormatExactBytes(blocks.bytes) + " each");
  }
  NumberCell(FormatNumber(blocks.in_a) + " ×");
  NumberCell(FormatNumber(blocks.in_b) + " ×");
  DifferenceOf(blocks.Difference(), std::nullopt, unit);
}

void AllocationGroup(const std::vector<OneSidedBlocks>& blocks, ByteUnit unit) {
  if (blocks.empty()) return;
  GroupRow("more of these in one");
  const size_t shown = std::min(blocks.size(), kMostAllocations);
  for (size_t i = 0; i < shown; ++i) AllocationRow(blocks[i], unit);
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

void DrawTable(const SideBySide& comparison, ByteUnit unit) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_ScrollY;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(Px(4), Px(3)));
  if (ImGui::BeginTable("comparison", 5, kFlags, ImGui::GetContentRegionAvail())) {
    const float figures = FiguresWidth(comparison, unit);
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    for (const char* name : {"A", "B", "difference"}) ImGui::TableSetupColumn(name, 0, figures);
    ImGui::TableSetupColumn("before the scrollbar", ImGuiTableColumnFlags_WidthFixed, Px(1));
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow();
    HeaderCell(std::string("what, ") + UnitName(unit), Align::kLeft, "what");
    HeaderCell(Fitted(SmallMuted(), comparison.title_a, figures), Align::kRight, "first run");
    if (ImGui::IsItemHovered()) Tooltip(comparison.title_a);
    HeaderCell(Fitted(SmallMuted(), comparison.title_b, figures), Align::kRight, "second run");
    if (ImGui::IsItemHovered()) Tooltip(comparison.title_b);
    HeaderCell("difference", Align::kRight);
    ComparedGroup("levels", comparison.levels, unit);
    ComparedGroup("by category", comparison.states.categories, unit);
    ComparedGroup("by layer", comparison.states.layers, unit);
    ComparedGroup("by stream", comparison.states.streams, unit);
    AllocationGroup(comparison.states.blocks, unit);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

}  // namespace

void DrawComparisonPanel(const ComparisonInput& input, ComparisonState& state, CommandQueue& queue) {
  state.drawn = true;
  PanelTitle("Compare", input.comparison == nullptr ? "" : input.comparison->moment);
  if (input.second_run) {
    if (PlainButton("Stop comparing")) queue.Push(ActionId::kStopComparing);
  } else if (PlainButton("Compare with…")) {
    queue.Push(ActionId::kCompareWith);
  }
  if (input.comparison == nullptr) {
    EmptyReason(input.empty_reason);
    return;
  }
  if (!input.comparison->headline.empty()) PutWrapped(StrongWords(), input.comparison->headline);
  DrawTable(*input.comparison, input.unit);
}

}  // namespace tidemark::gui
