// What surrounds the run: units, lines and categories shown and hidden, the run's log, pictures by the menu,
// layouts, copied rows.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/view/panel_table.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

const TimelineState& TimelineInWindow() { return application().view_state().timeline; }

std::string Contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// As a person does: the menu, the name, Enter.
void ExportsByTheMenu(ImGuiTestContext* context, const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
  context->MenuClick("//##MainMenuBar/File/Export…");
  context->Yield(4);
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars(file.c_str());
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(file); }));
}

}  // namespace

// What the product teaches is one click away, and so are the person's own settings after it.
void OpensALessonByTheMenu(ImGuiTestContext* context) {
  const ByteUnit unit = application().view_state().unit;
  const networks::TrainingSettings before = application().settings();
  networks::TrainingSettings own = before;
  own.batch = 48;  // as no page has it
  application().Push(ChangeSettings{own});
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == own; }));
  const lessons::Lesson& third = application().frame()->lessons.lessons->at(2);
  context->MenuAction(ImGuiTestAction_Open, "//##MainMenuBar/Learn");
  context->Yield(2);
  Picture(context, "learn-menu");
  context->MenuClick(("//##MainMenuBar/Learn/3. " + third.title).c_str());
  const LessonsState& state = application().view_state().lessons;
  IM_CHECK(state.predictions.contains(PageKey(third.name, 0)));  // as the test before left it: it is read
  IM_CHECK(WaitUntil(context, [&] { return state.lesson == third.name && state.page == 1; }));
  IM_CHECK(application().view_state().learning);
  context->MenuClick("//##MainMenuBar/Learn/Next page of the lesson");
  IM_CHECK(WaitUntil(context, [&] { return state.page == 2; }));
  context->ItemClick("//**/###all lessons");
  application().Push(ActionId::kResetLayout);
  application().Push(ShowPanel{"lessons", false});
  context->Yield(3);
  IM_CHECK(application().settings() != own);
  context->MenuClick("//##MainMenuBar/Learn/Back to your own settings");
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == own; }));
  application().Push(ChangeSettings{before});
  application().Push(ShowPanel{"lessons", true});
  application().view_state().unit = unit;
  context->Yield(3);
}

// A click on a category's square leaves it out of the stack, and the axis makes room for the others.
void HidesCategories(ImGuiTestContext* context) {
  IM_CHECK_EQ(TimelineInWindow().hidden_categories, 0U);
  context->ItemClick("//**/hide activation");
  constexpr auto kOnlyActivation = 1U << static_cast<unsigned>(events::Category::kActivation);
  IM_CHECK(WaitUntil(context, [&] { return TimelineInWindow().hidden_categories == kOnlyActivation; }));
  Picture(context, "hidden-category");
  context->ItemClick("//**/hide activation");
  IM_CHECK(WaitUntil(context, [] { return TimelineInWindow().hidden_categories == 0; }));
}

// MB and MiB are never mixed: the key changes them everywhere.
void SwitchesUnits(ImGuiTestContext* context) {
  const ByteUnit before = application().view_state().unit;
  const auto everywhere = [](ByteUnit unit) {
    const Frame& frame = *application().frame();
    return frame.timeline.unit == unit && frame.breakdown.unit == unit && frame.bridge.unit == unit &&
           frame.memory_map.unit == unit && frame.layers.unit == unit && frame.fit.unit == unit;
  };
  const ByteUnit other = before == ByteUnit::kMegabytes ? ByteUnit::kMebibytes : ByteUnit::kMegabytes;
  IM_CHECK(everywhere(before));
  context->KeyPress(ImGuiKey_U);
  IM_CHECK(WaitUntil(context, [&] { return everywhere(other); }));
  Picture(context, "mebibytes");
  context->KeyPress(ImGuiKey_U);
  IM_CHECK(WaitUntil(context, [&] { return everywhere(before); }));
}

