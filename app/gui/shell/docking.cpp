#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/shell/refitting.h"
#include "app/gui/shell/shell_parts.h"
#include "app/gui/view/panel_table.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/translation.h"
#include "app/gui/window/opaque_fill.h"

namespace tidemark::gui {
namespace {

constexpr int kFramesOfReturn = 4;
constexpr const char* kDockHost = "dock host";  // the window that holds all panels
constexpr const char* kDockSpace = "dock space";

std::string WindowId(const Panel& panel) { return "###" + std::string(panel.name); }

// Also of one that has not been drawn yet.
ImGuiID WindowIdOf(std::string_view panel) { return ImHashStr(("###" + std::string(panel)).c_str()); }
ImGuiID TabIdOf(std::string_view panel) { return ImHashStr("#TAB", 0, WindowIdOf(panel)); }

ImGuiDockNode* NodeOf(std::string_view panel) {
  if (const ImGuiWindow* const window = ImGui::FindWindowByID(WindowIdOf(panel)))
    return ImGui::DockBuilderGetNode(window->DockId);
  const ImGuiWindowSettings* const kept = ImGui::FindWindowSettingsByID(WindowIdOf(panel));
  return kept == nullptr ? nullptr : ImGui::DockBuilderGetNode(kept->DockId);
}

std::string WordsOf(const Panel& panel, const Frame& frame) {
  return std::string(Translated(LabelOf(panel, frame)));
}
std::string TitleOf(const Panel& panel, const Frame& frame) {
  return std::string(panel.icon) + "  " + WordsOf(panel, frame);
}

struct TabWidths {
  ImGuiID window = 0;
  float icon = 0;
  float words = 0;
  float title = 0;  // icon and words
};

std::vector<TabWidths> TabsOf(const ImGuiDockNode& node, const Frame& frame) {
  const auto width = [](const std::string& text) {
    return ImGui::TabItemCalcSize(text.c_str(), false).x + ImGui::GetStyle().ItemInnerSpacing.x;
  };
  std::vector<TabWidths> tabs;
  for (const ImGuiWindow* window : node.Windows) {
    for (const Panel& panel : Panels()) {
      if (window->ID != ImHashStr(WindowId(panel).c_str())) continue;
      tabs.push_back(
          {window->ID, width(panel.icon), width(WordsOf(panel, frame)), width(TitleOf(panel, frame))});
    }
  }
  return tabs;
}

float WidthOfAll(const std::vector<TabWidths>& tabs, float TabWidths::*shown) {
  float width = 0;
  for (const TabWidths& tab : tabs) width += tab.*shown;
  return width;
}

// Where there is no room for everyone's words: the one in front has its title, and of the others as many as
// there is room for, the shortest first.
bool HasTitle(const ImGuiWindow& window, std::vector<TabWidths> tabs, ImGuiID front, float room) {
  std::ranges::stable_sort(tabs, {}, [front](const TabWidths& tab) {
    return std::pair(tab.window != front, tab.title - tab.icon);
  });
  room -= WidthOfAll(tabs, &TabWidths::icon);
  for (const TabWidths& tab : tabs) {
    room -= tab.title - tab.icon;
    if (tab.window == window.ID) return tab.window == front || room >= 0;
  }
  return true;
}

// A little more room is nothing yet: tabs that a drag or a scrollbar widens by turns keep what they show.
float SteadyRoom(const ImGuiDockNode& node) {
  constexpr float kLittle = 24;
  const float room = node.TabBar->BarRect.GetWidth();
  float* const kept = node.HostWindow->StateStorage.GetFloatRef(node.ID);
  if (room < *kept || room > *kept + Px(kLittle)) *kept = room;
  return *kept;
}

// What a tab shows among those that share its place: icon and words; the words only, before any is without
// them, for an icon alone tells little.
std::string TabOf(const Panel& panel, const Frame& frame) {
  const ImGuiWindow* window = ImGui::FindWindowByName(WindowId(panel).c_str());
  const ImGuiDockNode* node = window == nullptr ? nullptr : window->DockNode;
  if (node == nullptr || node->VisibleWindow == nullptr || node->TabBar == nullptr ||
      node->HostWindow == nullptr)
    return TitleOf(panel, frame);
  const std::vector<TabWidths> tabs = TabsOf(*node, frame);
  const float room = SteadyRoom(*node);
  if (WidthOfAll(tabs, &TabWidths::title) <= room) return TitleOf(panel, frame);
  if (WidthOfAll(tabs, &TabWidths::words) <= room) return WordsOf(panel, frame);
  return HasTitle(*window, tabs, node->VisibleWindow->ID, room) ? TitleOf(panel, frame)
                                                                : std::string(panel.icon);
}

// In the list that Ctrl+Tab shows all are called by their whole names.
std::string WindowName(const Panel& panel, const Frame& frame) {
  const bool is_in_list = ImGui::GetCurrentContext()->NavWindowingTarget != nullptr;
  return (is_in_list ? TitleOf(panel, frame) : TabOf(panel, frame)) + WindowId(panel);
}

// A tab that shows its icon only says what it is; not over the panel that a click on it has just opened,
// until the mouse has left it.
void TabTooltip(const Panel& panel, const Frame& frame) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  const bool is_hovered = (window->DC.DockTabItemStatusFlags & ImGuiItemStatusFlags_HoveredRect) != 0;
  // A panel that has lost its tab remembers what the last one was told.
  const bool has_tab = window->DockIsActive && window->DockNode != nullptr && !window->DockNode->IsNoTabBar();
  bool* const is_clicked = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("tab is clicked"));
  *is_clicked = is_hovered && (*is_clicked || ImGui::IsMouseDown(ImGuiMouseButton_Left));
  // A dialog takes the mouse from all panels, but not from what ImGui remembers of their tabs.
  if (!has_tab || !is_hovered || *is_clicked || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  const ImRect tab = window->DC.DockTabItemRect;
  TooltipBeside(tab.Min, tab.Max, WordsOf(panel, frame) + ": " + std::string(Translated(panel.help)));
}

bool ShowsMap(const ViewState& view) {
  return std::ranges::any_of(Panels(), [&](const Panel& panel) {
    return panel.place == PanelPlace::kCenterMiddle &&
           view.shown[static_cast<size_t>(&panel - Panels().data())];
  });
}

// Too low for three panels on top of each other, or two tables.
constexpr float kLowWindow = 520;

// The timeline over all else of the middle in tabs, and all of the right side in tabs.
void DockInLowWindow(ImGuiID left, ImGuiID middle, ImGuiID right, bool has_map) {
  ImGuiID top = 0;
  const float share = has_map ? 0.4F : 0.36F;
  const ImGuiID below = ImGui::DockBuilderSplitNode(middle, ImGuiDir_Down, share, nullptr, &top);
  for (const Panel& panel : Panels()) {
    const ImGuiID nodes[] = {left, top, below, below, right, right, right};
    ImGui::DockBuilderDockWindow(WindowId(panel).c_str(), nodes[static_cast<size_t>(panel.place)]);
  }
}

// To learn: left the controls, middle the timeline over all else in tabs, right the lessons.
void DockForLearning(ImGuiID left, ImGuiID middle, ImGuiID right) {
  ImGuiID top = 0;
  const ImGuiID below = ImGui::DockBuilderSplitNode(middle, ImGuiDir_Down, 0.55F, nullptr, &top);
  for (const Panel& panel : Panels()) {
    const ImGuiID node = panel.place == PanelPlace::kLeft      ? left
                         : panel.place == PanelPlace::kCenter  ? top
                         : panel.place == PanelPlace::kLessons ? right
                                                               : below;
    ImGui::DockBuilderDockWindow(WindowId(panel).c_str(), node);
  }
}

// For slow motion: the timeline beside the map, over the step's code and blocks and all else in tabs.
void DockForSlowMotion(ImGuiID space) {
  ImGuiID top = 0;
  const ImGuiID below = ImGui::DockBuilderSplitNode(space, ImGuiDir_Down, 0.6F, nullptr, &top);
  ImGuiID timeline = 0;
  const ImGuiID map = ImGui::DockBuilderSplitNode(top, ImGuiDir_Right, 0.4F, nullptr, &timeline);
  for (const Panel& panel : Panels()) {
    const ImGuiID node = panel.place == PanelPlace::kCenter         ? timeline
                         : panel.place == PanelPlace::kCenterMiddle ? map
                                                                    : below;
    ImGui::DockBuilderDockWindow(WindowId(panel).c_str(), node);
  }
}

// Below the timeline: their share of the middle, and the tables' share of that. In a low window the tables
// keep the room of half a dozen rows, which timeline and map give them.
struct LowerMiddle {
  float of_all = 0;
  float of_tables = 0;
};

LowerMiddle HeightsOf(float height, bool has_map) {
  constexpr float kTables = 256;
  constexpr float kLeastMap = 190;    // two rows of segments that can be pointed at, or three low ones
  constexpr float kMapShare = 0.43F;  // of what is below the timeline, where there is room for all
  if (!has_map) return {0.36F, 1 - kMapShare};
  const float below = std::clamp(Px(kTables + kLeastMap) / height, 0.46F, 0.57F);
  const float map =
      std::max(Px(kLeastMap), std::min(below * height - Px(kTables), kMapShare * below * height));
  return {below, std::max(0.5F, 1 - map / (below * height))};
}

// In a small window the sides are laid out narrower than they would like to be.
void RememberCut(ImGuiID side, float wanted, ViewState& view) {
  const float given = ImGui::DockBuilderGetNode(side)->SizeRef.x;
  if (given < wanted) view.cut_widths[side] = {wanted, given};
}

// Left: the controls. Middle: timeline over map over tables. Right: the breakdown over the bridge.
void DockPanels(ImGuiID space, ImVec2 size, ViewState& view) {
  ImGui::DockBuilderRemoveNode(space);
  ImGui::DockBuilderAddNode(space, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(space, size);
  if (view.slow_motion.active && !view.learning) {
    DockForSlowMotion(space);
    return ImGui::DockBuilderFinish(space);
  }
  constexpr float kControls = 316;
  constexpr float kTables = 436;
  const float controls = std::clamp(Px(kControls) / size.x, 0.15F, 0.3F);
  const float tables = std::clamp(Px(kTables) / size.x, 0.2F, 0.33F);
  ImGuiID rest = 0;
  const ImGuiID left = ImGui::DockBuilderSplitNode(space, ImGuiDir_Left, controls, nullptr, &rest);
  ImGuiID middle = 0;
  const ImGuiID right =
      ImGui::DockBuilderSplitNode(rest, ImGuiDir_Right, tables / (1 - controls), nullptr, &middle);
  if (controls < Px(kControls) / size.x) RememberCut(left, Px(kControls), view);
  if (tables < Px(kTables) / size.x) RememberCut(right, Px(kTables), view);
  const bool has_map = ShowsMap(view);
  if (view.learning || size.y < Px(kLowWindow)) {
    view.learning ? DockForLearning(left, middle, right) : DockInLowWindow(left, middle, right, has_map);
    ImGui::DockBuilderFinish(space);
    return;
  }
  ImGuiID right_top = 0;
  const ImGuiID right_bottom = ImGui::DockBuilderSplitNode(right, ImGuiDir_Down, 0.52F, nullptr, &right_top);
  const LowerMiddle heights = HeightsOf(size.y, has_map);
  ImGuiID top = 0;
  ImGuiID below = ImGui::DockBuilderSplitNode(middle, ImGuiDir_Down, heights.of_all, nullptr, &top);
  ImGuiID map = 0;
  const ImGuiID bottom = ImGui::DockBuilderSplitNode(below, ImGuiDir_Down, heights.of_tables, nullptr, &map);
  for (const Panel& panel : Panels()) {
    const ImGuiID nodes[] = {left, top, map, bottom, right_top, right_bottom, right_bottom};
    ImGui::DockBuilderDockWindow(WindowId(panel).c_str(), nodes[static_cast<size_t>(panel.place)]);
  }
  ImGui::DockBuilderFinish(space);
}

// The first of each place is in front, also where a run comes first that has nothing to show in it.
void BuildDefaultLayout(ImGuiID space, ImVec2 size, ViewState& view) {
  DockPanels(space, size, view);
  for (size_t i = 0; i < Panels().size(); ++i) {
    ImGuiDockNode* const node = NodeOf(Panels()[i].name);
    if (view.shown[i] && node != nullptr && node->SelectedTabId == 0)
      node->SelectedTabId = TabIdOf(Panels()[i].name);
  }
}

// Laid out by a window that was low where this is not, or the other way round.
bool IsOfOtherHeight(float height, const ViewState& view) {
  if (view.layout_scale == 0 || view.learning || view.slow_motion.active) return false;
  return (view.layout_height < kLowWindow * view.layout_scale) != (height < Px(kLowWindow));
}

// `size`: of all panels together, from this frame on.
void FollowScale(ImGuiID space, ImVec2 size, ShellState& shell, ViewState& view) {
  const float scale = Px(1);
  if (view.layout_scale > 0 && view.layout_height > 0) {
    const ImVec2 factor(scale / view.layout_scale, size.y / view.layout_height);
    const bool is_wider = size.x != std::exchange(shell.layout_width, size.x);
    const bool changed = is_wider || std::abs(factor.x - 1) > 0.01F || std::abs(factor.y - 1) > 0.001F;
    const ImGuiDockNode* node = ImGui::DockBuilderGetNode(space);
    if (changed && node != nullptr) {
      Refit(*node, factor, size.x, &view.cut_widths);
      for (GivenRoom& given : shell.given_room) {
        given.before *= factor.y;
        given.after *= factor.y;
      }
    }
    if (!changed) return;
  }
  view.layout_scale = scale;
  view.layout_height = size.y;
}

// A panel that is alone in its place needs no tab, unless the person wants to rearrange.
void ChooseTabBar(ImGuiWindow* window, bool panel_tabs) {
  ImGuiDockNode* node = window->DockNode;
  if (node == nullptr) return;
  ImGuiDockNodeFlags flags = node->LocalFlags & ~ImGuiDockNodeFlags_NoTabBar;
  if (!panel_tabs && node->Windows.Size == 1) flags |= ImGuiDockNodeFlags_NoTabBar;
  flags |= ImGuiDockNodeFlags_NoWindowMenuButton | ImGuiDockNodeFlags_NoCloseButton;
  if (flags != node->LocalFlags) node->SetLocalFlags(flags);
}

// The window began with its bar, below the card: here it is drawn once more, to be seen. Under a name of its
// own it answers to no mouse: one name twice would be a conflict, and a click beside the grab two pages.
void RedrawScrollbar(ImGuiWindow* window) {
  const ImGuiID answering = ImGui::GetWindowScrollbarID(window, ImGuiAxis_Y);
  const ImGuiCol color = ImGui::GetActiveID() == answering    ? ImGuiCol_ScrollbarGrabActive
                         : ImGui::GetHoveredID() == answering ? ImGuiCol_ScrollbarGrabHovered
                                                              : ImGuiCol_ScrollbarGrab;
  ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, ImGui::GetStyleColorVec4(color));
  ImGui::PushID("above the card");
  ImGui::Scrollbar(ImGuiAxis_Y);
  ImGui::PopID();
  ImGui::PopStyleColor();
}

void DrawCard(ImGuiWindow* window) {
  ImDrawList* list = window->DrawList;
  const ImRect rect(window->InnerRect.Min, window->Pos + window->Size);
  const float rounding = Px(8);
  list->PushClipRect(rect.Min, rect.Max, false);
  FillRounded(list, rect, Colors().panel, rounding);
  list->AddRect(rect.Min, rect.Max, U32(Colors().border), rounding);
  if (window->ScrollbarY) RedrawScrollbar(window);
  list->PopClipRect();
}

// What can be drawn of the whole run, on white, beside the panel as it looks.
const char* DrawingOf(std::string_view panel) {
  if (panel == "timeline" || panel == "breakdown" || panel == "bridge") return panel.data();
  return panel == "memory_map" ? "map" : "";
}

// By the right mouse button, anywhere in the panel where nothing of its own takes that.
void PictureMenu(const Panel& panel, bool has_run, CommandQueue& queue) {
  const bool is_hovered = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  if (is_hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right, ImGuiKeyOwner_NoOwner))
    ImGui::OpenPopup("picture");
  if (!ImGui::BeginPopup("picture")) return;
  if (ImGui::MenuItemEx(TranslatedLabel("Save picture…").c_str(), icons::kCamera))
    queue.Push(SavePicture{panel.name, ""});
  Tooltip("This panel as it looks, as a PNG picture.");
  const std::string drawing = DrawingOf(panel.name);
  if (!drawing.empty() && ImGui::MenuItemEx(TranslatedLabel("Save standard drawing…").c_str(), icons::kExport,
                                            nullptr, false, has_run))
    queue.Push(SavePicture{panel.name, drawing});
  if (!drawing.empty())
    Tooltip(
        "The drawing that tidemark plot makes of the whole run, on white, whatever the panel shows of it "
        "now: "
        "SVG, or PNG by the name's ending.");
  ImGui::EndPopup();
}

