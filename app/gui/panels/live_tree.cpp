#include "app/gui/panels/live_tree.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "app/gui/panels/tree_sides.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/gui/window/opaque_fill.h"
#include "app/presenters/allocations/blocks.h"
#include "app/presenters/moment/signed_bytes.h"
#include "profiler/events/stack.h"

namespace tidemark::gui {
namespace {

using presenters::LiveTree;
using presenters::TreeArea;
using presenters::TreeBox;
using presenters::TreeKey;
using presenters::TreeNode;

constexpr const char* kNoLinesOfOurs =
    "Tidemark's own networks run without Python: Slow motion shows the lines that their steps would be.";

constexpr float kFlameRow = 22;  // at the least

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
void ChooseGroupingFromList(TreeGrouping chosen, LiveTreeState& state) {
  if (!BeginChoice("by", kTreeGroupings[static_cast<size_t>(chosen)].label, 0.25F)) return;
  for (size_t i = 0; i < kTreeGroupings.size(); ++i) {
    const auto grouping = static_cast<TreeGrouping>(i);
    if (Choice(kTreeGroupings[i].label, chosen == grouping)) GroupBy(grouping, state);
    Tooltip(kTreeGroupings[i].help);
  }
  ImGui::EndCombo();
}

void ChooseGrouping(TreeGrouping chosen, LiveTreeState& state) {
  std::array<const char*, kTreeGroupingCount> labels{};
  std::array<std::string, kTreeGroupingCount> hints;
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = kTreeGroupings[i].label;
    hints[i] = kTreeGroupings[i].help;
  }
  int grouping = static_cast<int>(chosen);
  if (Segmented("grouping", labels, hints, &grouping)) GroupBy(static_cast<TreeGrouping>(grouping), state);
}

// Whether there is room for a path beside it; then the next item stands there.
bool ChooseLook(const LiveTreeInput& input, LiveTreeState& state) {
  static constexpr const char* kLooks[] = {"tree map", "flame graph"};
  static const std::string kLookHints[] = {"Areas in proportion to bytes.",
                                           "Widths in proportion to bytes, a row per level."};
  float room = ImGui::GetContentRegionAvail().x;
  if (input.compares) {
    ChooseSides(state);
    ImGui::SameLine(0, Px(10));
    room = ImGui::GetContentRegionAvail().x;
  }
  const float looks = std::min(Px(190), room * 0.6F);
  const float groupings = std::min(Px(320), room - looks - Px(10));
  ImGui::BeginChild("look", {looks, Px(30)});
  int look = state.flame_graph ? 1 : 0;
  if (Segmented("look", kLooks, kLookHints, &look)) state.flame_graph = look == 1;
  ImGui::EndChild();
  ImGui::SameLine(0, Px(10));
  ImGui::BeginChild("grouping", {groupings, Px(30)});
  groupings < Px(280) ? ChooseGroupingFromList(input.grouping, state) : ChooseGrouping(input.grouping, state);
  ImGui::EndChild();
  if (input.compares && room - looks - groupings < Px(160)) return false;
  ImGui::SameLine(0, Px(16));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + Px(8));
  return true;
}

// One of "everything alive › activation › conv1".
struct Crumb {
  std::string title;
  size_t depth = 0;  // of the tree's node where a click goes
  std::string help;
};

// With "…" for what there is no room for: the nearest of that is where it goes.
std::vector<Crumb> CrumbsOf(const std::vector<std::string>& titles, float between, float room) {
  std::vector<float> widths;
  widths.reserve(titles.size());
  for (const std::string& title : titles) widths.push_back(Measure(SmallMuted(), title).x);
  std::vector<Crumb> crumbs;
  size_t next = 0;
  for (const size_t depth : CrumbsThatFit(widths, between, Measure(SmallMuted(), "…").x, room)) {
    if (depth > next) {
      std::string hidden;
      for (; next < depth; ++next) hidden += (hidden.empty() ? "" : " › ") + titles[next];
      crumbs.push_back({"…", depth - 1, hidden});
    }
    crumbs.push_back({titles[depth], depth, ""});
    next = depth + 1;
  }
  return crumbs;
}

