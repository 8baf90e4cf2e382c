#include "app/gui/panels/memory_map.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/presenters/allocations/blocks.h"
#include "app/presenters/allocations/selection.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/block_layer.h"

namespace tidemark::gui {
namespace {

using presenters::MapBlock;
using presenters::MapPart;
using presenters::MapSegment;
using timeline::LiveBlock;

constexpr float kRoomToExplain = 2.4F;  // times the least height of the map, from which words go below it

// Segments are whole MiB on a GPU.
std::string SegmentSize(int64_t bytes, ByteUnit unit) {
  constexpr int64_t kMebibyte = 1 << 20;
  if (unit == ByteUnit::kMebibytes && bytes % kMebibyte == 0) return FormatNumber(bytes / kMebibyte) + " MiB";
  return FormatBytes(bytes, unit);
}

// From where the segment was reserved, where that is told.
std::string StackOf(const MemoryMapInput& input, const MapSegment& segment) {
  if (segment.born < input.view->first() || segment.born >= input.view->end()) return "";
  return presenters::StackLines(input.view->name(input.view->event(segment.born).op));
}

// As in the timeline.
Color ColorOf(const MemoryMapInput& input, const MapBlock& block) {
  if (input.groups == nullptr) return Colors().Of(block.category);
  return Colors().OfGroup((*input.groups)[block.block], input.group_count);
}

// Of the block that the strip shows, and of how many lie there with it that cannot be told apart.
void BlockTooltip(const MemoryMapInput& input, const MapSegment& segment, const MapStrip& strip,
                  const ImRect& box) {
  const MapBlock& shown = segment.blocks[strip.shown];
  const LiveBlock& block = input.state->blocks[shown.block];
  PlaceTooltip(box.Min, box.Max);
  ImGui::BeginTooltip();
  Swatch(ColorOf(input, shown));
  ImGui::SameLine();
  Put(StrongWords(), presenters::BlockTitle(*input.view, block));
  if (block.shape != 0) Put(Words(), input.view->name(block.shape));
  Put(Words(), FormatExactBytes(block.bytes) + " · block of " + FormatExactBytes(block.rounded_bytes));
  const std::string layer(timeline::LayerOf(*input.view, block));
  Put(MutedWords(), std::string(events::NameOf(block.category)) + (layer.empty() ? "" : " · " + layer));
  PutMeanings(events::NameOf(block.category));
  char address[64];
  std::snprintf(address, sizeof address, "at 0x%llx, since event %s",
                static_cast<unsigned long long>(block.address),
                FormatNumber(static_cast<int64_t>(block.born)).c_str());
  Put(SmallMuted(), address);
  if (const std::string stack = presenters::StackIn(input.view->name(block.op)); !stack.empty())
    Put(Words(), stack);
  if (const std::string stack = StackOf(input, segment); !stack.empty()) {
    Put(SmallMuted(), "its segment was asked for in");
    Put(MutedWords(), stack);
  }
  if (const std::string whose = presenters::WhoseSegment(*input.map, segment); !whose.empty())
    Put(SmallMuted(), "in a segment of: " + whose);
  if (block.pending_free)
    Put(SmallMuted(), "Freed, but kept until another stream is done with it: nobody else can have it yet.");
  if (strip.blocks > 1) {
    Put(SmallMuted(), "One of " + FormatNumber(static_cast<int64_t>(strip.blocks)) +
                          " blocks that are too narrow here to be told apart; Allocations lists them.");
  }
  ImGui::EndTooltip();
}

// Where it serves not every request.
void PutWhose(const MemoryMapInput& input, const MapSegment& segment) {
  if (const std::string whose = presenters::WhoseSegment(*input.map, segment); !whose.empty())
    Put(Words(), whose);
  if (segment.list.pool != 0)
    Put(SmallMuted(),
        "Requests outside of this pool can have none of it; a CUDA graph uses it when it is replayed.");
}

void SegmentTooltip(const MemoryMapInput& input, const MapSegment& segment, const ImRect& box) {
  PlaceTooltip(box.Min, box.Max);
  ImGui::BeginTooltip();
  Put(StrongWords(), "segment of " + FormatExactBytes(segment.bytes));
  PutWhose(input, segment);
  Put(SmallMuted(), "since event " + FormatNumber(static_cast<int64_t>(segment.born)));
  if (const std::string stack = StackOf(input, segment); !stack.empty()) Put(Words(), stack);
  ImGui::EndTooltip();
}

// Freed, and not yet to be had: in the block's colour, hatched.
void Hatch(ImDrawList* list, const ImRect& box, Color color) {
  list->AddRectFilled(box.Min, box.Max, U32(color.WithAlpha(0.25)));
  list->PushClipRect(box.Min, box.Max, true);
  for (float x = box.Min.x - box.GetHeight(); x < box.Max.x; x += Px(6))
    list->AddLine({x, box.Max.y}, {x + box.GetHeight(), box.Min.y}, U32(color), Px(1.5F));
  list->PopClipRect();
}

// The end of a block that nobody asked for: darker, and where it is lit up wide enough to be seen.
void DrawRounding(ImDrawList* list, const ImRect& box, const MapStrip& strip, bool lit) {
  if (strip.rounding_bytes <= 0) return;
  const double share =
      static_cast<double>(strip.rounding_bytes) / static_cast<double>(std::max<int64_t>(1, strip.bytes));
  const float width = box.GetWidth() * static_cast<float>(std::min(share, 1.0));
  if (width < 1 && !lit) return;
  const float left = std::max(box.Min.x, box.Max.x - std::max(width, lit ? Px(2) : 1.0F));
  const Color color = lit ? Colors().accent : Colors().panel.WithAlpha(0.5);
  list->AddRectFilled({left, box.Min.y}, box.Max, U32(color));
}

// What is free there, in as many words as there is room for.
std::array<const char*, 3> WordsForFree(const MapSegment& segment, const MapSpan& span) {
  if (segment.barrier == timeline::Barrier::kPool)
    return {"free in this private pool", "free in this pool", "free"};
  if (segment.barrier == timeline::Barrier::kStream) return {"free on another stream", "free", "free"};
  return {span.is_largest ? "largest free" : "free", "free", "free"};
}

void DrawFree(const MapSegment& segment, const std::vector<MapSpan>& spans, const ImRect& box, MapPart lit) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const TextStyle style = Colored(SmallMuted(), lit == MapPart::kFree ? Colors().text : Colors().muted);
  const float least_named = Measure(style, "free").x + Px(8);
  const bool has_room = box.GetHeight() >= Px(kSmallTextSize + 4);
  for (const MapSpan& span : spans) {
    const float x0 = box.Min.x + span.left;
    const float x1 = box.Min.x + span.right;
    if (lit == MapPart::kFree) {
      list->AddRectFilled({x0, box.Min.y}, {x1, box.Max.y}, U32(Colors().accent.WithAlpha(0.35)));
      list->AddRect({x0, box.Min.y}, {x1, box.Max.y}, U32(Colors().accent));
    }
    if (!has_room || x1 - x0 < least_named) continue;
    for (const char* const words : WordsForFree(segment, span)) {
      if (Measure(style, words).x + Px(8) > x1 - x0) continue;
      DrawText(list, {(x0 + x1) / 2, box.GetCenter().y - Px(8)}, style, words, Align::kCenter);
      break;
    }
  }
}

bool IsNarrow(const MapStrip& strip) { return strip.right - strip.left <= Px(4); }

// A gap is left beside those that are wide enough for one.
ImRect BoxOf(const MapStrip& strip, const ImRect& segment) {
  const float gap = IsNarrow(strip) ? 0.0F : 1.0F;
  return {segment.Min.x + strip.left, segment.Min.y, segment.Min.x + strip.right - gap, segment.Max.y};
}

void DrawRim(ImDrawList* list, const ImRect& box) {
  list->AddRect(box.Min, box.Max, U32(Colors().text), Px(2), Px(1.5F));
}

// Around what is selected; neighbours that rims of their own would cover have one together.
void DrawRims(ImDrawList* list, const std::vector<MapStrip>& strips, const ImRect& segment) {
  std::optional<ImRect> together;
  const auto finish = [&] {
    if (together) DrawRim(list, *together);
    together.reset();
  };
  for (const MapStrip& strip : strips) {
    if (!strip.lit) continue;
    const ImRect box = BoxOf(strip, segment);
    if (!IsNarrow(strip)) {
      DrawRim(list, box);
    } else if (together && box.Min.x <= together->Max.x + 1) {
      together->Max.x = box.Max.x;
    } else {
      finish();
      together = box;
    }
  }
  finish();
}

void DrawStrips(const MemoryMapInput& input, const MapSegment& segment, const std::vector<MapStrip>& strips,
                const ImRect& box, bool dims, MapPart part) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const MapStrip& strip : strips) {
    const MapBlock& block = segment.blocks[strip.shown];
    const Color own = ColorOf(input, block);
    const Color color = dims && !strip.lit ? own.WithAlpha(0.3) : own;
    const ImRect strip_box = BoxOf(strip, box);
    if (block.pending_free) {
      Hatch(list, strip_box, color);
    } else {
      list->AddRectFilled(strip_box.Min, strip_box.Max, U32(color),
                          strip.right - strip.left > Px(8) ? Px(2) : 0);
    }
    DrawRounding(list, strip_box, strip, part == MapPart::kRounding);
  }
  DrawRims(list, strips, box);
}

