#include "app/gui/panels/allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "app/gui/panels/table_cells.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/presenters/allocations/blocks.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"

namespace tidemark::gui {
namespace {

using presenters::Allocation;
using presenters::AllocationColumn;

struct ColumnLook {
  AllocationColumn column;
  const char* title;
  float weight;        // of the width that figures leave; 0: a figure's
  float from_width;    // design pixels of the panel from which it is shown
  const char* widest;  // of a figure
  Align align() const { return widest == nullptr ? Align::kLeft : Align::kRight; }
};
// Where it is narrow the room is for names and shapes.
constexpr ColumnLook kColumns[] = {
    {AllocationColumn::kTensor, "tensor", 2.4F, 0, nullptr},
    {AllocationColumn::kShape, "shape", 2, 660, nullptr},
    {AllocationColumn::kCategory, "holds", 1.6F, 0, nullptr},
    {AllocationColumn::kBytes, "requested", 0, 0, "9,999.99"},
    {AllocationColumn::kBlock, "block", 0, 760, "9,999.99"},
    {AllocationColumn::kLayer, "layer", 1.2F, 460, nullptr},
    {AllocationColumn::kOperator, "operator", 1.6F, 720, nullptr},
    {AllocationColumn::kPhase, "phase", 1.1F, 820, nullptr},
    {AllocationColumn::kBorn, "born", 0, 400, ""},  // the newest event
    {AllocationColumn::kLife, "life", 0, 740, "9,999.99 µs"},
    {AllocationColumn::kAddress, "address", 0, 940, "0xdddddddddddddd"},
};

constexpr const char* kFilterHelp =
    "Words that the tensor, shape, category, phase, layer or operator must hold; -word must not.\n"
    ">1MB or <=64KiB: the requested size\n"
    "life>10ms: from allocation to free\n"
    "category:activation: what it holds\n"
    "born:100..200: the event that allocated it, in sight or not\n"
    "freed:100..200: the event that freed it\n"
    "alive:150: alive at that event, whatever moment is shown\n"
    "at:0x7f00..0x7fff: touches these addresses\n"
    "Of all events it lists those of such allocations, and others that have the words, size or address.\n"
    "Esc, while it is being typed, clears it.";

// What is listed; how wide that choice is.
float ChooseListed(AllocationsState& state) {
  static constexpr const char* kScopes[] = {"alive now", "born in sight", "all events"};
  static constexpr const char* kShortScopes[] = {"alive", "born", "events"};  // in a narrow panel
  static const std::string kHints[] = {"What is alive at the moment that the memory map shows.",
                                       "What was allocated in the stretch that the timeline shows.",
                                       "The run itself, event by event: allocations, frees, segments, steps, "
                                       "scopes, counters."};
  const float width = std::min(Px(330), ImGui::GetContentRegionAvail().x * 0.55F);
  ImGui::BeginChild("scope", {width, Px(30)});
  int scope = static_cast<int>(state.listed);
  if (Segmented("scope", width < Px(250) ? kShortScopes : kScopes, kHints, &scope))
    state.listed = static_cast<Listed>(scope);
  ImGui::EndChild();
  return width;
}

void FilterField(AllocationsState& state, float width) {
  ImGui::SetNextItemWidth(width);
  TextField("##filter", "conv1 >1MB life>10ms …", state.filter, ImGuiInputTextFlags_EscapeClearsAll);
  Tooltip(kFilterHelp);
}

void FilterError(const AllocationsInput& input) {
  if (!input.filter_error.empty()) PutWrapped(Colored(SmallMuted(), Colors().warning), input.filter_error);
}

void FilterRow(const AllocationsInput& input, AllocationsState& state, CommandQueue& queue) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float scope_width = ChooseListed(state);
  ImGui::SameLine(0, Px(10));
  const bool selects = input.selected->selection.any();
  const float only_width = selects ? Px(120) : 0;
  const bool copy_fits = width > Px(530) + only_width;
  FilterField(state, width - scope_width - Px(10) - (copy_fits ? Px(98) : 0) - only_width);
  if (selects) {
    ImGui::SameLine(0, Px(10));
    if (PlainButton(state.only_selected ? "Show all###only" : "Only selected###only", {Px(110), 0}))
      state.only_selected = !state.only_selected;
    Tooltip(state.only_selected ? "Lists the others as well."
                                : "Lists only what is selected: " + input.selected->title + ".");
  }
  if (copy_fits) {  // at the end, where it stays when something is selected
    ImGui::SameLine(0, Px(10));
    if (PlainButton("Copy CSV", {Px(88), 0})) queue.Push(CopyAllocations{});
    Tooltip("Copies these rows, with every field, as CSV.");
  }
  FilterError(input);
}

// To follow what the map shows, and to go to where that is.
void FollowButton(AllocationsState& state, bool has_room) {
  const char* const follows = has_room ? "Follows the moment###follow moment" : "Follows###follow moment";
  const char* const stays = has_room ? "Stays where it is###follow moment" : "Stays###follow moment";
  if (PlainButton(state.events.follows ? follows : stays, {Px(has_room ? 160 : 80), 0})) {
    state.events.follows = !state.events.follows;
    state.events.followed.reset();
  }
  Tooltip(state.events.follows ? "The moment that the memory map shows is kept in sight. Click to stay here."
                               : "Click to go to the moment that the memory map shows, and stay with it.");
}

void DrawEvents(const AllocationsInput& input, AllocationsState& state, CommandQueue& queue) {
  const presenters::ListedEvents listed(*input.view, input.events);
  const uint64_t all = input.view->end() - input.view->first();
  std::string count = FormatNumber(static_cast<int64_t>(all)) + " events · " + input.moment;
  if (input.events != nullptr) count.insert(0, FormatNumber(static_cast<int64_t>(listed.size())) + " of ");
  PanelTitle("Allocations", count);
  const float width = ImGui::GetContentRegionAvail().x;
  const bool has_room = width > Px(700);
  const float scope_width = ChooseListed(state);
  ImGui::SameLine(0, Px(10));
  FilterField(state, width - scope_width - Px(has_room ? 180 : 100));
  ImGui::SameLine(0, Px(10));
  FollowButton(state, has_room);
  FilterError(input);
  if (!input.events_reason.empty()) return EmptyReason(input.events_reason);
  if (listed.size() == 0) return EmptyReason("No event fits the filter. Clear it to see all.");
  DrawEventRows({&listed, input.shown, input.unit}, state.events, queue);
}

// Whether the run tells it of any of these at all.
bool IsTold(const AllocationsInput& input, const ColumnLook& look) {
  return look.column != AllocationColumn::kShape || input.table->tells_shapes;
}

bool IsShown(const AllocationsInput& input, const ColumnLook& look, float width) {
  return width >= Px(look.from_width) && IsTold(input, look);
}

// With the unit of its figures, where they have one and the panel, which is `width` wide, has room.
std::string HeaderOf(const ColumnLook& look, ByteUnit unit, float width) {
  const bool is_of_bytes = look.column == AllocationColumn::kBytes || look.column == AllocationColumn::kBlock;
  return look.title + (is_of_bytes && width >= Px(360) ? std::string(", ") + UnitName(unit) : "");
}

void Header(const ColumnLook& look, ByteUnit unit, float width, AllocationsState& state) {
  const bool sorted = state.sort == look.column;
  const bool pressed =
      SortableHeaderCell(HeaderOf(look, unit, width), sorted ? std::optional(state.descending) : std::nullopt,
                         look.align(), look.title);
  if (!pressed) return;
  state.descending = sorted ? !state.descending : look.align() == Align::kRight;
  state.sort = look.column;
}

void Cell(const AllocationsInput& input, const Allocation& row, AllocationColumn column) {
  const timeline::LiveBlock& block = row.block;
  const timeline::View& view = *input.view;
  switch (column) {
    case AllocationColumn::kTensor:
      return;  // drawn with the row
    case AllocationColumn::kShape:
      return TextCell(view.name(block.shape), MutedWords());
    case AllocationColumn::kCategory:
      return CategoryCell(block.category);
    case AllocationColumn::kBytes:
      return BytesCell(block.bytes, input.unit);
    case AllocationColumn::kBlock:
      return BytesCell(block.rounded_bytes, input.unit);
    case AllocationColumn::kLayer:
      return TextCell(timeline::LayerOf(view, block), MutedWords());
    case AllocationColumn::kOperator:
      return StackCell(view.name(block.op));
    case AllocationColumn::kPhase:
      return TextCell(std::string(events::NameOf(row.phase)) + (row.recompute != 0 ? ", recompute" : ""),
                      MutedWords());
    case AllocationColumn::kBorn:
      return NumberCell(FormatNumber(static_cast<int64_t>(block.born)));
    case AllocationColumn::kLife:
      return NumberCell(row.freed ? FormatDuration(row.life_ns) : "alive");
    case AllocationColumn::kAddress:
      return NumberCell(fmt::format("{:#x}", block.address));
  }
}

// A click lights it up everywhere; what is listed is of a moment, which stays until somebody goes to the
// allocation's birth.
void OnClick(const Allocation& row, const presenters::Selection& own, CommandQueue& queue) {
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return queue.Push(GoToMoment{row.block.born, own});
  queue.Push(Select{own});
}

// Where its title has no room: without the category, which stands beside it.
std::string ShortTitle(const std::string& title, const timeline::View& view,
                       const timeline::LiveBlock& block) {
  const std::string_view op = events::InnermostFrame(view.name(block.op));
  return op.empty() || !title.ends_with(op) ? title : std::string(op);
}

void Row(const AllocationsInput& input, const Allocation& row, float width, CommandQueue& queue) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(row.block.born));
  const ImVec2 at = ImGui::GetCursorPos();
  const presenters::Selection& selection = input.selected->selection;
  const presenters::Selection own = presenters::AllocationSelected(row.block.born);
  if (SelectableRow("row", presenters::Selects(selection, *input.view, row.block))) OnClick(row, own, queue);
  const std::string title = presenters::BlockTitle(*input.view, row.block);
  const std::string_view op = input.view->name(row.block.op);
  const auto line = [](std::string_view text) { return text.empty() ? "" : "\n" + std::string(text); };
  if (ImGui::IsItemHovered())
    Tooltip(title + line(input.view->name(row.block.shape)) + line(presenters::StackIn(op)) +
            "\nClick: light it up everywhere. Double-click: go to the moment it was born.");
  ImGui::PopID();
  ImGui::SetCursorPos(at);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool fits = Measure(Words(), title).x <= room;
  Put(Words(), fits ? title : Fitted(Words(), ShortTitle(title, *input.view, row.block), room));
  for (const ColumnLook& look : kColumns) {
    if (IsShown(input, look, width)) Cell(input, row, look.column);
  }
}