constexpr float kStaysSeconds = 0.5F;  // what moves, under the mouse

// Under the mouse nothing moves while it may be about to click.
void Settle(float now, bool is_under_mouse, float* kept, float* waits_seconds) {
  *waits_seconds = now == *kept || !is_under_mouse ? 0 : *waits_seconds + ImGui::GetIO().DeltaTime;
  if (!is_under_mouse || *waits_seconds > kStaysSeconds) *kept = now;
}

// What the panels leave below them, so that a banner, which may stay for long, covers none; the timeline
// gives that.
float LeftBelow(const ImRect& banner, const ImRect& panels, ShellState& shell) {
  Standing& kept = shell.below_panels;
  const float now = banner.GetWidth() > 0 ? std::max(0.0F, panels.Max.y - banner.Min.y) : 0;
  Settle(now, panels.Contains(ImGui::GetIO().MousePos), &kept.height, &kept.waits_seconds);
  return kept.height;
}

// How much of a panel's bottom is covered.
float CoveredBottom(ImGuiWindow* window, const ImRect& covered) {
  float* const kept = window->StateStorage.GetFloatRef(window->GetID("covered bottom"));
  float* const waits = window->StateStorage.GetFloatRef(window->GetID("seconds of another"));
  const bool is_covered = covered.GetWidth() > 0 && covered.Overlaps(window->Rect());
  const float now = is_covered ? std::max(0.0F, window->ContentRegionRect.Max.y - covered.Min.y) : 0;
  Settle(now, window->Rect().Contains(ImGui::GetIO().MousePos), kept, waits);
  return *kept;
}