// The card's memory lies far above what a small network needs: the axis reaches there when asked.
void ShowsTheCardsLine(ImGuiTestContext* context) {
  IM_CHECK_GT(application().frame()->timeline.capacity.bytes, 0);
  IM_CHECK(!TimelineInWindow().fit_lines);
  context->ItemClick("//###timeline/###card");
  IM_CHECK(WaitUntil(context, [] { return TimelineInWindow().fit_lines; }));
  Picture(context, "card-line");
  context->ItemClick("//###timeline/###card");
  IM_CHECK(WaitUntil(context, [] { return !TimelineInWindow().fit_lines; }));
}

// What happened stands there line by line, and what is said later comes last and into sight.
void LogsWhatHappens(ImGuiTestContext* context) {
  context->WindowFocus("//###run_log");
  const auto lines = [] { return application().frame()->run_log.lines->size(); };
  const size_t before = lines();
  std::string sentence = "A long one:";
  for (int i = 0; i < 100; ++i) sentence += " so many words";
  application().AddLogLine(presenters::LogLevel::kInfo, sentence + ".");
  for (int i = 0; i < 40; ++i)
    application().AddLogLine(presenters::LogLevel::kInfo, "Line " + std::to_string(i) + " of the test.");
  IM_CHECK(WaitUntil(context, [&] { return lines() == before + 41; }));
  context->Yield(4);
  const ImGuiWindow* list = nullptr;
  for (const ImGuiWindow* window : context->UiContext->Windows) {
    if (std::string_view(window->Name).find("run_log/lines_") != std::string_view::npos) list = window;
  }
  IM_CHECK(list != nullptr);
  IM_CHECK_GT(list->ScrollMax.y, 0.0F);
  IM_CHECK_GE(list->Scroll.y, list->ScrollMax.y - 1);
  IM_CHECK_GT(application().view_state().run_log.rows_drawn, lines() + 1);  // it is wrapped
  IM_CHECK_LE(list->ContentSize.x, list->InnerRect.GetWidth());
  Picture(context, "run-log");
  context->WindowFocus("//###layers");
}

// A click goes into a box of the tree, Backspace out of it again; the selection goes with it.
void GoesIntoTheTreeAndOut(ImGuiTestContext* context) {
  context->WindowFocus("//###live_tree");
  LiveTreeState& state = application().view_state().live_tree;
  state.flame_graph = false;
  state.grouping = TreeGrouping::kCategory;
  const auto tree = [] { return application().frame()->live_tree.tree; };
  IM_CHECK(WaitUntil(context, [&] { return tree() != nullptr && tree()->nodes.size() > 5; }));
  Rest(context, 0.6);
  const ImRect area = context->ItemInfo("//**/tree").RectFull;
  context->MouseMoveToPos(area.Min + ImVec2(30, 30));
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [&] { return !state.path.empty(); }));
  IM_CHECK(application().view_state().selection.any());
  Rest(context, 0.6);
  const std::vector<std::string> inside = state.path;
  context->KeyPress(ImGuiKey_Backspace);
  IM_CHECK(WaitUntil(context, [&] { return state.path.empty(); }));
  IM_CHECK(!application().view_state().selection.any());
  context->KeyPress(ImGuiMod_Alt | ImGuiKey_RightArrow);
  IM_CHECK(WaitUntil(context, [&] { return state.path == inside; }));
  context->KeyPress(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  IM_CHECK(WaitUntil(context, [&] { return state.path.empty(); }));
  context->WindowFocus("//###layers");
}

void SavesPicturesByTheMenu(ImGuiTestContext* context) {
  ExportsByTheMenu(context, Artefacts() / "menu.svg");
  const std::string drawing = Contents(Artefacts() / "menu.svg");
  IM_CHECK(drawing.starts_with("<svg"));
  IM_CHECK(drawing.find("activation") != std::string::npos);
  ExportsByTheMenu(context, Artefacts() / "menu.bridge.png");
  IM_CHECK(Contents(Artefacts() / "menu.bridge.png").starts_with("\x89PNG"));
}

