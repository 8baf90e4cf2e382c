#include "app/gui/panels/statistics.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/allocations/blocks.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::CountAndBytes;
using presenters::RangeStatistics;

constexpr const char* kLargestRequest = "largest request";

std::string CountText(uint64_t count) { return FormatNumber(static_cast<int64_t>(count)); }

std::string RangeTitle(const StatisticsInput& input) {
  const RangeStatistics& of = *input.statistics;
  std::string text = input.between_cursors ? "between the cursors" : "in sight";
  if (of.first == of.end) return text;
  const int64_t lasted_ns =
      SaturatingDifference(input.view->TimeOf(of.end - 1), input.view->TimeOf(of.first));
  return text + " · " + CountText(of.end - of.first) + (of.end - of.first == 1 ? " event" : " events") +
         " · " + FormatDuration(lasted_ns);
}

void FiguresHeader(ByteUnit unit) {
  ImGui::TableNextRow();
  HeaderCell("what happened");
  HeaderCell("how often", Align::kRight);
  HeaderCell(UnitName(unit), Align::kRight, "bytes, in blocks");
}

void Figure(const char* title, const char* meaning, const CountAndBytes& figure, ByteUnit unit) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(Words(), title);
  Tooltip(meaning);
  NumberCell(CountText(figure.count));
  BytesCell(figure.bytes, unit);
}

void NetFigure(const RangeStatistics& of, ByteUnit unit) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(Words(), "net");
  Tooltip("What was allocated less what was freed: by how much the curve is higher at the end.");
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  const char* const sign = of.net_bytes < 0 ? "−" : of.net_bytes > 0 ? "+" : "±";
  PutRight(Numbers(), sign + FormatInUnit(SaturatingMagnitude(of.net_bytes), unit));
  TellExactly(of.net_bytes);
}

void PeakFigure(const RangeStatistics& of, ByteUnit unit, CommandQueue& queue) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (SelectableRow("peak", false)) queue.Push(PinMoment{of.peak.index});
  Tooltip(
      "The most that was allocated at one moment; of steps that had as much, in the latest.\nClick to show "
      "it.");
  Put(Words(), "peak");
  NumberCell("event " + CountText(of.peak.index));
  BytesCell(ValueOf(of.peak.values, timeline::Series::kAllocated), unit);
}

void LargestFigure(const StatisticsInput& input, CommandQueue& queue) {
  const timeline::LiveBlock& block = *input.statistics->largest;
  const std::string title = presenters::BlockTitle(*input.view, block);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (SelectableRow("largest", false))
    queue.Push(PinMoment{block.born, presenters::AllocationSelected(block.born)});
  const std::string shape(input.view->name(block.shape));
  Tooltip("The largest request, the first of them: " + title + (shape.empty() ? "" : ", " + shape) +
          ".\nClick to light it up everywhere.");
  Put(Words(), kLargestRequest);
  ImGui::TableNextColumn();
  PutRight(MutedWords(), Fitted(MutedWords(), title, ImGui::GetContentRegionAvail().x));
  BytesCell(block.bytes, input.unit);
}

void Figures(const StatisticsInput& input, float width, CommandQueue& queue) {
  const RangeStatistics& of = *input.statistics;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  const float titles = std::ceil(Measure(Words(), kLargestRequest).x);   // the longest of them
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(Px(4), Px(1)));  // all of them fit in a low panel
  if (!ImGui::BeginTable("figures", 3, kFlags, {width, 0})) return ImGui::PopStyleVar();
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, titles);
  ImGui::TableSetupColumn("count", 0, 1.2F);
  ImGui::TableSetupColumn("bytes", 0, 0.9F);
  FiguresHeader(input.unit);
  Figure("allocated", "Blocks that were handed out, and their bytes, rounded up as the allocator does.",
         of.allocated, input.unit);
  Figure("freed", "Blocks that were given back, whenever they were allocated.", of.freed, input.unit);
  NetFigure(of, input.unit);
  PeakFigure(of, input.unit, queue);
  Figure("came and went",
         "Of what was allocated: born and freed again within this stretch, whatever it holds.", of.temporary,
         input.unit);
  Figure("short-lived", "Of what came and went: freed after one other allocation at the most.",
         of.short_lived, input.unit);
  if (of.largest) LargestFigure(input, queue);
  ImGui::EndTable();
  ImGui::PopStyleVar();
}