void DrawPanel(const Panel& panel, const Frame& frame, const ImRect& covered, ViewState& view,
               CommandQueue& queue) {
  // What each frame begins with shows through.
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32_BLACK_TRANS);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool visible = ImGui::Begin(WindowName(panel, frame).c_str(), nullptr,
                                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ChooseTabBar(ImGui::GetCurrentWindow(), view.panel_tabs);
  TabTooltip(panel, frame);
  if (visible) {
    ImGuiWindow* const window = ImGui::GetCurrentWindow();
    DrawCard(window);
    const float less = CoveredBottom(window, covered);
    window->ContentRegionRect.Max.y -= less;
    window->WorkRect.Max.y -= less;
    if (const std::string_view why = WhyVeiled(panel, frame); !why.empty()) {
      PanelTitle(panel.label, "");
      EmptyReason(why);
    } else {
      panel.draw(frame, view, queue);
      PictureMenu(panel, frame.timeline.empty_reason.empty(), queue);
    }
    window->DC.CursorMaxPos.y += less;  // what finds no room above can be scrolled there
  }
  ImGui::End();
}

// Also where another panel takes the focus in the same frame.
void BringToFront(const char* id) {
  ImGui::SetWindowFocus(id);
  const ImGuiWindow* window = ImGui::FindWindowByName(id);
  if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) return;
  window->DockNode->TabBar->NextSelectedTabId = window->TabId;
}

