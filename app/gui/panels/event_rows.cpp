#include "app/gui/panels/event_rows.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/table_cells.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

using events::EventIndex;
using presenters::EventRow;

enum class EventColumn : uint8_t {
  kEvent,
  kTime,
  kKind,
  kDetail,
  kCategory,
  kBytes,
  kLayer,
  kOperator,
  kAddress
};

struct ColumnLook {
  EventColumn column;
  const char* title;
  float weight;      // of the width
  float from_width;  // design pixels of the panel from which it is shown
  Align align;
};
constexpr ColumnLook kColumns[] = {
    {EventColumn::kEvent, "event", 1.0F, 0, Align::kRight},
    {EventColumn::kTime, "time", 1.0F, 420, Align::kRight},
    {EventColumn::kKind, "kind", 1.5F, 0, Align::kLeft},
    {EventColumn::kDetail, "detail", 2.6F, 0, Align::kLeft},
    {EventColumn::kCategory, "holds", 1.3F, 560, Align::kLeft},
    {EventColumn::kBytes, "bytes", 1.1F, 0, Align::kRight},
    {EventColumn::kLayer, "layer", 1.2F, 640, Align::kLeft},
    {EventColumn::kOperator, "operator", 1.6F, 780, Align::kLeft},
    {EventColumn::kAddress, "address", 1.6F, 900, Align::kRight},
};

// What all rows tell alike.
struct TableUnits {
  ByteUnit bytes = ByteUnit::kMegabytes;
  presenters::EventTimes times;

  std::string HeaderOf(const ColumnLook& look) const {
    if (look.column == EventColumn::kTime) return "time, " + std::string(times.unit());
    if (look.column == EventColumn::kBytes) return std::string("bytes, ") + UnitName(bytes);
    return look.title;
  }
};

// Of a column as wide as what stands in it: none of its figures is cut. 0: it shares what is left.
float WidthOf(const ColumnLook& look, const TableUnits& units, const EventRow& last) {
  std::string longest;  // numbers and times only grow
  if (look.column == EventColumn::kEvent) longest = FormatNumber(static_cast<int64_t>(last.index));
  if (look.column == EventColumn::kTime) longest = units.times.Text(last.since_ns);
  if (longest.empty()) return 0;
  return std::max(Measure(Numbers(), longest).x, Measure(SmallMuted(), units.HeaderOf(look)).x) + Px(6);
}

void Cell(const EventRow& row, EventColumn column, const TableUnits& units) {
  switch (column) {
    case EventColumn::kEvent:
      return;  // drawn with the row
    case EventColumn::kTime:
      return NumberCell(units.times.Text(row.since_ns));
    case EventColumn::kKind:
      return TextCell(events::NameOf(row.kind), Words());
    case EventColumn::kDetail:
      return TextCell(row.what, MutedWords());
    case EventColumn::kCategory:
      return CategoryCell(row.category);
    case EventColumn::kBytes:
      return row.bytes ? BytesCell(row.bytes, units.bytes) : NumberCell("");
    case EventColumn::kLayer:
      return TextCell(row.layer, MutedWords());
    case EventColumn::kOperator:
      return StackCell(row.op);
    case EventColumn::kAddress:
      return NumberCell(row.address ? fmt::format("{:#x}", *row.address) : "");
  }
}

void Row(const EventRow& row, const EventRowsInput& input, const TableUnits& units, float width,
         CommandQueue& queue) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(row.index));
  const ImVec2 at = ImGui::GetCursorPos();
  const bool is_birth = row.kind == events::EventKind::kAllocate;
  if (SelectableRow("row", row.index == input.shown))
    queue.Push(
        PinMoment{row.index, is_birth ? presenters::AllocationSelected(row.index) : presenters::Selection()});
  ImGui::PopID();
  ImGui::SetCursorPos(at);
  PutRight(Numbers(), FormatNumber(static_cast<int64_t>(row.index)));
  for (const ColumnLook& look : kColumns) {
    if (look.column != EventColumn::kEvent && width >= Px(look.from_width)) Cell(row, look.column, units);
  }
}

// How many rows there are, and how many of them fill the panel.
struct ShownRows {
  ImS64 all = 0;
  ImS64 rows = 1;

  ImS64 LastTop() const { return std::max<ImS64>(0, all - rows); }
};

// Where what is shown has moved, by whomever, it is brought into sight.
void FollowMoment(const EventRowsInput& input, const ShownRows& page, EventRowsState& state) {
  if (!state.follows || state.followed == input.shown) return;
  state.followed = input.shown;
  const uint64_t top = input.listed->PlaceOf(state.top);
  const uint64_t place = std::min(input.listed->PlaceOf(input.shown), input.listed->size() - 1);
  if (place >= top && place + 1 < top + static_cast<uint64_t>(page.rows)) return;
  const auto half = static_cast<uint64_t>(page.rows / 2);
  state.top = input.listed->At(place > half ? place - half : 0);
}