// A click goes back there.
void Breadcrumbs(const LiveTree& tree, LiveTreeState& state) {
  const float y = ImGui::GetCursorPosY();  // SameLine goes back to the top of the row before
  const float gap = Px(6);
  const auto beside = [y, gap] {
    ImGui::SameLine(0, gap);
    ImGui::SetCursorPosY(y);
  };
  const float between = Measure(SmallMuted(), "›").x + 2 * gap;
  const std::vector<std::string> titles = TitlesToShown(tree, state.path);
  const std::vector<Crumb> crumbs = CrumbsOf(titles, between, ImGui::GetContentRegionAvail().x);
  for (const Crumb& crumb : crumbs) {
    if (&crumb != &crumbs.front()) {
      beside();
      Put(SmallMuted(), "›");
      beside();
    }
    const bool last = crumb.depth + 1 == titles.size();
    const TextStyle style = Colored(SmallMuted(), last ? Colors().text : Colors().accent);
    const std::string shown = Fitted(style, crumb.title, ImGui::GetContentRegionAvail().x);
    Put(style, shown);
    if (ImGui::IsItemHovered() && (!crumb.help.empty() || shown != crumb.title))
      Tooltip(crumb.help.empty() ? crumb.title : crumb.help);
    if (!last && ImGui::IsItemClicked()) {
      state.path.resize(crumb.depth);
      return;
    }
  }
}

bool IsFaded(const LiveTreeInput& input, const TreeNode& node) {
  return input.selects && node.selected_bytes == 0;
}

// Of a box over what lies under it: paler where it has boxes inside, or is not selected.
Color ColorOver(Color under, const TreeNode& node, bool faded) {
  if (!node.sides && !node.category && !faded) return Colors().raised;
  const Color color = node.sides      ? ColorOfChange(*node.sides)
                      : node.category ? Colors().Of(*node.category)
                                      : Colors().raised;
  return Mixed(under, color, (node.children == 0 ? 1.0 : 0.45) * (faded ? 0.35 : 1.0));
}

std::string SizeOf(const LiveTreeInput& input, const TreeNode& node) {
  if (!node.sides) return FormatBytes(node.bytes, input.unit);
  return node.sides->Difference() == 0 ? "=" : presenters::SignedBytes(node.sides->Difference(), input.unit);
}

void PutShares(const TreeNode& node, const TreeNode& parent, const TreeNode& root) {
  const auto share = [&node](const TreeNode& of) {
    return 100.0 * static_cast<double>(node.bytes) / static_cast<double>(std::max<int64_t>(1, of.bytes));
  };
  Put(MutedWords(), fmt::format("{:.1f} % of everything alive", share(root)));
  if (node.parent != 0) Put(MutedWords(), fmt::format("{:.1f} % of {}", share(parent), parent.title));
}

void NodeTooltip(const LiveTreeInput& input, const TreeNode& node, const ImRect& rect) {
  PlaceTooltip(rect.Min, rect.Max);
  ImGui::BeginTooltip();
  Put(StrongWords(), node.title);
  node.sides ? PutSides(*input.sides, *node.sides) : Put(Words(), BytesInBlocks(node.bytes, node.blocks));
  if (!node.shape.empty()) Put(Words(), (node.blocks == 1 ? "" : "each ") + node.shape);
  if (!node.sides) PutShares(node, input.tree->nodes[node.parent], input.tree->nodes[0]);
  PutMeanings(node.title);
  Put(SmallMuted(), node.children > 0 ? "Click: select it, and show only this."
                                      : "Click: select it, and show what it is part of.");
  ImGui::EndTooltip();
}