void Resize(const std::vector<GivenRoom>& all, float GivenRoom::*height) {
  for (const GivenRoom& given : all) ImGui::DockBuilderGetNode(given.node)->SizeRef.y = given.*height;
}

// A page that a person came for needs more than the panels in whose place it lies: the largest above it gives
// it the room, once, so that a person can still make it smaller, and has it back once the page is of the
// past: while it is not, the row of tabs stays under the mouse of who chooses another there.
constexpr float kTallPanel = 330;
constexpr float kLeastAbove = 170;  // of what gives

void GiveRoom(ImGuiDockNode* node, float wanted, ShellState& shell) {
  ImGuiDockNode* giver = nullptr;
  std::vector<unsigned> takers;
  std::vector<unsigned> takers_of_giver;
  for (ImGuiDockNode* child = node; child->ParentNode != nullptr; child = child->ParentNode) {
    const ImGuiDockNode* parent = child->ParentNode;
    if (parent->SplitAxis != ImGuiAxis_Y) break;
    takers.push_back(child->ID);
    ImGuiDockNode* above = parent->ChildNodes[0];
    if (above == child || (giver != nullptr && giver->Size.y >= above->Size.y)) continue;
    giver = above;
    takers_of_giver = takers;
  }
  if (giver == nullptr) return;
  const float change = std::min(wanted - node->Size.y, giver->Size.y - Px(kLeastAbove));
  if (change < Px(8)) return;
  const auto give = [&shell](ImGuiDockNode* to, float more) {
    // What lies beside it shares its height with it as they are, not as they once were.
    for (ImGuiDockNode* child : to->ParentNode->ChildNodes) child->SizeRef.y = child->Size.y;
    shell.given_room.push_back({to->ID, to->Size.y, to->Size.y + more});
  };
  give(giver, -change);
  for (const unsigned taker : takers_of_giver) give(ImGui::DockBuilderGetNode(taker), change);
  Resize(shell.given_room, &GivenRoom::after);
}

