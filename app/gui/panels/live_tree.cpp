#include "app/gui/panels/live_tree.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/gui/window/opaque_fill.h"

namespace tidemark::gui {
namespace {

using presenters::LiveTree;
using presenters::TreeArea;
using presenters::TreeBox;
using presenters::TreeKey;
using presenters::TreeNode;

struct GroupingLook {
  const char* label;
  const char* help;
  std::vector<TreeKey> keys;
};
const std::array<GroupingLook, kTreeGroupingCount> kTreeGroupings = {{
    {"category",
     "category › layer › operator › tensor",
     {TreeKey::kCategory, TreeKey::kLayer, TreeKey::kOperator, TreeKey::kTensor}},
    {"phase",
     "phase › layer › operator › lines of code, where the run has stacks › tensor",
     {TreeKey::kPhase, TreeKey::kLayer, TreeKey::kOperator, TreeKey::kCode, TreeKey::kTensor}},
    {"layer",
     "layer › category › operator › tensor",
     {TreeKey::kLayer, TreeKey::kCategory, TreeKey::kOperator, TreeKey::kTensor}},
    {"stream",
     "stream › category › layer › tensor",
     {TreeKey::kStream, TreeKey::kCategory, TreeKey::kLayer, TreeKey::kTensor}},
    {"code",
     "from the outermost line of code to the innermost › operator › tensor, where the run has stacks",
     {TreeKey::kFrame, TreeKey::kTensor}},
}};

void GroupBy(TreeGrouping grouping, LiveTreeState& state) {
  state.grouping = grouping;
  state.path.clear();
}

// Where there is no room for all side by side.
void ChooseGroupingFromList(LiveTreeState& state) {
  if (!BeginChoice("by", kTreeGroupings[static_cast<size_t>(state.grouping)].label, 0.25F)) return;
  for (size_t i = 0; i < kTreeGroupings.size(); ++i) {
    const auto grouping = static_cast<TreeGrouping>(i);
    if (Choice(kTreeGroupings[i].label, state.grouping == grouping)) GroupBy(grouping, state);
    Tooltip(kTreeGroupings[i].help);
  }
  ImGui::EndCombo();
}

void ChooseGrouping(LiveTreeState& state) {
  std::array<const char*, kTreeGroupingCount> labels{};
  std::array<std::string, kTreeGroupingCount> hints;
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = kTreeGroupings[i].label;
    hints[i] = kTreeGroupings[i].help;
  }
  int grouping = static_cast<int>(state.grouping);
  if (Segmented("grouping", labels, hints, &grouping)) GroupBy(static_cast<TreeGrouping>(grouping), state);
}

void ChooseLook(LiveTreeState& state) {
  static constexpr const char* kLooks[] = {"tree map", "flame graph"};
  static const std::string kLookHints[] = {"Areas in proportion to bytes.",
                                           "Widths in proportion to bytes, a row per level."};
  const float width = ImGui::GetContentRegionAvail().x;
  const float looks = std::min(Px(190), width * 0.6F);
  const float groupings = std::min(Px(320), width - looks - Px(10));
  ImGui::BeginChild("look", {looks, Px(30)});
  int look = state.flame_graph ? 1 : 0;
  if (Segmented("look", kLooks, kLookHints, &look)) state.flame_graph = look == 1;
  ImGui::EndChild();
  ImGui::SameLine(0, Px(10));
  ImGui::BeginChild("grouping", {groupings, Px(30)});
  groupings < Px(280) ? ChooseGroupingFromList(state) : ChooseGrouping(state);
  ImGui::EndChild();
  ImGui::SameLine(0, Px(16));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + Px(8));
}

// "everything › activation › conv1": a click goes back there.
void Breadcrumbs(LiveTreeState& state) {
  const float y = ImGui::GetCursorPosY();  // SameLine goes back to the top of the row before
  const auto beside = [y] {
    ImGui::SameLine(0, Px(6));
    ImGui::SetCursorPosY(y);
  };
  for (size_t depth = 0; depth <= state.path.size(); ++depth) {
    if (depth > 0) {
      beside();
      Put(SmallMuted(), "›");
      beside();
    }
    const std::string title = depth == 0 ? "everything alive" : state.path[depth - 1];
    const bool last = depth == state.path.size();
    Put(last ? Colored(SmallMuted(), Colors().text) : Colored(SmallMuted(), Colors().accent), title);
    if (!last && ImGui::IsItemClicked()) {
      state.path.resize(depth);
      return;
    }
  }
}

Color ColorOf(const TreeNode& node) { return node.category ? Colors().Of(*node.category) : Colors().raised; }

std::string SizeOf(const LiveTreeInput& input, const TreeNode& node) {
  return FormatBytes(node.bytes, input.unit);
}

void NodeTooltip(const LiveTreeInput& input, const TreeNode& node, const ImRect& rect) {
  const TreeNode& root = input.tree->nodes[0];
  const TreeNode& parent = input.tree->nodes[node.parent];
  const auto share = [&node](const TreeNode& of) {
    return 100.0 * static_cast<double>(node.bytes) / static_cast<double>(std::max<int64_t>(1, of.bytes));
  };
  PlaceTooltip(rect.Min, rect.Max);
  ImGui::BeginTooltip();
  Put(StrongWords(), node.title);
  Put(Words(), FormatExactBytes(node.bytes) + " in " + FormatNumber(static_cast<int64_t>(node.blocks)) +
                   (node.blocks == 1 ? " block" : " blocks"));
  Put(MutedWords(), fmt::format("{:.1f} % of everything alive", share(root)));
  if (node.parent != 0) Put(MutedWords(), fmt::format("{:.1f} % of {}", share(parent), parent.title));
  PutMeanings(node.title);
  Put(SmallMuted(), node.children > 0 ? "Click: select it, and show only this."
                                      : "Click: select it, and show what it is part of.");
  ImGui::EndTooltip();
}