// The bins from the smallest to the largest request.
struct BinRange {
  size_t first = 0;
  size_t end = 0;
};

BinRange UsedBins(const RangeStatistics& of) {
  const auto used = [](const CountAndBytes& bin) { return bin.count > 0; };
  const auto first = std::ranges::find_if(of.sizes, used);
  const auto last = std::find_if(of.sizes.rbegin(), of.sizes.rend(), used).base();
  if (first >= last) return {};
  return {static_cast<size_t>(first - of.sizes.begin()), static_cast<size_t>(last - of.sizes.begin())};
}

double HeightOf(const CountAndBytes& bin, bool by_bytes) {
  return by_bytes ? static_cast<double>(bin.bytes) : static_cast<double>(bin.count);
}

std::string BinTooltip(size_t bin, const CountAndBytes& of, ByteUnit unit) {
  const std::string least = presenters::SizeBinTitle(bin, unit);
  return CountText(of.count) + (of.count == 1 ? " request of " : " requests of ") + least + " to " +
         presenters::SizeBinTitle(bin + 1, unit) + "\n" + FormatExactBytes(of.bytes) +
         " in all\nClick: lists them.";
}

// Requests of one size, to the next power of two.
void Bar(const StatisticsInput& input, const StatisticsState& state, size_t bin, const ImRect& slot,
         double highest, CommandQueue& queue) {
  const RangeStatistics& of = *input.statistics;
  const CountAndBytes& sizes = of.sizes[bin];
  ImGui::SetCursorScreenPos(slot.Min);
  ImGui::PushID(static_cast<int>(bin));
  const bool clicked = ImGui::InvisibleButton("bin", slot.GetSize());
  ImGui::PopID();
  if (sizes.count == 0) return;
  const bool hovered = ImGui::IsItemHovered();
  if (clicked) {
    ListAllocations list;
    list.filter = "born:" + std::to_string(of.first) + ".." + std::to_string(of.end - 1) + " " +
                  presenters::FilterOfSizeBin(bin);
    queue.Push(std::move(list));
  }
  const auto height = static_cast<float>(HeightOf(sizes, state.by_bytes) / highest) * slot.GetHeight();
  const float gap = std::min(Px(3), slot.GetWidth() * 0.1F);
  const ImRect bar(slot.Min.x + gap, slot.Max.y - std::max(height, Px(1.5F)), slot.Max.x - gap, slot.Max.y);
  const Color color = Colors().accent;
  ImGui::GetWindowDrawList()->AddRectFilled(bar.Min, bar.Max, U32(hovered ? color : color.WithAlpha(0.75)),
                                            Px(2), ImDrawFlags_RoundCornersTop);
  if (hovered) TooltipBeside(slot.Min, slot.Max, BinTooltip(bin, sizes, input.unit));
}

// A size at the left edge of every so many bars, as there is room for.
void BinTitles(const BinRange& bins, const ImRect& plot, float slot, ByteUnit unit) {
  size_t every = 1;
  while (slot * static_cast<float>(every) < Px(58)) ++every;
  for (size_t bin = bins.first; bin <= bins.end; bin += every) {
    const float x = plot.Min.x + slot * static_cast<float>(bin - bins.first);
    const std::string title = presenters::SizeBinTitle(bin, unit);
    const float width = Measure(SmallMuted(), title).x;
    if (x + width > plot.Max.x + Px(4)) break;
    ImGui::GetWindowDrawList()->AddLine({x, plot.Max.y}, {x, plot.Max.y + Px(4)}, U32(Colors().muted));
    DrawText(ImGui::GetWindowDrawList(), {x, plot.Max.y + Px(5)}, SmallMuted(), title);
  }
}