// But where a person has dragged one of them since: what was made by hand stays.
bool IsAsGiven(const std::vector<GivenRoom>& all) {
  return std::ranges::all_of(all, [](const GivenRoom& given) {
    const ImGuiDockNode* node = ImGui::DockBuilderGetNode(given.node);
    return node != nullptr && std::abs(node->SizeRef.y - given.after) < 2;
  });
}

void TakeRoomBack(ShellState& shell) {
  const std::vector<GivenRoom> all = std::exchange(shell.given_room, {});
  if (IsAsGiven(all)) Resize(all, &GivenRoom::before);
}

size_t PlaceOf(const ImGuiWindow* window) {
  const auto is_of = [window](const Panel& panel) {
    return window != nullptr && window->ID == ImHashStr(WindowId(panel).c_str());
  };
  return static_cast<size_t>(std::ranges::find_if(Panels(), is_of) - Panels().begin());
}

ImGuiID FrontOf(const ImGuiDockNode& node) {
  const ImGuiTabBar* const bar = node.TabBar;
  if (bar == nullptr) return node.SelectedTabId;
  return bar->NextSelectedTabId != 0 ? bar->NextSelectedTabId : bar->SelectedTabId;
}

// Once a person has chosen another tab there.
bool IsOver(const CoveredPanel& covered) {
  const ImGuiDockNode* const node = ImGui::DockBuilderGetNode(covered.node);
  return node == nullptr || (!covered.by.empty() && FrontOf(*node) != TabIdOf(covered.by));
}