void DrawBox(const LiveTreeInput& input, const TreeNode& node, const ImRect& rect, Color color, float header,
             bool hovered) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool leaf = node.children == 0;
  const ImRect inner(rect.Min, rect.Max - ImVec2(1, 1));
  FillRounded(list, inner, color, Px(2));
  if (input.selects && node.selected_bytes == node.bytes && leaf)
    list->AddRect(inner.Min, inner.Max, U32(Colors().text), Px(2), Px(1.5F));
  if (hovered) list->AddRect(inner.Min, inner.Max, U32(Colors().text), Px(2), Px(1.5F));
  const float room = inner.GetWidth() - Px(10);
  if (room < Px(24) || inner.GetHeight() < std::min(header, Px(16))) return;
  const std::string size = SizeOf(input, node);
  const TextStyle style = Colored(SmallMuted(), TextOn(color));
  const float size_width = Measure(style, size).x + Px(10);
  const bool is_row = inner.GetHeight() <= header;
  const ImVec2 at(inner.Min.x + Px(5),
                  is_row ? inner.GetCenter().y - Pixels(style) / 2 - Px(1) : inner.Min.y + Px(2));
  DrawText(list, at, style, Fitted(style, node.title, room > size_width + Px(40) ? room - size_width : room));
  if (room > size_width + Px(40)) DrawText(list, {inner.Max.x - Px(5), at.y}, style, size, Align::kRight);
}

// The levels of the flame graph below the outermost, which is not shown.
int FlameLevels(const LiveTree& tree, size_t node, float width) {
  constexpr float kAnyHeight = 1e6F;
  float lowest = 2;
  for (const TreeBox& box : LayOutFlameGraph(tree, node, {width, kAnyHeight, 1, 0, Px(3) / Px(kFlameRow)}))
    lowest = std::max(lowest, box.bottom);
  return static_cast<int>(lowest) - 1;
}

// `header`: a box's title, and a row of the flame graph.
void DrawTree(const LiveTreeInput& input, LiveTreeState& state, const ImRect& area, float header,
              CommandQueue& queue) {
  const LiveTree& tree = *input.tree;
  const size_t node = presenters::NodeAt(tree, state.path);
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
  std::map<size_t, Color> drawn;  // of the nodes that boxes lie on
  for (const TreeBox& box : std::span(boxes).subspan(1)) {
    const TreeNode& shown = tree.nodes[box.node];
    const auto below = drawn.find(shown.parent);
    const Color under = below == drawn.end() || state.flame_graph ? Colors().panel : below->second;
    const Color color = ColorOver(under, shown, IsFaded(input, shown));
    if (shown.children > 0) drawn.emplace(box.node, color);
    const ImRect rect = rect_of(box);
    if (ImGui::IsRectVisible(rect.Min, rect.Max)) DrawBox(input, shown, rect, color, header, hovered == &box);
  }
  if (hovered == nullptr) return;
  NodeTooltip(input, tree.nodes[hovered->node], rect_of(*hovered));
  const TreeNode& under_mouse = tree.nodes[hovered->node];
  if (!ImGui::IsItemClicked()) return;
  if (const presenters::Selection picked = presenters::SelectionOf(tree, hovered->node); picked.any())
    queue.Push(Select{picked});
  state.path = presenters::PathOf(tree, under_mouse.children > 0 ? hovered->node : under_mouse.parent);
}

// "↓ 9 levels more", over the lowest that is in sight.
void TellLevelsBelow(int levels, const ImRect& sight) {
  if (levels < 1) return;
  const std::string text = "↓ " + FormatNumber(levels) + (levels == 1 ? " level more" : " levels more");
  const TextStyle style = Colored(SmallMuted(), Colors().text);
  const ImVec2 size = Measure(style, text) + ImVec2(Px(12), Px(4));
  const ImVec2 at(sight.GetCenter().x - size.x / 2, sight.Max.y - size.y - Px(2));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, at + size, U32(Colors().sunken), Px(4));
  DrawText(list, {sight.GetCenter().x, at.y + Px(2)}, style, text, Align::kCenter);
}

// Rows are as high as lets all of them fill the panel, within what looks like a row; those that find no room
// are scrolled to.
void DrawFlames(const LiveTreeInput& input, LiveTreeState& state, const ImRect& area, CommandQueue& queue) {
  const size_t node = presenters::NodeAt(*input.tree, state.path);
  const int levels = FlameLevels(*input.tree, node, area.GetWidth());
  const auto rows = static_cast<float>(levels);
  const float row = std::clamp(std::floor(area.GetHeight() / rows), Px(kFlameRow), Px(56));
  if (rows * row <= area.GetHeight()) return DrawTree(input, state, area, row, queue);
  if (ImGui::BeginChild("levels", area.GetSize(), ImGuiChildFlags_NavFlattened)) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float scrolled = ImGui::GetScrollY();
    DrawTree(input, state, ImRect(at, at + ImVec2(width, rows * row)), row, queue);
    const float seen = (scrolled + area.GetHeight()) / row;
    TellLevelsBelow(levels - static_cast<int>(std::round(seen)),
                    ImRect(area.Min, area.Min + ImVec2(width, area.GetHeight())));
  }
  ImGui::EndChild();
}

}  // namespace