// What the mouse points at: a block, or the segment.
void PointAt(const MemoryMapInput& input, const MapSegment& segment, const std::vector<MapStrip>& strips,
             const ImRect& box, CommandQueue& queue) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!box.Contains(mouse) || !ImGui::IsItemHovered()) return;
  const MapStrip* const strip = StripAt(strips, mouse.x - box.Min.x);
  if (strip == nullptr) return SegmentTooltip(input, segment, box);
  const ImRect strip_box = BoxOf(*strip, box);
  const LiveBlock& block = input.state->blocks[segment.blocks[strip->shown].block];
  DrawRim(ImGui::GetWindowDrawList(), strip_box);
  BlockTooltip(input, segment, *strip, strip_box);
  if (ImGui::IsItemClicked()) queue.Push(Select{presenters::AllocationSelected(block.born)});
}

// Along the upper and the lower edge of a private pool's segment.
void DrawDashes(ImDrawList* list, const ImRect& box) {
  for (const float y : {box.Min.y + Px(1), box.Max.y - Px(1)}) {
    for (float x = box.Min.x; x < box.Max.x; x += Px(8))
      list->AddLine({x, y}, {std::min(x + Px(4), box.Max.x), y}, U32(Colors().muted), Px(1.5F));
  }
}

void DrawSegment(const MemoryMapInput& input, size_t number, const ImRect& box, MapPart part,
                 CommandQueue& queue) {
  const MapSegment& segment = input.map->segments[number];
  const bool dims = input.lit != nullptr || part == MapPart::kFree || part == MapPart::kRounding;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.Min, box.Max, U32(Colors().raised), Px(3));
  const KeptMapStrips::Strips& strips =
      input.drawing->strips.Of(number, segment, box.GetWidth(), input.lit, input.groups);
  DrawStrips(input, segment, strips.blocks, box, dims, part);
  DrawFree(segment, strips.free, box, part);
  if (segment.list.pool != 0) DrawDashes(list, box);
  const bool is_lit = part == MapPart::kSegments;
  list->AddRect(box.Min, box.Max, U32(is_lit ? Colors().accent : Colors().border), Px(3),
                is_lit ? Px(1.5F) : 1.0F);
  PointAt(input, segment, strips.blocks, box, queue);
}