void NoteCovered(const Panel& by, ShellState& shell) {
  const ImGuiWindow* const window = ImGui::FindWindowByName(WindowId(by).c_str());
  const ImGuiDockNode* const node = window == nullptr ? nullptr : window->DockNode;
  const size_t front = node == nullptr ? Panels().size() : PlaceOf(node->VisibleWindow);
  if (front == Panels().size() || Panels()[front].name == by.name) return;
  const auto before = std::ranges::find(shell.covered, node->ID, &CoveredPanel::node);
  if (before == shell.covered.end()) {
    shell.covered.push_back({node->ID, Panels()[front].name, by.name});
  } else {
    before->by = by.name;  // over what had covered the same
  }
}

// What was in front and has nothing to show any more: what Dear ImGui brings there instead covers it.
void NoteGone(const Panel& panel, ShellState& shell) {
  const ImGuiDockNode* const node = NodeOf(panel.name);
  if (node == nullptr || FrontOf(*node) != TabIdOf(panel.name)) return;
  if (std::ranges::count(shell.covered, node->ID, &CoveredPanel::node) == 0)
    shell.covered.push_back({node->ID, panel.name, "", true});
}

void LookForCovering(ShellState& shell) {
  for (CoveredPanel& covered : shell.covered) {
    const ImGuiDockNode* const node = ImGui::DockBuilderGetNode(covered.node);
    if (!covered.by.empty() || node == nullptr || FrontOf(*node) == TabIdOf(covered.panel)) continue;
    if (const size_t by = PlaceOf(node->VisibleWindow); by != Panels().size()) covered.by = Panels()[by].name;
  }
}