// By the right mouse button: the panel as it looks, and no more of the window; or a drawing of the run.
void SavesAPanelsPicture(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "panel.png";
  std::error_code ignored;
  fs::remove(file, ignored);
  const ImGuiWindow* const panel = context->WindowInfo("//###breakdown").Window;
  const auto ask = [&](const char* item) {
    context->MouseMoveToPos(panel->Rect().Max - ImVec2(30, 30));
    context->MouseClick(ImGuiMouseButton_Right);
    context->Yield(3);
    Picture(context, "picture-menu");
    context->ItemClick((std::string("//$FOCUSED/") + item).c_str());
    context->Yield(4);
  };
  ask("Save picture…");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars(file.c_str());
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [&] { return Contents(file).size() > 24; }));
  const std::string png = Contents(file);
  const auto number = [&](size_t at) {  // big endian, in the header
    int value = 0;
    for (size_t i = at; i < at + 4; ++i) value = 256 * value + static_cast<unsigned char>(png[i]);
    return value;
  };
  const ImVec2 size = panel->Pos + panel->Size - panel->InnerRect.Min;
  IM_CHECK_LE(std::abs(number(16) - static_cast<int>(size.x)), 1);
  IM_CHECK_LE(std::abs(number(20) - static_cast<int>(size.y)), 1);
  ask("Save standard drawing…");
  const fs::path drawing = Artefacts() / "panel.breakdown.svg";
  fs::remove(drawing, ignored);
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars(drawing.c_str());
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [&] { return Contents(drawing).starts_with("<svg"); }));
}

// The rows that the table shows, each with every field.
void CopiesRows(ImGuiTestContext* context) {
  context->WindowFocus("//###allocations");
  const auto table = [] { return application().frame()->allocations.table; };
  IM_CHECK(WaitUntil(context, [&] { return table() != nullptr && table()->rows.size() > 5; }));
  context->ItemClick("//**/##filter");
  context->KeyChars(">1MB");
  const size_t all = table()->considered;
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() < all; }));
  Rest(context, 0.3);
  ImGui::SetClipboardText("");
  context->ItemClick("//**/Copy CSV");
  IM_CHECK(WaitUntil(context, [] { return *ImGui::GetClipboardText() != '\0'; }));
  const std::string copied = ImGui::GetClipboardText();
  const auto lines = static_cast<size_t>(std::ranges::count(copied, '\n'));
  IM_CHECK_EQ(lines, table()->rows.size() + 1);
  IM_CHECK(copied.find("address") != std::string::npos);
  context->ItemClick("//**/##filter");
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() == all; }));
  context->WindowFocus("//###layers");
}

// Where nothing has the focus, as in a window that has just opened, Tab goes into the first panel; and the
// arrows move the timeline that has it, wherever the mouse is.
void GoesByKeys(ImGuiTestContext* context) {
  ImGui::FocusWindow(nullptr);
  context->Yield(2);
  context->KeyPress(ImGuiKey_Tab);
  context->Yield(3);
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  IM_CHECK_NE(keys.NavId, 0U);
  IM_CHECK(keys.NavCursorVisible);
  IM_CHECK(keys.NavWindow->RootWindow == context->WindowInfo("//###run_controls").Window);
  Picture(context, "first-tab");
  context->WindowFocus("//###timeline");
  context->MouseMoveToPos(context->WindowInfo("//###run_controls").Window->Rect().GetCenter());
  const auto width = [] {
    const presenters::VisibleRange& seen = application().view_state().timeline.visible;
    return seen.end - seen.begin;
  };
  const double before = width();
  context->KeyPress(ImGuiKey_UpArrow);
  IM_CHECK(WaitUntil(context, [&] { return width() < 0.9 * before; }));
  application().Push(ActionId::kFit);
  context->Yield(3);
}