void Histogram(const StatisticsInput& input, StatisticsState& state, const ImRect& area,
               CommandQueue& queue) {
  static constexpr const char* kBars[] = {"requests", "bytes"};
  static const std::string kHints[] = {"Bars as high as there are requests of a size.",
                                       "Bars as high as the bytes that they ask for."};
  ImGui::SetCursorScreenPos(area.Min);
  ImGui::BeginChild("bars", {std::min(Px(190), area.GetWidth()), Px(30)});
  int bars = state.by_bytes ? 1 : 0;
  if (Segmented("bars", kBars, kHints, &bars)) state.by_bytes = bars == 1;
  ImGui::EndChild();
  const BinRange bins = UsedBins(*input.statistics);
  double highest = 0;
  for (size_t bin = bins.first; bin < bins.end; ++bin)
    highest = std::max(highest, HeightOf(input.statistics->sizes[bin], state.by_bytes));
  const std::string most = state.by_bytes ? FormatBytes(static_cast<int64_t>(highest), input.unit)
                                          : CountText(static_cast<uint64_t>(highest));
  const ImRect plot(area.Min.x, area.Min.y + Px(48), area.Max.x, area.Max.y - Px(22));
  if (plot.GetHeight() < Px(20) || highest <= 0) return;
  // In words as far as there is room for them.
  for (const char* words : {"by size of request · highest bar ", "highest bar ", "highest "}) {
    if (Measure(SmallMuted(), words + most).x > plot.GetWidth() - Px(200)) continue;
    DrawText(ImGui::GetWindowDrawList(), {plot.Max.x, area.Min.y + Px(6)}, SmallMuted(), words + most,
             Align::kRight);
    break;
  }
  const float slot = std::min(Px(64), plot.GetWidth() / static_cast<float>(bins.end - bins.first));
  for (size_t bin = bins.first; bin < bins.end; ++bin) {
    const float x = plot.Min.x + slot * static_cast<float>(bin - bins.first);
    Bar(input, state, bin, ImRect(std::floor(x), plot.Min.y, std::floor(x + slot), plot.Max.y), highest,
        queue);
  }
  ImGui::GetWindowDrawList()->AddLine({plot.Min.x, plot.Max.y}, {plot.Max.x, plot.Max.y},
                                      U32(Colors().faint));
  BinTitles(bins, plot, slot, input.unit);
}

}  // namespace

void DrawStatisticsPanel(const StatisticsInput& input, StatisticsState& state, CommandQueue& queue) {
  state.drawn = true;
  if (input.statistics == nullptr || !input.empty_reason.empty()) {
    PanelTitle("Statistics", "");
    EmptyReason(input.empty_reason);
    return;
  }
  PanelTitle("Statistics", RangeTitle(input));
  if (input.statistics->allocated.count + input.statistics->freed.count == 0) {
    EmptyReason("Nothing was allocated or freed here. Zoom out, or drag over the timeline with Shift held.");
    return;
  }
  BeginScrolled("statistics");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = room.x > Px(620);
  const float figures = beside ? Px(340) : room.x;
  Figures(input, figures, queue);
  const float below = ImGui::GetCursorScreenPos().y;
  const float height = std::max(Px(110), beside ? room.y - Px(4) : at.y + room.y - below - Px(8));
  const ImVec2 corner = beside ? ImVec2(at.x + figures + Px(28), at.y) : ImVec2(at.x, below + Px(8));
  const ImRect area(corner, {at.x + room.x, corner.y + height});
  Histogram(input, state, area, queue);
  ImGui::SetCursorScreenPos({at.x, std::max(below, area.Max.y)});
  ImGui::Dummy({0, 0});
  EndScrolled();
}

}  // namespace tidemark::gui