void ComeBackToFront(const Panel& panel, ShellState& shell) {
  const auto covered = std::ranges::find(shell.covered, panel.name, &CoveredPanel::panel);
  if (covered == shell.covered.end() || !covered->is_gone) return;
  ImGuiDockNode* const node = ImGui::DockBuilderGetNode(covered->node);
  shell.covered.erase(covered);
  if (shell.raise_panel.empty() && node != nullptr && node->TabBar != nullptr)
    node->TabBar->NextSelectedTabId = TabIdOf(panel.name);
}

// Panels that come back to their place stand there in their order, whichever of them was there before.
void OrderTabs() {
  for (const Panel& panel : Panels()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(WindowId(panel).c_str());
    if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) continue;
    ImVector<ImGuiTabItem>& tabs = window->DockNode->TabBar->Tabs;
    std::ranges::stable_sort(std::span(tabs.begin(), tabs.end()), {},
                             [](const ImGuiTabItem& tab) { return PlaceOf(tab.Window); });
  }
}

// A panel that goes and comes, as what has nothing to show for a moment does, stands where it stood, and not
// behind all others. Other than OrderTabs, it keeps what a person has arranged.
void KeepTabPlace(ImGuiWindow* window, ShellState::TabPlace& kept) {
  ImGuiTabBar* bar = window == nullptr || window->DockNode == nullptr ? nullptr : window->DockNode->TabBar;
  ImGuiTabItem* const tab = bar == nullptr ? nullptr : ImGui::TabBarFindTabByID(bar, window->TabId);
  if (tab == nullptr) return;
  const int place = ImGui::TabBarGetTabOrder(bar, tab);
  if (!std::exchange(kept.comes_back, false) || kept.place >= place) {
    kept.place = place;
    return;
  }
  ImGuiTabItem* const tabs = bar->Tabs.begin();
  std::rotate(tabs + kept.place, tabs + place, tabs + place + 1);
}

void MakeRoom(ShellState& shell) {
  const ImGuiWindow* window =
      shell.tall_panel.empty() ? nullptr : ImGui::FindWindowByName(("###" + shell.tall_panel).c_str());
  ImGuiDockNode* node = window == nullptr ? nullptr : window->DockNode;
  const bool has_room = node != nullptr && (shell.tall_has_room || node->VisibleWindow == window);
  if (has_room == shell.tall_has_room) return;
  shell.tall_has_room = has_room;
  if (has_room) {
    if (node->Size.y >= Px(kTallPanel)) return;
    return GiveRoom(node, Px(kTallPanel), shell);
  }
  TakeRoomBack(shell);
}

}  // namespace

ImRect MiddleOfPanels() {
  const ImGuiWindow* host = ImGui::FindWindowByName(kDockHost);
  const ImGuiDockNode* middle =
      host == nullptr ? nullptr : ImGui::DockBuilderGetCentralNode(ImHashStr(kDockSpace, 0, host->ID));
  return middle == nullptr ? ImRect() : middle->Rect();
}

std::string LayoutToKeep(const ShellState& shell) {
  const std::vector<GivenRoom>& room =
      IsAsGiven(shell.given_room) ? shell.given_room : std::vector<GivenRoom>();
  std::vector<CoveredPanel> covered = shell.covered;
  std::erase_if(covered, IsOver);
  std::vector<ImGuiID> fronts;
  Resize(room, &GivenRoom::before);
  for (const CoveredPanel& one : covered)
    fronts.push_back(std::exchange(ImGui::DockBuilderGetNode(one.node)->SelectedTabId, TabIdOf(one.panel)));
  std::string layout = ImGui::SaveIniSettingsToMemory();
  for (size_t i = 0; i < covered.size(); ++i)
    ImGui::DockBuilderGetNode(covered[i].node)->SelectedTabId = fronts[i];
  Resize(room, &GivenRoom::after);
  return layout;
}

