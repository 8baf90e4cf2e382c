// The lane of kernels, memory copies and memsets under the timeline's phases.
#include <algorithm>
#include <array>
#include <string>

#include "app/gui/panels/timeline_parts.h"
#include "app/gui/widgets/text.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using presenters::WorkColumn;
using presenters::WorkSlice;

constexpr float kLeastShare = 0.35F;  // of the lane's height: whatever happened can be seen

Color ColorOf(events::EventKind kind) {
  switch (kind) {
    case events::EventKind::kMemoryCopy:
      return Colors().Of(events::Category::kInput);
    case events::EventKind::kMemorySet:
      return Colors().muted;
    default:
      return Colors().accent;
  }
}

// What most of a column's works are.
Color ColorOf(const WorkColumn& column) {
  const auto most = std::ranges::max_element(column.counts) - column.counts.begin();
  return ColorOf(static_cast<events::EventKind>(static_cast<int>(events::EventKind::kKernel) + most));
}

std::string KindText(const timeline::DeviceWork& work, ByteUnit unit) {
  std::string text = "GPU " + FormatNumber(work.device) + ", stream " + FormatNumber(work.stream);
  if (work.kind != events::EventKind::kKernel) text += " · " + FormatBytes(work.bytes, unit);
  return text + (work.duration_ns > 0 ? " · " + FormatDuration(work.duration_ns) : " · time not known");
}

void WorkTooltip(const TimelineInput& input, const timeline::DeviceWork& work) {
  if (!ImGui::BeginTooltip()) return;
  PutNarrow(StrongWords(), presenters::TitleOf(*input.view, work), Px(520));
  Put(SmallMuted(), KindText(work, input.unit));
  ImGui::EndTooltip();
}

void ColumnTooltip(const TimelineInput& input, const WorkColumn& column) {
  if (column.count() == 1) return WorkTooltip(input, column.longest);
  if (!ImGui::BeginTooltip()) return;
  std::string text = presenters::CountsText(column.counts);
  if (column.bytes > 0) text += " · " + FormatBytes(column.bytes, input.unit);
  if (column.busy_ns > 0) text += " · " + FormatDuration(column.busy_ns);
  Put(StrongWords(), text);
  const std::string which = column.busy_ns > 0 ? "longest: " : "first: ";
  PutNarrow(SmallMuted(), which + presenters::TitleOf(*input.view, column.longest), Px(520));
  ImGui::EndTooltip();
}

void DrawSlice(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
               const WorkSlice& slice) {
  const auto [x0, x1] = geometry.Pixels(slice.begin, slice.end);
  const ImRect lane = geometry.lane;
  list->AddRectFilled({x0, lane.Min.y}, {x1, lane.Max.y}, U32(ColorOf(slice.work.kind)),
                      x1 - x0 > Px(8) ? Px(3) : 0);
  const float room = std::min(x1, lane.Max.x) - std::max(x0, lane.Min.x) - Px(8);
  if (room < Px(30)) return;
  const TextStyle style = Colored(SmallMuted(), Colors().panel);
  DrawText(list, {std::max(x0, lane.Min.x) + Px(4), lane.GetCenter().y - Px(8)}, style,
           Fitted(style, presenters::TitleOf(*input.view, slice.work), room));
}

}  // namespace

void DrawLane(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  const ImRect& lane = geometry.lane;
  if (lane.GetHeight() <= 0 || input.lane->columns.size() != input.plot->columns.size()) return;
  DrawText(list, {lane.Min.x - Px(8), lane.GetCenter().y - Px(8)}, SmallMuted(), "GPU", Align::kRight);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsWindowHovered() && lane.Contains(mouse);
  const WorkColumn* under_mouse = nullptr;
  list->PushClipRect(lane.Min, lane.Max, true);
  for (size_t k = 0; k < input.lane->columns.size(); ++k) {
    const WorkColumn& column = input.lane->columns[k];
    if (column.count() == 0) continue;
    const auto [x0, x1] = geometry.Pixels(input.plot->columns[k].begin, input.plot->columns[k].end);
    const float share =
        column.width_ns <= 0
            ? 0.0F
            : static_cast<float>(static_cast<double>(column.busy_ns) / static_cast<double>(column.width_ns));
    const float height = lane.GetHeight() * std::clamp(share, kLeastShare, 1.0F);
    list->AddRectFilled({x0, lane.Max.y - height}, {x1, lane.Max.y}, U32(ColorOf(column)));
    if (hovered && mouse.x >= x0 - Px(2) && mouse.x < x1 + Px(2)) under_mouse = &column;
  }
  const WorkSlice* slice_under_mouse = nullptr;
  for (const WorkSlice& slice : input.lane->slices) {
    DrawSlice(list, geometry, input, slice);
    const auto [x0, x1] = geometry.Pixels(slice.begin, slice.end);
    if (hovered && mouse.x >= x0 && mouse.x < x1) slice_under_mouse = &slice;
  }
  list->PopClipRect();
  if (slice_under_mouse != nullptr) return WorkTooltip(input, slice_under_mouse->work);
  if (under_mouse != nullptr) ColumnTooltip(input, *under_mouse);
}

}  // namespace tidemark::gui