void DrawMap(const MemoryMapInput& input, const MapLayout& layout, const ImRect& area, MapPart part,
             CommandQueue& queue) {
  ImGui::InvisibleButton("map", {area.GetWidth(), std::max(area.GetHeight(), layout.height)});
  const auto size_of = [&](size_t i) { return SegmentSize(input.map->segments[i].bytes, input.unit); };
  std::vector<float> widths(layout.segments.size());
  for (size_t i = 0; i < layout.segments.size(); ++i) {
    const ImRect& box = layout.segments[i];
    if (!ImGui::IsRectVisible(box.Min, box.Max)) continue;
    DrawSegment(input, i, box, part, queue);
    if (layout.labels) widths[i] = Measure(SmallMuted(), size_of(i)).x;
  }
  for (const MapSize& size : SizesBelow(layout, widths, area)) {
    const ImVec2 at(size.left, layout.segments[size.segment].Max.y + Px(2));
    DrawText(ImGui::GetWindowDrawList(), at, SmallMuted(), size_of(size.segment));
    TooltipOver(at, at + ImVec2(widths[size.segment], Px(kSmallTextSize)),
                FormatExactBytes(input.map->segments[size.segment].bytes));
  }
}

// Rows that find no room are scrolled to.
void DrawMapIn(const MemoryMapInput& input, const ImRect& area, MapPart part, CommandQueue& queue) {
  const MapLayout& layout = input.drawing->layout.Of(input.map->segments, area);
  if (layout.height <= area.GetHeight() + 1) return DrawMap(input, layout, area, part, queue);
  if (ImGui::BeginChild("rows", area.GetSize(), ImGuiChildFlags_NavFlattened)) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImRect beside_bar(at, at + ImVec2(ImGui::GetContentRegionAvail().x, area.GetHeight()));
    DrawMap(input, input.drawing->layout_beside_bar.Of(input.map->segments, beside_bar), beside_bar, part,
            queue);
  }
  ImGui::EndChild();
}