void ForgetPassing(ShellState& shell) {
  shell.given_room.clear();
  shell.covered.clear();
  shell.tall_has_room = false;
}

std::string PanelBehind(std::string_view front, const ShellState& shell) {
  const ImGuiWindow* const window = ImGui::FindWindowByName(("###" + std::string(front)).c_str());
  if (window == nullptr || window->DockNode == nullptr) return "";
  const auto covered = std::ranges::find(shell.covered, window->DockNode->ID, &CoveredPanel::node);
  const bool is_over = covered == shell.covered.end() || IsOver(*covered) || covered->panel == front;
  return is_over ? "" : covered->panel;
}

void DrawPanels(const Frame& frame, const ImRect& banner, const ImRect& covered, ShellState& shell,
                ViewState& view, CommandQueue& queue) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float margin = Px(10);
  const ImVec2 at = viewport->WorkPos + ImVec2(margin, margin);
  const ImVec2 size = viewport->WorkSize - ImVec2(2 * margin, 2 * margin);
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size - ImVec2(0, LeftBelow(banner, {at, at + size}, shell)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32_BLACK_TRANS);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                      ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoDocking |
                                      ImGuiWindowFlags_NoSavedSettings;
  ImGui::Begin(kDockHost, nullptr, kFlags);
  ImGui::PopStyleVar(3);
  const ImGuiID space = ImGui::GetID(kDockSpace);
  if (shell.reset_layout || view.layout_scale == 0 || ImGui::DockBuilderGetNode(space) == nullptr) {
    view.cut_widths.clear();
    BuildDefaultLayout(space, size, view);
    shell.order_tabs = shell.reset_layout ? kFramesOfReturn : 0;
    shell.reset_layout = false;
    ForgetPassing(shell);
    view.layout_scale = 0;
  }
  shell.is_of_other_height = IsOfOtherHeight(size.y, view);
  if (!shell.is_of_other_height) FollowScale(space, size, shell, view);
  MakeRoom(shell);
  LookForCovering(shell);
  std::erase_if(shell.covered, IsOver);
  // The gaps between the cards are where they can be resized: they show only under the mouse. Nor are they,
  // or what lies behind tabs, painted in the colour that each frame begins with.
  ImGui::PushStyleColor(ImGuiCol_Border, IM_COL32_BLACK_TRANS);
  ImGui::PushStyleColor(ImGuiCol_ResizeGripHovered, U32(Colors().accent.WithAlpha(0.4)));
  ImGui::PushStyleColor(ImGuiCol_ResizeGripActive, U32(Colors().accent));
  ImGui::PushStyleColor(ImGuiCol_TitleBg, IM_COL32_BLACK_TRANS);
  ImGui::PushStyleColor(ImGuiCol_TitleBgActive, IM_COL32_BLACK_TRANS);
  ImGui::DockSpace(space, {0, 0}, ImGuiDockNodeFlags_None);
  ImGui::PopStyleColor(6);
  ImGui::End();
  for (size_t i = 0; i < Panels().size(); ++i) {
    const bool raise = shell.raise_panel == Panels()[i].name;
    view.shown[i] = view.shown[i] || raise;
    const bool is_there = view.shown[i] && HasContent(Panels()[i], frame);
    ShellState::TabPlace& tab = shell.tab_places[i];
    const bool was_there = std::exchange(tab.is_there, is_there);
    if (is_there) {
      if (!was_there) tab.comes_back = tab.place >= 0;
      DrawPanel(Panels()[i], frame, covered, view, queue);
      KeepTabPlace(ImGui::FindWindowByName(WindowId(Panels()[i]).c_str()), tab);
      if (!was_there) ComeBackToFront(Panels()[i], shell);
    } else if (view.shown[i]) {
      NoteGone(Panels()[i], shell);
    }
    if (!raise) continue;
    if (std::exchange(shell.passing_panel, "") == Panels()[i].name) NoteCovered(Panels()[i], shell);
    BringToFront(WindowId(Panels()[i]).c_str());
    shell.raise_panel.clear();
  }
  if (shell.order_tabs > 0) {
    --shell.order_tabs;
    OrderTabs();
  }
}

}  // namespace tidemark::gui
