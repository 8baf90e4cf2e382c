#include "app/gui/panels/layers.h"

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

// A dash reads better than a column of zeros.
std::optional<int64_t> NothingAsNone(std::optional<int64_t> bytes) { return bytes == 0 ? std::nullopt : bytes; }

void Row(const LayersInput& input, const presenters::LayerRow& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(StrongWords(), row.name);
  if (ImGui::IsItemHovered() && !row.formula.empty()) Tooltip(row.formula);
  ImGui::TableNextColumn();
  Put(MutedNumbers(), row.output);
  BytesCell(row.parameters == 0 ? std::nullopt : std::optional(row.parameters_bytes), input.unit);
  BytesCell(NothingAsNone(row.activations_bytes), input.unit);
  if (ImGui::IsItemHovered() && !row.formula.empty()) Tooltip(row.formula);
  BytesCell(NothingAsNone(row.measured_saved_bytes), input.unit);
  BytesCell(NothingAsNone(row.measured_temporary_bytes), input.unit);
  BarCell(row.share_of_peak, Colors().Of(events::Category::kActivation));
  if (ImGui::IsItemHovered()) {
    char text[96];
    std::snprintf(text, sizeof text, "%.1f %% of everything that is alive at the peak", 100 * row.share_of_peak);
    Tooltip(text);
  }
}

}  // namespace

void DrawLayersPanel(const LayersInput& input, LayersState&, CommandQueue&) {
  PanelTitle("Layers", input.moment.empty() ? std::string() : std::string("in ") + UnitName(input.unit) + " · " + input.moment);
  if (input.rows->empty()) {
    EmptyReason("The layers appear as soon as a network trains.");
    return;
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("layers", 7, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("layer", 0, 1.0F);
  ImGui::TableSetupColumn("output", 0, 1.5F);
  for (const char* name : {"parameters", "textbook keeps", "measured keeps", "temporary"}) ImGui::TableSetupColumn(name, 0, 1.2F);
  ImGui::TableSetupColumn("share", 0, 1.6F);
  ImGui::TableNextRow();
  HeaderCell("layer");
  HeaderCell("output");
  HeaderCell("parameters", Align::kRight);
  HeaderCell("kept, textbook", Align::kRight);
  HeaderCell("kept, measured", Align::kRight);
  HeaderCell("temporary", Align::kRight);
  HeaderCell("share of peak");
  for (const presenters::LayerRow& row : *input.rows) Row(input, row);
  ImGui::EndTable();
}

}  // namespace tidemark::gui