// Drag through time.
void Scrubber(const MemoryMapInput& input, CommandQueue& queue) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = Px(18);
  ImGui::InvisibleButton("scrubber", {width, height}, ImGuiButtonFlags_EnableNav);
  const double span = static_cast<double>(input.last - input.first);
  if (span <= 0) return;
  const double here =
      static_cast<double>(std::clamp(input.state->index, input.first, input.last) - input.first) / span;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const double ratio = std::clamp((ImGui::GetIO().MousePos.x - at.x) / width, 0.0F, 1.0F);
    queue.Push(PinMoment{input.first + static_cast<timeline::EventIndex>(ratio * span)});
  }
  if (ImGui::IsItemFocused() && !ImGui::GetIO().KeyAlt) {  // which turns a lesson's page
    const ImGuiID id = ImGui::GetItemID();
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) ImGui::SetKeyOwner(key, id);
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow, ImGuiInputFlags_Repeat, id) &&
        input.state->index > input.first) {
      queue.Push(PinMoment{input.state->index - 1});
    }
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow, ImGuiInputFlags_Repeat, id))
      queue.Push(PinMoment{input.state->index + 1});
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = at.y + height / 2;
  const float x = at.x + Px(7) + (width - Px(14)) * static_cast<float>(here);
  list->AddRectFilled({at.x, y - Px(2)}, {at.x + width, y + Px(2)}, U32(Colors().raised), Px(2));
  list->AddRectFilled({at.x, y - Px(2)}, {x, y + Px(2)}, U32(Colors().accent), Px(2));
  list->AddCircleFilled({x, y}, Px(7), U32(Colors().dark ? Colors().text : Colors().accent));
}

std::string MomentOf(const MemoryMapInput& input) {
  std::string text = input.moment;
  if (input.map->reserved_bytes > 0)
    text += " · largest free block " + FormatBytes(input.map->largest_free_bytes, input.unit);
  return text;
}