bool TellsLines(const LiveTree& tree) {
  const TreeNode& root = tree.nodes.front();
  const auto is_line = [](const TreeNode& node) {
    return node.key == TreeKey::kFrame && !events::FileOfFrame(node.title).empty();
  };
  return std::ranges::any_of(std::span(tree.nodes).subspan(root.first_child, root.children), is_line);
}

std::vector<std::string> TitlesToShown(const LiveTree& tree, const std::vector<std::string>& path) {
  std::vector<std::string> titles = presenters::PathOf(tree, presenters::NodeAt(tree, path));
  titles.insert(titles.begin(), presenters::kEverythingAlive);
  return titles;
}

std::vector<size_t> CrumbsThatFit(const std::vector<float>& widths, float between, float dots, float room) {
  std::vector<size_t> shown;
  float all = 0;
  for (const float width : widths) all += (all > 0 ? between : 0) + width;
  if (all <= room) {
    shown.resize(widths.size());
    std::iota(shown.begin(), shown.end(), 0);
    return shown;
  }
  size_t first = widths.size() - 1;
  room -= widths[first] + dots + between;
  const bool with_root = first > 1 && widths[0] + between <= room;
  if (with_root) room -= widths[0] + between;
  for (; first > 1 && widths[first - 1] + between <= room; --first) room -= widths[first - 1] + between;
  if (with_root) shown.push_back(0);
  for (; first < widths.size(); ++first) shown.push_back(first);
  return shown;
}

std::span<const TreeKey> KeysOf(TreeGrouping grouping) {
  return kTreeGroupings[static_cast<size_t>(grouping)].keys;
}

void DrawLiveTreePanel(const LiveTreeInput& input, LiveTreeState& state, CommandQueue& queue) {
  state.drawn = true;
  if (input.tree == nullptr || input.tree->nodes.size() < 2 || !input.empty_reason.empty()) {
    PanelTitle("What is alive", "");
    if (input.compares) ChooseSides(state);
    EmptyReason(input.empty_reason.empty() ? "Nothing is alive at this moment." : input.empty_reason);
    return;
  }
  const TreeNode& root = input.tree->nodes[0];
  PanelTitle(
      "What is alive",
      JoinedFacts({root.sides ? presenters::SignedBytes(root.sides->Difference(), input.unit)
                              : FormatBytes(root.bytes, input.unit),
                   input.moment}),
      root.sides ? presenters::SignedExactBytes(root.sides->Difference()) : FormatExactBytes(root.bytes));
  const bool is_path_beside = ChooseLook(input, state);
  if (is_path_beside) Breadcrumbs(*input.tree, state);
  if (input.sides) LegendOfChange(*input.sides);
  if (input.sides && !is_path_beside) ImGui::SameLine(0, Px(20));
  if (!is_path_beside) Breadcrumbs(*input.tree, state);
  if (input.grouping == TreeGrouping::kCallStack && input.segments_have_stacks)
    Put(SmallMuted(), "C++ functions are told of segments: in the memory map, under the mouse.");
  if (input.grouping == TreeGrouping::kCallStack && !TellsLines(*input.tree))
    PutWrapped(SmallMuted(), input.is_of_ours ? kNoLinesOfOurs : presenters::kHowToGetLines);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < Px(40) || room.y < Px(24)) return;
  const ImRect area(at, at + room);
  constexpr float kTitleRow = 19;
  state.flame_graph ? DrawFlames(input, state, area, queue)
                    : DrawTree(input, state, area, Px(kTitleRow), queue);
}

}  // namespace tidemark::gui
