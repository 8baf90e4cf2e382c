#include "app/gui/panels/layers.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/table_cells.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/allocations/layer_names.h"
#include "profiler/events/tensor_names.h"

namespace tidemark::gui {
namespace {

using events::Category;
using presenters::LayerRow;

using Figure = std::optional<int64_t> (*)(const LayersInput&, const LayerRow&);

std::optional<int64_t> ParameterBytes(const LayersInput& input, const LayerRow& row) {
  return input.has_textbook ? row.parameters_bytes : row.measured_parameter_bytes;
}
std::optional<int64_t> KeptOnPaper(const LayersInput&, const LayerRow& row) { return row.activations_bytes; }
std::optional<int64_t> MadeAgain(const LayersInput&, const LayerRow& row) { return row.recomputed_bytes; }
template <std::optional<int64_t> LayerRow::*figure>
std::optional<int64_t> Measured(const LayersInput&, const LayerRow& row) {
  return row.*figure;
}

struct LayerColumnLook {
  LayerColumn column;
  const char* title;
  const char* shorter;  // where there is no room for the title; "" = that is cut
  float weight;         // of the width that is left for figures; 0 = as wide as what is in it
  float room;           // design pixels that it needs of that
  // 0 = always shown; else a narrow panel leaves out the largest first. A share goes before all that a layer
  // without parameters may hold, which it would tell of beside dashes alone.
  int worth;
  bool only_if_any = false;
  std::optional<Category> holds = {};
  Figure figure = nullptr;
};
constexpr LayerColumnLook kLayerColumns[] = {
    {LayerColumn::kOutput, "output", "", 0, 0, 3},
    {LayerColumn::kType, "computed in", "type", 0, 0, 2, true},
    {LayerColumn::kParameters, "parameters", "params", 1.1F, 80, 5, true, Category::kParameter,
     ParameterBytes},
    {LayerColumn::kKeptOnPaper, "kept, textbook", "textbook", 1.2F, 90, 1, false, Category::kActivation,
     KeptOnPaper},
    {LayerColumn::kKept, "kept by the run", "", 1.2F, 90, 0, false, Category::kActivation,
     Measured<&LayerRow::measured_saved_bytes>},
    {LayerColumn::kMadeAgain, "made again", "again", 1.0F, 80, 4, true, Category::kActivation, MadeAgain},
    {LayerColumn::kGradients, "gradients", "grads", 1.0F, 80, 10, false, Category::kGradient,
     Measured<&LayerRow::measured_gradient_bytes>},
    {LayerColumn::kOptimizer, "optimizer state", "optimizer", 1.0F, 80, 9, true, Category::kOptimizerState,
     Measured<&LayerRow::measured_optimizer_bytes>},
    {LayerColumn::kTemporary, "temporary", "temp.", 1.1F, 90, 6, false, Category::kTemporary,
     Measured<&LayerRow::measured_temporary_bytes>},
    {LayerColumn::kWorkspace, "workspace", "work", 1.1F, 80, 7, true, Category::kWorkspace,
     Measured<&LayerRow::measured_workspace_bytes>},
    {LayerColumn::kShare, "share of all", "share", 1.5F, 100, 8},
};

// A lesson asks for what it tells, of which a share of everything is a part.
bool IsAsked(const LayersInput& input, const LayerColumnLook& look) {
  if (look.column == LayerColumn::kShare) return !input.asked.empty();
  return look.holds && input.asked.contains(*look.holds);
}

bool IsTold(const LayersInput& input, const LayerColumnLook& look) {
  const bool is_on_paper = look.column == LayerColumn::kOutput || look.column == LayerColumn::kKeptOnPaper;
  if (is_on_paper && !input.has_textbook) return false;
  // Whether there is any would be told by its column.
  if (!look.only_if_any || IsAsked(input, look)) return true;
  return std::ranges::any_of(*input.rows, [&](const LayerRow& row) {
    return look.figure == nullptr ? !row.computed_in.empty() : look.figure(input, row).value_or(0) > 0;
  });
}

struct Columns {
  std::vector<const LayerColumnLook*> shown;
  std::vector<std::string_view> left_out;
};

// Of the columns that are as wide as what is in them.
struct TextWidths {
  float outputs = 0;
  float types = 0;