std::string HintOf(const MemoryMapInput& input, MapPart part) {
  switch (part) {
    case MapPart::kSegments:
      return "segments; Esc ends it";
    case MapPart::kFree:
      return "what lies free; Esc ends it";
    case MapPart::kRounding:
      return "what was rounded up; Esc ends it";
    case MapPart::kNone:
      break;
  }
  if (!input.pinned) return "drag through time";
  constexpr std::array<const char*, 3> kPresses = {"Esc", "Esc twice", "Esc three times"};
  const auto presses = static_cast<size_t>(std::clamp(input.escapes, 0, 2));
  return std::string("pinned; ") + kPresses[presses] + ": back " + input.unpinned;
}

// What the sentence below the map rounds.
std::string FreeExactly(const presenters::MemoryMap& map) {
  return FormatExactBytes(SaturatingDifference(map.reserved_bytes, map.occupied_bytes)) + " free of " +
         FormatExactBytes(map.reserved_bytes);
}

// Where it leaves no room for what the map comes to, without where a key leads back to: who holds what is
// told last in that, and would be cut first.
std::string FittedHint(const std::string& hint, float room) {
  if (Measure(SmallMuted(), hint).x <= room) return hint;
  return hint.substr(0, hint.find(':'));
}

// What the map comes to, in one line; at length below it where there is room, else in its tooltip.
void Caption(const MemoryMapInput& input, MapPart part, const std::string& at_length) {
  const std::string summary = presenters::MapSummary(*input.map, input.unit);
  const float room =
      ImGui::GetContentRegionAvail().x - Measure(SmallMuted(), summary).x - ImGui::GetStyle().ItemSpacing.x;
  const std::string hint = HintOf(input, part);
  const std::string fitted = FittedHint(hint, room);
  Put(part == MapPart::kNone ? SmallMuted() : Colored(SmallMuted(), Colors().accent), fitted);
  if (fitted != hint) Tooltip(hint);
  ImGui::SameLine();
  const std::string shown = FittedFacts(SmallMuted(), summary, ImGui::GetContentRegionAvail().x);
  PutRight(SmallMuted(), shown);
  if (shown != summary) Tooltip(summary);
  if (at_length.empty()) Tooltip(presenters::ExplainFreeMemory(*input.map, input.unit));
  MarkTerms(ImGui::GetItemRectMin(), SmallMuted(), shown);
  if (!at_length.empty()) PutWrappedTerms(SmallMuted(), at_length, FreeExactly(*input.map));
}

}  // namespace

void DrawMemoryMapPanel(const MemoryMapInput& input, MemoryMapState& state, CommandQueue& queue) {
  if (input.map == nullptr || input.state == nullptr || !input.empty_reason.empty()) {
    PanelTitle("Memory map", "");
    EmptyReason(input.empty_reason);
    return;
  }
  PanelTitle("Memory map", MomentOf(input),
             "largest free block " + FormatExactBytes(input.map->largest_free_bytes));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float least_map = Px(20);  // a row without sizes: what they come to is told first
  const float scrubber = Px(18) + ImGui::GetStyle().ItemSpacing.y;
  const float caption = Px(kSmallTextSize) + Px(14);
  const bool has_caption =
      room.y >= least_map + scrubber + caption;  // the first to go where there is no room
  const std::string at_length = presenters::ExplainFreeMemory(*input.map, input.unit);
  const float words = MeasureWrapped(SmallMuted(), at_length, room.x).y + Px(6);
  const bool explains =
      !at_length.empty() && room.y >= kRoomToExplain * least_map + scrubber + caption + words;
  const float below = scrubber + (has_caption ? caption : 0) + (explains ? words : 0);
  DrawMapIn(input, ImRect(at, {at.x + room.x, at.y + std::max(Px(12), room.y - below)}), state.lit, queue);
  Scrubber(input, queue);
  if (has_caption) Caption(input, state.lit, explains ? at_length : "");
}

}  // namespace tidemark::gui
