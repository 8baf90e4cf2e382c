#include "app/gui/panels/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/table_cells.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

// A dash reads better than a column of zeros.
std::optional<int64_t> NothingAsNone(std::optional<int64_t> bytes) {
  return bytes == 0 ? std::nullopt : bytes;
}

struct Columns {
  bool textbook = true;  // what it gives and keeps on paper
  bool parameters = true;
  bool temporary = true;
  bool share = true;
  bool types = false;  // where autocast chose
  bool gradients = true;
  bool optimizer = false;  // where one keeps something
  bool again = false;      // under checkpointing
  bool workspace = false;  // where a library's is alive
  std::vector<std::string_view> left_out = {};
  int count() const {
    return (textbook ? 4 : 2) + static_cast<int>(types) + static_cast<int>(parameters) +
           static_cast<int>(temporary) + static_cast<int>(share) + static_cast<int>(gradients) +
           static_cast<int>(optimizer) + static_cast<int>(again) + static_cast<int>(workspace);
  }
};

bool HasAny(const std::vector<presenters::LayerRow>& rows,
            std::optional<int64_t> presenters::LayerRow::*figure) {
  return std::ranges::any_of(
      rows, [figure](const presenters::LayerRow& row) { return (row.*figure).value_or(0) > 0; });
}

// A narrow panel leaves out what the tooltips tell as well.
Columns ColumnsFor(float width, const LayersInput& input) {
  const std::vector<presenters::LayerRow>& rows = *input.rows;
  const bool types = std::any_of(rows.begin(), rows.end(),
                                 [](const presenters::LayerRow& row) { return !row.computed_in.empty(); });
  const bool runs_again = std::any_of(
      rows.begin(), rows.end(), [](const presenters::LayerRow& row) { return row.recomputed_bytes > 0; });
  Columns columns{.textbook = input.has_textbook, .types = types};
  float room = width - Px(input.has_textbook ? 350 : 160) - (types ? Px(80) : 0);
  const auto take = [&](std::string_view title, bool is_told, float needs) {
    if (!is_told) return false;
    if (room < needs || !columns.left_out.empty()) columns.left_out.push_back(title);
    room -= needs;
    return columns.left_out.empty();
  };
  const bool has_parameters =
      input.has_textbook || HasAny(rows, &presenters::LayerRow::measured_parameter_bytes);
  columns.again = take("made again", runs_again, Px(80));
  columns.parameters = take("parameters", has_parameters, Px(80));
  columns.temporary = take("temporary", true, Px(90));
  columns.share = take("share of all", true, Px(100));
  columns.optimizer =
      take("optimizer", HasAny(rows, &presenters::LayerRow::measured_optimizer_bytes), Px(80));
  columns.gradients = take("gradients", true, Px(80));
  columns.workspace =
      take("workspace", HasAny(rows, &presenters::LayerRow::measured_workspace_bytes), Px(80));
  return columns;
}