// Its widest figure, and its title where it is sorted by it, are never cut.
void SetUpColumn(const AllocationsInput& input, const ColumnLook& look, float width) {
  if (look.widest == nullptr) return ImGui::TableSetupColumn(look.title, 0, look.weight);
  const std::string widest = look.column == AllocationColumn::kBorn
                                 ? FormatNumber(static_cast<int64_t>(input.view->end()))
                                 : std::string(look.widest);
  const float title = Measure(SmallMuted(), HeaderOf(look, input.unit, width) + " ↓").x;
  ImGui::TableSetupColumn(look.title, ImGuiTableColumnFlags_WidthFixed,
                          std::ceil(std::max(Measure(Numbers(), widest).x, title)));
}

void Rows(const AllocationsInput& input, AllocationsState& state, CommandQueue& queue) {
  const float width = ImGui::GetContentRegionAvail().x;
  std::vector<std::string_view> left_out;
  int shown = 0;
  for (const ColumnLook& look : kColumns) {
    if (IsShown(input, look, width))
      ++shown;
    else if (IsTold(input, look))
      left_out.push_back(look.title);
  }
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("allocations", shown + 1, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const ColumnLook& look : kColumns) {
    if (IsShown(input, look, width)) SetUpColumn(input, look, width);
  }
  ImGui::TableSetupColumn("before the scrollbar", ImGuiTableColumnFlags_WidthFixed, WidthOfLeftOut(left_out));
  ImGui::TableNextRow();
  for (const ColumnLook& look : kColumns) {
    if (IsShown(input, look, width)) Header(look, input.unit, width, state);
  }
  LeftOutCell(left_out);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(input.table->rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      Row(input, input.table->rows[static_cast<size_t>(i)], width, queue);
  }
  ImGui::EndTable();
}

