#include "app/gui/panels/breakdown.h"

#include <algorithm>
#include <cstdlib>

#include "app/gui/consequences.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

void DifferenceCell(const presenters::BreakdownRow& row, ByteUnit unit) {
  ImGui::TableNextColumn();
  if (!row.difference_bytes) return;
  if (*row.difference_bytes == 0) {
    PutRight(Colored(Strongly(Words()), Colors().good), "=");
    if (ImGui::IsItemHovered()) Tooltip("Measured and phantom agree to the byte.");
    return;
  }
  const std::string sign = *row.difference_bytes > 0 ? "+" : "−";
  PutRight(Colored(Numbers(), Colors().warning), sign + FormatInUnit(std::abs(*row.difference_bytes), unit));
  if (ImGui::IsItemHovered()) {
    Tooltip("Measured minus phantom: " + sign + FormatExactBytes(std::abs(*row.difference_bytes)));
  }
}

// What the textbook says about a category, with its formula.
void FormulaTooltip(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  if (!row.category || input.textbook == nullptr || !ImGui::IsItemHovered()) return;
  for (const textbook::Term& term : input.textbook->terms) {
    if (term.category != *row.category) continue;
    Tooltip(term.title + "\n" + term.words + "\n" + term.symbols + " = " + FormatExactBytes(term.bytes));
    return;
  }
  Tooltip("The textbook has no formula for this category: it is what a real program needs besides.");
}

struct ColumnWidths {
  float figures = 0;
  float difference = 0;
};

// Columns are as wide as their widest figure, so that all room that is left goes to the names.
ColumnWidths WidthsFor(const BreakdownInput& input) {
  ColumnWidths widths{Measure(SmallMuted(), "measured").x, Measure(SmallMuted(), "diff.").x};
  for (const auto* rows : {&input.breakdown->rows, &input.breakdown->totals}) {
    for (const presenters::BreakdownRow& row : *rows) {
      for (const auto& bytes : {row.textbook_bytes, row.phantom_bytes, row.measured_bytes}) {
        if (bytes)
          widths.figures =
              std::max(widths.figures,
                       Measure(row.category ? Numbers() : StrongWords(), FormatInUnit(*bytes, input.unit)).x);
      }
      if (row.difference_bytes.value_or(0) == 0) continue;
      widths.difference =
          std::max(widths.difference,
                   Measure(Numbers(), "+" + FormatInUnit(std::abs(*row.difference_bytes), input.unit)).x);
    }
  }
  widths.figures += Px(6);
  widths.difference += Px(6);
  return widths;
}

void Row(const BreakdownInput& input, const presenters::BreakdownRow& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool total = !row.category.has_value();
  if (total) {
    ImGui::Dummy({Px(10), 1});
    ImGui::SameLine();
    Put(StrongWords(), row.title);
  } else {
    Swatch(Colors().Of(*row.category));
    ImGui::SameLine();
    Put(Words(), Fitted(Words(), row.title, ImGui::GetContentRegionAvail().x));
    FormulaTooltip(input, row);
  }
  BytesCell(row.textbook_bytes, input.unit, total);
  BytesCell(row.phantom_bytes, input.unit, total);
  BytesCell(row.measured_bytes, input.unit, total);
  DifferenceCell(row, input.unit);
}

}  // namespace

void DrawBreakdownPanel(const BreakdownInput& input, BreakdownState&, CommandQueue&) {
  PanelTitle("Where the peak goes", input.breakdown->moment);
  if (input.breakdown->rows.empty()) {
    EmptyReason("No step is complete yet. The table fills with the first one.");
    return;
  }
  const ColumnWidths widths = WidthsFor(input);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(Px(4), Px(4)));
  if (ImGui::BeginTable("breakdown", 5, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) {
    ImGui::TableSetupColumn("category", ImGuiTableColumnFlags_WidthStretch);
    for (const char* name : {"textbook", "phantom", "measured"})
      ImGui::TableSetupColumn(name, 0, widths.figures);
    ImGui::TableSetupColumn("difference", 0, widths.difference);
    ImGui::TableNextRow();
    HeaderCell(std::string("category, ") + UnitName(input.unit));
    HeaderCell("textbook", Align::kRight);
    HeaderCell("phantom", Align::kRight);
    HeaderCell("measured", Align::kRight);
    HeaderCell("diff.", Align::kRight);
    for (const presenters::BreakdownRow& row : input.breakdown->rows) Row(input, row);
    ImGui::TableNextRow(ImGuiTableRowFlags_None, Px(9));
    ImGui::TableNextColumn();
    const float line_y = ImGui::GetCursorScreenPos().y;
    for (const presenters::BreakdownRow& row : input.breakdown->totals) Row(input, row);
    ImGui::EndTable();
    const float left = ImGui::GetItemRectMin().x;
    ImGui::GetWindowDrawList()->AddLine({left, line_y}, {ImGui::GetItemRectMax().x, line_y},
                                        U32(Colors().border));
  }
  ImGui::PopStyleVar();
  Consequence(input.note);
}

}  // namespace tidemark::gui