// Where the figure stands that one would look for here.
void ElsewhereCell(const std::string& layer, const std::string& why) {
  ImGui::TableNextColumn();
  const std::string text = "in " + layer;
  PutRight(SmallMuted(), Fitted(SmallMuted(), text, ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered()) Tooltip(why);
}

// The textbook counts a ReLU's result with the convolution before it; the run tells who allocated it.
void KeptCells(const LayersInput& input, const presenters::LayerRow& row) {
  if (input.activations_asked) {
    NumberCell("?");
    if (ImGui::IsItemHovered()) Tooltip("A page of this lesson asks for it first.");
    return NumberCell("?");
  }
  if (!input.has_textbook) return BytesCell(NothingAsNone(row.measured_saved_bytes), input.unit);
  if (row.activations_bytes == 0 && !row.counts_with.empty()) {
    ElsewhereCell(row.counts_with, "The textbook counts what " + row.name + " keeps in the row of " +
                                       row.counts_with + ", which it is the result of.");
  } else {
    BytesCell(NothingAsNone(row.activations_bytes), input.unit);
    if (ImGui::IsItemHovered() && !row.formula.empty()) Tooltip(row.formula);
  }
  if (row.measured_saved_bytes == 0 && !row.allocated_by.empty()) {
    return ElsewhereCell(row.allocated_by, row.allocated_by + " allocated what the textbook counts here: " +
                                               row.name + "'s own output is let go.");
  }
  BytesCell(NothingAsNone(row.measured_saved_bytes), input.unit);
}

float WidthOfNames(const std::vector<presenters::LayerRow>& rows, float most) {
  float longest = Measure(MutedWords(), "layer").x;
  for (const presenters::LayerRow& row : rows) {
    longest = std::max(longest, Measure(StrongWords(), row.name).x);
    if (longest >= most) break;
  }
  return std::min(longest + Px(8), most);
}

// Every sign of a shape is as wide as any other.
float WidthOfOutputs(const std::vector<presenters::LayerRow>& rows, float most) {
  size_t longest = 0;
  const auto begins_sign = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  for (const presenters::LayerRow& row : rows)
    longest = std::max(longest, static_cast<size_t>(std::ranges::count_if(row.output, begins_sign)));
  const float signs = static_cast<float>(longest) * Measure(MutedNumbers(), "0").x;
  return std::min(std::max(signs, Measure(SmallMuted(), "output").x) + Px(8), most);
}

void Row(const LayersInput& input, size_t index, const Columns& columns, CommandQueue& queue) {
  const presenters::LayerRow& row = (*input.rows)[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool lit = input.selected != nullptr && input.selected->layer == row.name;
  if (SelectableRow(row.name.c_str(), lit)) queue.Push(Select{presenters::LayerSelected(row.name)});
  const std::vector<std::string> others = NamesAbout(*input.rows, index, &presenters::LayerRow::name);
  Put(StrongWords(), FittedApart(StrongWords(), row.name, others, ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered())
    Tooltip(row.formula.empty() || input.activations_asked ? row.name : row.name + "\n" + row.formula);
  if (columns.textbook) TextCell(row.output, MutedNumbers());
  if (columns.types) {
    ImGui::TableNextColumn();
    Put(MutedNumbers(), Fitted(MutedNumbers(), row.computed_in, ImGui::GetContentRegionAvail().x));
    if (ImGui::IsItemHovered() && !row.computed_in.empty())
      Tooltip("autocast had its operators compute in " + row.computed_in);
  }
  if (columns.parameters)
    BytesCell(NothingAsNone(input.has_textbook ? row.parameters_bytes : row.measured_parameter_bytes),
              input.unit);
  KeptCells(input, row);
  if (columns.again) BytesCell(NothingAsNone(row.recomputed_bytes), input.unit);
  if (columns.gradients) BytesCell(NothingAsNone(row.measured_gradient_bytes), input.unit);
  if (columns.optimizer) BytesCell(NothingAsNone(row.measured_optimizer_bytes), input.unit);
  if (columns.temporary) BytesCell(NothingAsNone(row.measured_temporary_bytes), input.unit);
  if (columns.workspace) BytesCell(NothingAsNone(row.measured_workspace_bytes), input.unit);
  if (!columns.share) return;
  BarCell(row.share_of_peak, Colors().accent, fmt::format("{:.1f} %", 100 * row.share_of_peak));
  if (ImGui::IsItemHovered()) {
    Tooltip(fmt::format(
        "{:.1f} % of everything that is alive at this moment: this layer's parameters and what an optimizer "
        "keeps of them, and what it allocated, of every category\n{}",
        100 * row.share_of_peak, presenters::PartsInWords(row, input.unit)));
  }
}

}  // namespace

void DrawLayersPanel(const LayersInput& input, LayersState&, CommandQueue& queue) {
  PanelTitle("Layers", input.moment.empty()
                           ? std::string()
                           : std::string("in ") + UnitName(input.unit) + " · " + input.moment);
  if (input.rows->empty()) {
    EmptyReason(input.empty_reason);
    return;
  }
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  // Names and shapes that are cut alike could not be told apart: they have the room that they need, up to a
  // third, and there are as many columns beside them as that leaves room for.
  const float width = ImGui::GetContentRegionAvail().x;
  const float names = WidthOfNames(*input.rows, width / 3);
  const float outputs = input.has_textbook ? WidthOfOutputs(*input.rows, width / 3) : 0;
  const Columns columns =
      ColumnsFor(width - std::max(0.0F, names - Px(70)) - std::max(0.0F, outputs - Px(100)), input);
  if (!ImGui::BeginTable("layers", columns.count() + 1, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("layer", ImGuiTableColumnFlags_WidthFixed, names);
  if (columns.textbook) ImGui::TableSetupColumn("output", ImGuiTableColumnFlags_WidthFixed, outputs);
  if (columns.types) ImGui::TableSetupColumn("type", 0, 1.0F);
  if (columns.parameters) ImGui::TableSetupColumn("parameters", 0, 1.1F);
  if (columns.textbook) ImGui::TableSetupColumn("textbook keeps", 0, 1.2F);
  ImGui::TableSetupColumn("run keeps", 0, 1.2F);
  if (columns.again) ImGui::TableSetupColumn("made again", 0, 1.0F);
  if (columns.gradients) ImGui::TableSetupColumn("gradients", 0, 1.0F);
  if (columns.optimizer) ImGui::TableSetupColumn("optimizer", 0, 1.0F);
  if (columns.temporary) ImGui::TableSetupColumn("temporary", 0, 1.1F);
  if (columns.workspace) ImGui::TableSetupColumn("workspace", 0, 1.1F);
  if (columns.share) ImGui::TableSetupColumn("share", 0, 1.5F);
  ImGui::TableSetupColumn("before the scrollbar", ImGuiTableColumnFlags_WidthFixed,
                          WidthOfLeftOut(columns.left_out));
  ImGui::TableNextRow();
  HeaderCell("layer");
  if (columns.textbook) HeaderCell("output");
  if (columns.types) HeaderCell(columns.gradients ? "computed in" : "type", Align::kLeft, "computed in");
  if (columns.parameters) HeaderCell("parameters", Align::kRight);
  if (columns.textbook) HeaderCell("kept, textbook", Align::kRight, "kept, textbook", "textbook");
  const std::string run = WordForRun(input.on_phantom);
  HeaderCell("kept, " + run, Align::kRight, "kept by the run", run);
  if (columns.again) HeaderCell("made again", Align::kRight);
  if (columns.gradients) HeaderCell("gradients", Align::kRight);
  if (columns.optimizer) HeaderCell("optimizer", Align::kRight, "optimizer state");
  if (columns.temporary) HeaderCell("temporary", Align::kRight);
  if (columns.workspace) HeaderCell("workspace", Align::kRight);
  if (columns.share) HeaderCell("share of all");
  LeftOutCell(columns.left_out);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(input.rows->size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      Row(input, static_cast<size_t>(i), columns, queue);
  }
  ImGui::EndTable();
}

}  // namespace tidemark::gui