// What opens and closes over the panels changes none of those that are in front, nor does Escape.
void KeepsItsTabsInFront(ImGuiTestContext* context) {
  const auto in_front = [] {
    std::vector<std::string> panels;
    for (const Panel& panel : Panels()) {
      const ImGuiWindow* window = ImGui::FindWindowByName(("###" + std::string(panel.name)).c_str());
      if (window != nullptr && window->DockTabIsVisible) panels.emplace_back(panel.name);
    }
    return panels;
  };
  const auto press = [&](ImGuiKey key) {
    context->KeyPress(key);
    context->Yield(6);
  };
  // Each of two that share a place in turn, and behind it the one that had the focus last. Nothing has it
  // now.
  for (const auto& [behind, front] : {std::pair("layers", "run_log"), std::pair("run_log", "layers")}) {
    context->WindowFocus(("//###" + std::string(behind)).c_str());
    context->Yield(2);
    const ImGuiWindow* window = ImGui::FindWindowByName(("###" + std::string(front)).c_str());
    window->DockNode->TabBar->NextSelectedTabId = window->TabId;
    ImGui::FocusWindow(nullptr);
    context->Yield(4);
    const std::vector<std::string> before = in_front();
    for (const bool by_escape : {true, false}) {
      press(ImGuiKey_F1);
      press(by_escape ? ImGuiKey_Escape : ImGuiKey_F1);
      IM_CHECK(in_front() == before);
    }
    press(ImGuiKey_Escape);
    press(ImGuiKey_Escape);
    IM_CHECK(in_front() == before);
  }
  context->WindowFocus("//###timeline");
  const std::vector<std::string> before = in_front();
  press(ImGuiKey_F1);
  press(ImGuiKey_Escape);
  IM_CHECK(in_front() == before);
  IM_CHECK_STR_EQ(context->UiContext->NavWindow->RootWindow->Name,
                  ImGui::FindWindowByName("###timeline")->Name);  // which has the focus again
}

// What a tab says of itself is gone with a click on it, for it would lie over what that opens.
void HidesATabsWordsAfterAClick(ImGuiTestContext* context) {
  const auto tooltip_is_there = [] {
    const ImGuiWindow* const tooltip = ImGui::FindWindowByName("##Tooltip_00");
    return tooltip != nullptr && tooltip->Active;
  };
  context->WindowFocus("//###layers");
  context->Yield(2);
  const ImGuiWindow* const behind = context->WindowInfo("//###run_log").Window;
  const ImVec2 on_tab = behind->DC.DockTabItemRect.GetCenter();
  context->MouseMoveToPos(on_tab);
  IM_CHECK(WaitUntil(context, tooltip_is_there));
  context->MouseClick();
  Rest(context, 1);
  IM_CHECK(behind->DockTabIsVisible);
  IM_CHECK(!tooltip_is_there());
  context->MouseMoveToPos(behind->Rect().GetCenter());
  context->Yield(2);
  context->MouseMoveToPos(on_tab);
  IM_CHECK(WaitUntil(context, tooltip_is_there));
  context->WindowFocus("//###layers");
}

// Whatever was closed or laid out otherwise: Reset brings all panels back to their places, in their order.
void ResetsItsLayout(ImGuiTestContext* context) {
  const auto node_of = [&](const char* panel) {
    return context->WindowInfo((std::string("//###") + panel).c_str()).Window->DockNode;
  };
  const auto names = [&] {
    std::vector<std::string> tabs;
    for (const ImGuiTabItem& tab : node_of("layers")->TabBar->Tabs) tabs.emplace_back(tab.Window->Name);
    return tabs;
  };
  application().Push(ActionId::kResetLayout);
  context->Yield(6);
  const std::vector<std::string> tabs = names();
  const ImVec2 timeline = node_of("timeline")->Pos;
  application().Push(ActionId::kCompareLayout);
  context->Yield(6);
  IM_CHECK(!application().view_state().shown[2]);  // the map
  application().Push(ActionId::kResetLayout);
  context->Yield(6);
  IM_CHECK(std::ranges::all_of(application().view_state().shown, [](bool shown) { return shown; }));
  IM_CHECK_EQ(names().size(), tabs.size());
  for (size_t i = 0; i < tabs.size(); ++i) {  // the icon alone, or with its title: the name stands behind
    const auto id = [](const std::string& name) { return name.substr(name.find("###")); };
    IM_CHECK_STR_EQ(id(names()[i]).c_str(), id(tabs[i]).c_str());
  }
  IM_CHECK_EQ(node_of("timeline")->Pos.x, timeline.x);
  IM_CHECK_EQ(node_of("timeline")->Pos.y, timeline.y);
  IM_CHECK(node_of("memory_map")->Pos.y > timeline.y);
  IM_CHECK(node_of("breakdown")->Pos.x > timeline.x);
  IM_CHECK(node_of("run_controls")->Pos.x < timeline.x);
  context->WindowFocus("//###layers");
}

}  // namespace tidemark::gui