  float Of(const LayerColumnLook& look) const { return look.column == LayerColumn::kType ? types : outputs; }
};

// `width`: what is left beside the names.
Columns ColumnsFor(float width, const TextWidths& texts, const LayersInput& input) {
  Columns columns;
  for (const LayerColumnLook& look : kLayerColumns) {
    if (IsTold(input, look)) columns.shown.push_back(&look);
  }
  std::vector<const LayerColumnLook*> by_worth = columns.shown;
  std::ranges::stable_sort(by_worth, {}, &LayerColumnLook::worth);
  for (const LayerColumnLook* look : by_worth) {
    width -= look->weight > 0 ? Px(look->room) : texts.Of(*look);
    if (look->worth == 0 || (width >= 0 && columns.left_out.empty())) continue;
    columns.left_out.emplace_back(look->title);
    std::erase(columns.shown, look);
  }
  return columns;
}

void Header(const LayersInput& input, const LayerColumnLook& look, LayersState& state) {
  const std::string run = WordForRun(input.on_phantom);
  const bool is_of_run = look.column == LayerColumn::kKept;
  const std::string text = is_of_run ? "kept, " + run : look.title;
  const std::string_view shorter = is_of_run ? std::string_view(run) : look.shorter;
  const bool is_text = look.column == LayerColumn::kOutput || look.column == LayerColumn::kType;
  const Align align = look.figure == nullptr ? Align::kLeft : Align::kRight;
  // Its order would tell what is asked for.
  if (is_text || IsAsked(input, look)) return HeaderCell(text, align, look.title, shorter);
  const bool sorted = state.sort == look.column;
  if (!SortableHeaderCell(text, sorted ? std::optional(state.descending) : std::nullopt, align, look.title,
                          shorter))
    return;
  if (sorted && !state.descending)
    state.sort.reset();  // the third time: as they run again
  else
    state.sort = look.column;
  state.descending = !sorted;
}

void HeaderOfNames(LayersState& state) {
  if (SortableHeaderCell("layer", {}, Align::kLeft, {}, {}, "for the order in which they run"))
    state.sort.reset();
}

// The network's or the run's order, but where they are sorted by a column that is seen.
std::vector<const LayerRow*> InOrder(const LayersInput& input, const LayersState& state,
                                     const Columns& columns) {
  std::vector<const LayerRow*> rows;
  rows.reserve(input.rows->size());
  for (const LayerRow& row : *input.rows) rows.push_back(&row);
  const auto sorted = std::ranges::find_if(columns.shown, [&](const LayerColumnLook* look) {
    return state.sort == look->column && !IsAsked(input, *look);
  });
  if (sorted == columns.shown.end()) return rows;
  const LayerColumnLook& look = **sorted;
  const auto value = [&](const LayerRow* row) {
    return look.figure == nullptr ? row->share_of_peak
                                  : static_cast<double>(look.figure(input, *row).value_or(0));
  };
  if (state.descending)
    std::ranges::stable_sort(rows, std::ranges::greater(), value);
  else
    std::ranges::stable_sort(rows, std::ranges::less(), value);
  return rows;
}

// Where the figure stands that one would look for here.
void ElsewhereCell(const std::string& layer, const std::string& why) {
  ImGui::TableNextColumn();
  const std::string text = "in " + events::LayerInWords(layer);
  PutRight(SmallMuted(), Fitted(SmallMuted(), text, ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered()) Tooltip(why);
}

float WidthOfNames(const std::vector<LayerRow>& rows, float most) {
  float longest = Measure(MutedWords(), "layer").x;
  for (const LayerRow& row : rows) {
    longest = std::max(longest, Measure(StrongWords(), row.name).x);
    if (longest >= most) break;
  }
  return std::min(longest + Px(8), most);
}

// Every sign of a shape is as wide as any other.
float WidthOfOutputs(const std::vector<LayerRow>& rows, float most) {
  size_t longest = 0;
  const auto begins_sign = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  for (const LayerRow& row : rows)
    longest = std::max(longest, static_cast<size_t>(std::ranges::count_if(row.output, begins_sign)));
  const float signs = static_cast<float>(longest) * Measure(MutedNumbers(), "0").x;
  return std::min(std::max(signs, Measure(SmallMuted(), "output").x) + Px(8), most);
}

float WidthOfTypes(const std::vector<LayerRow>& rows, float most) {
  float longest = 0;
  for (const LayerRow& row : rows) longest = std::max(longest, Measure(MutedNumbers(), row.computed_in).x);
  if (longest == 0) return 0;
  return std::min(std::max(longest, Measure(SmallMuted(), "type").x) + Px(8), most);
}

// The textbook counts a ReLU's result with the convolution before it; the run tells who allocated it.
bool PutKeptElsewhere(const LayerColumnLook& look, const LayerRow& row) {
  if (look.column == LayerColumn::kKeptOnPaper && row.activations_bytes == 0 && !row.counts_with.empty()) {
    ElsewhereCell(row.counts_with, "The textbook counts what " + row.name + " keeps in the row of " +
                                       row.counts_with + ", which it is the result of.");
    return true;
  }
  if (look.column == LayerColumn::kKept && row.measured_saved_bytes == 0 && !row.allocated_by.empty()) {
    ElsewhereCell(row.allocated_by, row.allocated_by + " allocated what the textbook counts here: " +
                                        row.name + "'s own output is let go.");
    return true;
  }
  return false;
}

void AskedCell() {
  NumberCell("?");
  if (ImGui::IsItemHovered()) Tooltip("A page of this lesson asks for it first.");
}

void FigureCell(const LayersInput& input, const LayerColumnLook& look, const LayerRow& row) {
  if (PutKeptElsewhere(look, row)) return;
  // A dash reads better than a column of zeros.
  const std::optional<int64_t> bytes = look.figure(input, row);
  BytesCell(bytes == 0 ? std::nullopt : bytes, input.unit);
  const bool has_formula = look.column == LayerColumn::kKeptOnPaper && !row.formula.empty();
  if (has_formula && ImGui::IsItemHovered()) Tooltip(row.formula);
}

void TypeCell(const LayerRow& row) {
  ImGui::TableNextColumn();
  Put(MutedNumbers(), Fitted(MutedNumbers(), row.computed_in, ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered() && !row.computed_in.empty())
    Tooltip("autocast had its operators compute in " + row.computed_in);
}

void ShareCell(const LayersInput& input, const LayerRow& row) {
  if (!row.measured_saved_bytes) return BytesCell(std::nullopt, input.unit);
  BarCell(row.share_of_peak, Colors().accent, fmt::format("{:.1f} %", 100 * row.share_of_peak));
  if (!ImGui::IsItemHovered()) return;
  Tooltip(fmt::format(
      "{:.1f} % of everything that is alive at this moment: this layer's parameters and what an optimizer "
      "keeps of them, and what it allocated, of every category\n{}",
      100 * row.share_of_peak, presenters::PartsInWords(row, input.unit)));
}

void Cell(const LayersInput& input, const LayerColumnLook& look, const LayerRow& row) {
  if (IsAsked(input, look)) return AskedCell();
  switch (look.column) {
    case LayerColumn::kOutput:
      return TextCell(row.output, MutedNumbers());
    case LayerColumn::kType:
      return TypeCell(row);
    case LayerColumn::kShare:
      return ShareCell(input, row);
    default:
      return FigureCell(input, look, row);
  }
}

// What there may be no room for.
std::string WholeRow(const LayersInput& input, const LayerRow& row) {
  std::string text = row.name;
  if (!row.formula.empty() && !input.asked.contains(Category::kActivation)) text += "\n" + row.formula;
  const std::string parts = input.asked.empty() ? presenters::PartsInWords(row, input.unit) : std::string();
  return parts.empty() ? text : text + "\nAlive at this moment:\n" + parts;
}

void Row(const LayersInput& input, std::span<const LayerRow* const> rows, size_t index,
         const Columns& columns, CommandQueue& queue) {
  const LayerRow& row = *rows[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool lit = input.selected != nullptr && presenters::IsOneOf(input.selected->layer, row.name);
  if (SelectableRow(row.name.c_str(), lit)) queue.Push(Select{presenters::LayerSelected(row.name)});
  const std::vector<std::string> others =
      NamesAbout(rows, index, [](const LayerRow* about) { return about->name; });
  Put(StrongWords(), FittedApart(StrongWords(), row.name, others, ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered()) Tooltip(WholeRow(input, row));
  for (const LayerColumnLook* look : columns.shown) Cell(input, *look, row);
}

// The row of a layer that was selected since, wherever that was done: it is brought into sight once.
std::optional<int> RowToSee(const LayersInput& input, std::span<const LayerRow* const> rows,
                            LayersState& state) {
  const std::string selected = input.selected == nullptr ? std::string() : input.selected->layer;
  const auto row =
      std::ranges::find_if(rows, [&](const LayerRow* of) { return presenters::IsOneOf(selected, of->name); });
  if (selected.empty()) state.sought.clear();
  if (row == rows.end() || state.sought == selected) return {};
  state.sought = selected;
  return static_cast<int>(row - rows.begin());
}

void Rows(const LayersInput& input, const Columns& columns, LayersState& state, CommandQueue& queue) {
  const std::vector<const LayerRow*> rows = InOrder(input, state, columns);
  const std::optional<int> to_see = RowToSee(input, rows, state);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  if (to_see) clipper.IncludeItemByIndex(*to_see);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      Row(input, rows, static_cast<size_t>(i), columns, queue);
      // One that is in sight, as after a click on it, stays where it is.
      if (i == to_see) ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleCenterY);
    }
  }
}

}  // namespace

void DrawLayersPanel(const LayersInput& input, LayersState& state, CommandQueue& queue) {
  PanelTitle("Layers", input.moment.empty()
                           ? std::string()
                           : std::string("in ") + UnitName(input.unit) + " · " + input.moment);
  if (input.rows->empty()) {
    EmptyReason(input.empty_reason);
    return;
  }
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  // Names, shapes and types that are cut alike could not be told apart: they have the room that they need, up
  // to a part of it, and there are as many columns beside them as that leaves room for.
  const float width = ImGui::GetContentRegionAvail().x;
  const float names = WidthOfNames(*input.rows, width / 3);
  const TextWidths texts{input.has_textbook ? WidthOfOutputs(*input.rows, width / 3) : 0,
                         WidthOfTypes(*input.rows, std::max(Px(80), width / 6))};
  const Columns columns = ColumnsFor(width - names, texts, input);
  if (!ImGui::BeginTable("layers", static_cast<int>(columns.shown.size()) + 2, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("layer", ImGuiTableColumnFlags_WidthFixed, names);
  for (const LayerColumnLook* look : columns.shown) {
    if (look->weight > 0)
      ImGui::TableSetupColumn(look->title, 0, look->weight);
    else
      ImGui::TableSetupColumn(look->title, ImGuiTableColumnFlags_WidthFixed, texts.Of(*look));
  }
  ImGui::TableSetupColumn("before the scrollbar", ImGuiTableColumnFlags_WidthFixed,
                          WidthOfLeftOut(columns.left_out));
  ImGui::TableNextRow();
  HeaderOfNames(state);
  for (const LayerColumnLook* look : columns.shown) Header(input, *look, state);
  LeftOutCell(columns.left_out);
  Rows(input, columns, state, queue);
  ImGui::EndTable();
}

}  // namespace tidemark::gui