std::string Summary(const AllocationsInput& input, const AllocationsState& state) {
  const presenters::AllocationTable& table = *input.table;
  std::string count = FormatNumber(static_cast<int64_t>(table.rows.size()));
  if (table.rows.size() != table.considered)
    count += " of " + FormatNumber(static_cast<int64_t>(table.considered));
  return JoinedFacts({count, FormatBytes(table.bytes, input.unit) + " requested",
                      table.scope_of_filter                  ? "when the filter says"
                      : state.listed == Listed::kBornInSight ? "born in sight"
                                                             : input.moment});
}

}  // namespace

void DrawAllocationsPanel(const AllocationsInput& input, AllocationsState& state, CommandQueue& queue) {
  state.drawn = true;
  const bool lists_events = state.listed == Listed::kEvents;
  if (lists_events && input.view != nullptr && input.empty_reason.empty())
    return DrawEvents(input, state, queue);
  if (input.view == nullptr || input.table == nullptr || input.selected == nullptr ||
      !input.empty_reason.empty()) {
    PanelTitle("Allocations", "");
    EmptyReason(input.empty_reason);
    return;
  }
  PanelTitle("Allocations", Summary(input, state));
  FilterRow(input, state, queue);
  if (input.table->rows.empty()) {
    EmptyReason(input.table->considered == 0 ? "Nothing was allocated here."
                : state.only_selected && input.selected->selection.any()
                    ? "Nothing of what is selected is here. Show all, or press Esc to select nothing."
                    : "No allocation fits the filter. Clear it to see all.");
    return;
  }
  if (input.table->events_left_out > 0) {
    PutWrapped(
        SmallMuted(),
        fmt::format("Of the stretch, the first {} events are left out. Zoom in, or filter by born:, to see "
                    "them.",
                    FormatNumber(static_cast<int64_t>(input.table->events_left_out))));
  }
  Rows(input, state, queue);
}

}  // namespace tidemark::gui