// The window's own keys, not those of ImGui's navigation: the list is longer than what is drawn of it.
void MoveByKeys(const EventRowsInput& input, const ShownRows& page, CommandQueue& queue) {
  if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) return;
  const ImGuiID owner = ImGui::GetID("event keys");
  const auto pressed = [owner](ImGuiKey key) {
    ImGui::SetKeyOwner(key, owner, ImGuiInputFlags_LockThisFrame);
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner);
  };
  ImS64 by = 0;
  if (pressed(ImGuiKey_DownArrow)) by = 1;
  if (pressed(ImGuiKey_UpArrow)) by = -1;
  if (pressed(ImGuiKey_PageDown)) by = page.rows;
  if (pressed(ImGuiKey_PageUp)) by = -page.rows;
  if (by == 0) return;
  const auto place = static_cast<ImS64>(input.listed->PlaceOf(input.shown));
  const bool is_listed = place < page.all && input.listed->At(static_cast<uint64_t>(place)) == input.shown;
  if (by > 0 && !is_listed) --by;  // the next that is listed is at its place already
  queue.Push(
      PinMoment{input.listed->At(static_cast<uint64_t>(std::clamp<ImS64>(place + by, 0, page.all - 1)))});
}

// Counts rows where ImGui's own windows count pixels, of which ten million rows have too many.
void ScrollRows(const presenters::ListedEvents& listed, const ShownRows& page, const ImRect& area,
                EventRowsState& state) {
  auto top = static_cast<ImS64>(listed.PlaceOf(state.top));
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) {
    constexpr float kRowsAClick = 3;
    state.wheel_rows += ImGui::GetIO().MouseWheel * kRowsAClick;
    const float whole = std::trunc(state.wheel_rows);
    state.wheel_rows -= whole;
    top -= static_cast<ImS64>(whole);
  }
  top = std::clamp<ImS64>(top, 0, page.LastTop());
  if (page.all > page.rows) {
    const ImRect bar({area.Max.x - ImGui::GetStyle().ScrollbarSize, area.Min.y}, area.Max);
    ImGui::ScrollbarEx(bar, ImGui::GetID("event bar"), ImGuiAxis_Y, &top, page.rows, page.all);
  }
  state.top = listed.At(static_cast<uint64_t>(std::clamp<ImS64>(top, 0, page.LastTop())));
}

void DrawTable(const EventRowsInput& input, const std::vector<EventRow>& rows, float width,
               CommandQueue& queue) {
  const TableUnits units{input.unit, presenters::TimesOf(input.listed->view())};
  std::vector<std::string_view> left_out;
  for (const ColumnLook& look : kColumns) {
    if (width < Px(look.from_width)) left_out.push_back(look.title);
  }
  const auto shown = static_cast<int>(std::size(kColumns) - left_out.size());
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("event rows", shown + 1, kFlags, {width, 0})) return;
  for (const ColumnLook& look : kColumns) {
    if (width < Px(look.from_width)) continue;
    const float fixed = rows.empty() ? 0 : WidthOf(look, units, rows.back());
    ImGui::TableSetupColumn(look.title, fixed > 0 ? ImGuiTableColumnFlags_WidthFixed : 0,
                            fixed > 0 ? fixed : look.weight);
  }
  ImGui::TableSetupColumn("left out", ImGuiTableColumnFlags_WidthFixed, WidthOfLeftOut(left_out));
  ImGui::TableNextRow();
  for (const ColumnLook& look : kColumns) {
    if (width < Px(look.from_width)) continue;
    HeaderCell(units.HeaderOf(look), look.align, look.title);
  }
  LeftOutCell(left_out);
  for (const EventRow& row : rows) Row(row, input, units, width, queue);
  ImGui::EndTable();
}

}  // namespace

void DrawEventRows(const EventRowsInput& input, EventRowsState& state, CommandQueue& queue) {
  const presenters::ListedEvents& listed = *input.listed;
  if (!ImGui::BeginChild("events", {0, 0}, 0,
                         ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse))
    return ImGui::EndChild();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float row_height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const ShownRows page{
      static_cast<ImS64>(listed.size()),
      std::max<ImS64>(1, static_cast<ImS64>(room.y / row_height) - 1)};  // without the header
  MoveByKeys(input, page, queue);
  FollowMoment(input, page, state);
  ScrollRows(listed, page, ImRect(at, at + room), state);
  const std::vector<EventRow> rows =
      presenters::EventRows(listed, listed.PlaceOf(state.top), static_cast<size_t>(page.rows), input.unit);
  DrawTable(input, rows, room.x - ImGui::GetStyle().ScrollbarSize - Px(4), queue);
  ImGui::EndChild();
}

}  // namespace tidemark::gui