void DrawBox(const LiveTreeInput& input, const TreeBox& box, const ImRect& rect, float header, bool hovered) {
  const TreeNode& node = input.tree->nodes[box.node];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool leaf = node.children == 0;
  const Color color = ColorOf(node);
  const ImRect inner(rect.Min, rect.Max - ImVec2(1, 1));
  const bool faded = input.selects && node.selected_bytes == 0;
  const double opacity = (leaf ? 1.0 : 0.45) * (faded ? 0.35 : 1.0);
  FillRounded(list, inner, node.category || faded ? color.WithAlpha(opacity) : color, Px(2));
  if (input.selects && node.selected_bytes == node.bytes && leaf)
    list->AddRect(inner.Min, inner.Max, U32(Colors().text), Px(2), Px(1.5F));
  if (hovered) list->AddRect(inner.Min, inner.Max, U32(Colors().text), Px(2), Px(1.5F));
  const float room = inner.GetWidth() - Px(10);
  if (room < Px(24) || inner.GetHeight() < std::min(header, Px(16))) return;
  const std::string size = SizeOf(input, node);
  const TextStyle style =
      Colored(SmallMuted(), leaf && node.category && !faded ? TextOn(color) : Colors().text);
  const float size_width = Measure(style, size).x + Px(10);
  const bool is_row = inner.GetHeight() <= header;
  const ImVec2 at(inner.Min.x + Px(5),
                  is_row ? inner.GetCenter().y - Pixels(style) / 2 - Px(1) : inner.Min.y + Px(2));
  DrawText(list, at, style, Fitted(style, node.title, room > size_width + Px(40) ? room - size_width : room));
  if (room > size_width + Px(40)) DrawText(list, {inner.Max.x - Px(5), at.y}, style, size, Align::kRight);
}

// A row of the flame graph is as high as lets all of them fill the panel, within what looks like a row.
float FlameRow(const LiveTree& tree, size_t node, const ImRect& area) {
  const float least = Px(22);
  constexpr float kAnyHeight = 1e6F;
  float lowest = 2 * least;  // the outermost row is not shown
  for (const TreeBox& box : LayOutFlameGraph(tree, node, {area.GetWidth(), kAnyHeight, least, 0, Px(3)}))
    lowest = std::max(lowest, box.bottom);
  const float rows = lowest / least - 1;
  return std::clamp(std::floor(area.GetHeight() / rows), least, Px(56));
}

void DrawTree(const LiveTreeInput& input, LiveTreeState& state, const ImRect& area, CommandQueue& queue) {
  const LiveTree& tree = *input.tree;
  const size_t node = presenters::NodeAt(tree, state.path);
  const float header = state.flame_graph ? FlameRow(tree, node, area) : Px(19);
  // The outermost box is the panel itself: its header would say again what the row above says.
  const ImVec2 origin = area.Min - ImVec2(0, header);
  const TreeArea room{area.GetWidth(), area.GetHeight() + header, header, state.flame_graph ? 0 : Px(2),
                      Px(3)};
  const std::vector<TreeBox> boxes =
      state.flame_graph ? LayOutFlameGraph(tree, node, room) : LayOutTreeMap(tree, node, room);
  ImGui::InvisibleButton("tree", area.GetSize());
  const ImVec2 mouse = ImGui::GetIO().MousePos - origin;
  const TreeBox* hovered = nullptr;
  if (ImGui::IsItemHovered()) {
    // Children come after their parents: the last that holds the mouse is the innermost.
    for (const TreeBox& box : boxes) {
      if (mouse.x >= box.left && mouse.x < box.right && mouse.y >= box.top && mouse.y < box.bottom)
        hovered = &box;
    }
  }
  const auto rect_of = [&origin](const TreeBox& box) {
    return ImRect(origin + ImVec2(box.left, box.top), origin + ImVec2(box.right, box.bottom));
  };
  for (const TreeBox& box : std::span(boxes).subspan(1))
    DrawBox(input, box, rect_of(box), header, hovered == &box);
  if (hovered == nullptr) return;
  NodeTooltip(input, tree.nodes[hovered->node], rect_of(*hovered));
  const TreeNode& under_mouse = tree.nodes[hovered->node];
  if (!ImGui::IsItemClicked()) return;
  if (const presenters::Selection picked = presenters::SelectionOf(tree, hovered->node); picked.any())
    queue.Push(Select{picked});
  state.path = presenters::PathOf(tree, under_mouse.children > 0 ? hovered->node : under_mouse.parent);
}

}  // namespace

std::span<const TreeKey> KeysOf(TreeGrouping grouping) {
  return kTreeGroupings[static_cast<size_t>(grouping)].keys;
}

void DrawLiveTreePanel(const LiveTreeInput& input, LiveTreeState& state, CommandQueue& queue) {
  state.drawn = true;
  if (input.tree == nullptr || input.tree->nodes.size() < 2 || !input.empty_reason.empty()) {
    PanelTitle("What is alive", "");
    EmptyReason(input.empty_reason.empty() ? "Nothing is alive at this moment." : input.empty_reason);
    return;
  }
  PanelTitle("What is alive", FormatBytes(input.tree->nodes[0].bytes, input.unit) + " · " + input.moment);
  ChooseLook(state);
  Breadcrumbs(state);
  if (state.grouping == TreeGrouping::kCallStack && input.segments_have_stacks)
    Put(SmallMuted(), "C++ functions are told of segments: in the memory map, under the mouse.");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < Px(40) || room.y < Px(24)) return;
  DrawTree(input, state, ImRect(at, at + room), queue);
}

}  // namespace tidemark::gui
