// How the window looks: its scale, light and dark, and colours that a person chose.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/widgets/icons.h"
#include "app/gui/window/theme.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {
namespace {

// A panel too low for what it holds: its bar, which is drawn once more above the card, is one item still.
void OneItemIsABar(ImGuiTestContext* context) {
  ImGuiWindow* map = context->WindowInfo("//###memory_map").Window;
  if (!map->ScrollbarY) return;  // a large window has room for it
  context->MouseMoveToPos(ImGui::GetWindowScrollbarRect(map, ImGuiAxis_Y).GetCenter());
  context->Yield(4);
  IM_CHECK_EQ(context->UiContext->HoveredIdPreviousFrame, ImGui::GetWindowScrollbarID(map, ImGuiAxis_Y));
  IM_CHECK_EQ(context->UiContext->DebugDrawIdConflictsId, 0U);
}

// That a panel shows, once it is in front.
std::vector<const ImGuiTable*> TablesOf(ImGuiTestContext* context, const char* panel) {
  context->WindowFocus(panel);
  context->Yield(4);
  const ImGuiWindow* window = context->WindowInfo(panel).Window;
  ImGuiContext& drawn = *ImGui::GetCurrentContext();
  std::vector<const ImGuiTable*> tables;
  for (int i = 0; i < drawn.Tables.GetMapSize(); ++i) {
    const ImGuiTable* table = drawn.Tables.TryGetMapData(i);
    if (table == nullptr || table->OuterWindow == nullptr ||
        table->OuterWindow->RootWindow != window->RootWindow)
      continue;
    if (table->LastFrameActive >= drawn.FrameCount - 2) tables.push_back(table);
  }
  return tables;
}

// In the tables of a panel the first column is not squeezed away by figures.
void NamesKeepTheirRoom(ImGuiTestContext* context, const char* panel) {
  const std::vector<const ImGuiTable*> tables = TablesOf(context, panel);
  for (const ImGuiTable* table : tables)
    IM_CHECK_GE(table->Columns[0].WidthGiven, 70 * application().view_state().scale);
  IM_CHECK(!tables.empty());
}

bool TellsWhatItLeavesOut(ImGuiTestContext* context, const char* panel) {
  for (const ImGuiTable* table : TablesOf(context, panel)) {
    for (int column = 0; column < table->ColumnsCount; ++column) {
      if (std::string_view(ImGui::TableGetColumnName(table, column)) == "left out") return true;
    }
  }
  return false;
}

GLFWwindow* MainWindow() { return static_cast<GLFWwindow*>(ImGui::GetMainViewport()->PlatformHandle); }

void Resize(ImGuiTestContext* context, int width, int height) {
  glfwSetWindowSize(MainWindow(), width, height);
  context->Yield(4);
}

}  // namespace

// Of a bridge that is too low for its story the story is scrolled: no question stands there without an
// answer.
void ScrollsTheBridgesStory(ImGuiTestContext* context) {
  context->WindowFocus("//###bridge");
  int width = 0;
  int height = 0;
  glfwGetWindowSize(MainWindow(), &width, &height);
  IM_CHECK(WaitUntil(context, [] { return !application().frame()->bridge.bridge->steps.empty(); }));
  for (int lower = height; lower > height / 2; lower -= height / 10) {
    Resize(context, width, lower);
    const ImGuiWindow* const steps = context->WindowInfo("//###bridge/steps").Window;
    const ImGuiWindow* const why = context->WindowInfo("//###bridge/steps/why").Window;
    IM_CHECK(steps != nullptr && why != nullptr);
    IM_CHECK_GE(why->Size.y, 2 * ImGui::GetTextLineHeight());
    for (const bool is_in_sight : {false, true}) {  // once it is, its height beside the scrollbar is known
      context->ScrollToBottom(steps->ID);
      context->Yield(is_in_sight ? 1 : 4);
    }
    IM_CHECK_LE(why->Rect().Max.y, steps->InnerRect.Max.y + 1);
  }
  Picture(context, "bridge-low");
  Resize(context, width, height);
}

// Made small and large again, at once and as by dragging its corner.
void KeepsPanelsThroughSizes(ImGuiTestContext* context) {
  GLFWwindow* const window = MainWindow();
  int width = 0;
  int height = 0;
  glfwGetWindowSize(window, &width, &height);
  const auto panels = [&] {
    std::vector<ImVec2> sizes;
    for (const char* panel : {"run_controls", "timeline", "memory_map", "layers", "breakdown", "bridge"})
      sizes.push_back(context->WindowInfo((std::string("//###") + panel).c_str()).Window->DockNode->Size);
    return sizes;
  };
  const auto resize = [&](int to_width, int to_height) { Resize(context, to_width, to_height); };
  const std::vector<ImVec2> before = panels();
  const auto is_as_before = [&] {
    return std::ranges::equal(panels(), before, [](const ImVec2& now, const ImVec2& then) {
      return std::abs(now.x - then.x) < 4 && std::abs(now.y - then.y) < 4;
    });
  };
  // Pixels of the screen for so many of the design.
  const auto on_screen = [window](int size) {
    float scale = 1;
    glfwGetWindowContentScale(window, &scale, nullptr);
    return static_cast<int>(static_cast<float>(size) * scale);
  };
  const int least_width = on_screen(960);  // of any window
  const int least_height = on_screen(600);
  for (const auto& [w, h] :
       {std::pair(least_width, height), {width, least_height}, {least_width, least_height}}) {
    resize(w, h);
    const std::vector<ImVec2> now = panels();
    IM_CHECK_GT(now[1].x, std::max(now[0].x, now[4].x));  // the middle, whatever is taken from its sides
    resize(width, height);
    IM_CHECK(is_as_before());
  }
  // Tabs that find no room for icons and words keep the words.
  resize(on_screen(1280), on_screen(800));
  const auto has_words = [](const ImGuiWindow* tab) {
    const std::string_view shown =
        std::string_view(tab->Name).substr(0, std::string_view(tab->Name).find('#'));
    return shown.size() > std::string_view(icons::kLayers).size();
  };
  const ImVector<ImGuiWindow*>& tabs = context->WindowInfo("//###layers").Window->DockNode->Windows;
  Picture(context, "laptop");
  IM_CHECK(std::all_of(tabs.begin(), tabs.end(), has_words));
  resize(width, height);
  IM_CHECK(is_as_before());
  constexpr int kSteps = 12;
  for (int step = 1; step <= 2 * kSteps; ++step) {
    const int smaller = std::min(step, 2 * kSteps - step);
    resize(width - smaller * (width - least_width) / kSteps,
           height - smaller * (height - least_height) / kSteps);
    if (step == kSteps) Picture(context, "small");
  }
  IM_CHECK(is_as_before());
  // What a person drags in a small window is so in a large one, too, in its larger text.
  const auto breakdown = [&] { return panels()[4].x; };
  const auto make_narrower = [&](float by) {
    const ImRect place = context->WindowInfo("//###breakdown").Window->DockNode->Rect();
    const float gap = ImGui::GetStyle().DockingSeparatorSize;
    context->MouseMoveToPos({place.Min.x - gap / 2, place.GetCenter().y});
    context->MouseDragWithDelta({by, 0});
    context->Yield(3);
  };
  resize(least_width, height);
  const float cut = breakdown();
  make_narrower(40);
  IM_CHECK_LT(breakdown(), cut - 30);
  resize(width, height);
  IM_CHECK_LT(breakdown(), before[4].x - 60);
  make_narrower(breakdown() - before[4].x);
  IM_CHECK(is_as_before());
  // And what is laid out in a small window becomes as wide as it would be in a large one.
  const auto lay_out = [&] {
    context->MenuClick("//##MainMenuBar/View/Reset the layout");
    context->Yield(6);
  };
  lay_out();
  const float as_laid_out = breakdown();
  resize(least_width, height);
  lay_out();
  resize(width, height);
  IM_CHECK_LT(std::abs(breakdown() - as_laid_out), 4.0F);
  lay_out();
}

void ScalesWithItsText(ImGuiTestContext* context) {
  const auto width = [&] { return context->WindowInfo("//###run_controls").Window->Size.x; };
  const float before = width();
  context->MenuClick("//##MainMenuBar/View/Scale/125 %");
  context->Yield(6);
  IM_CHECK_GT(width(), before * 1.2F);
  Picture(context, "larger");
  application().view_state().scale = 1.0F;
  context->Yield(6);
  IM_CHECK_LT(std::abs(width() - before), 4.0F);
  // So large that the sides have no room, and back.
  const auto right = [&] { return context->WindowInfo("//###breakdown").Window->Size.x; };
  const float right_before = right();
  constexpr float kNarrow = 960;  // design pixels: half of a large screen
  application().view_state().scale = ImGui::GetMainViewport()->Size.x / Px(1) / kNarrow;
  context->Yield(6);
  Picture(context, "twice-as-large");
  NamesKeepTheirRoom(context, "//###compare");
  // What a table leaves out is told.
  IM_CHECK(TellsWhatItLeavesOut(context, "//###breakdown"));
  // What no key does keeps its room in the title's row.
  IM_CHECK(context->ItemExists("//###timeline/###stack"));
  OneItemIsABar(context);
  application().view_state().scale = 3.0F;
  context->Yield(6);
  application().view_state().scale = 1.0F;
  context->Yield(6);
  IM_CHECK_LT(std::abs(width() - before), 4.0F);
  IM_CHECK_LT(std::abs(right() - right_before), 4.0F);
}

// A category has another colour from the next frame on, everywhere, and its own again.
void ChoosesColors(ImGuiTestContext* context) {
  const Color own = Colors().Of(events::Category::kParameter);
  application().Push(ActionId::kColors);
  context->Yield(4);
  Picture(context, "colours");
  const auto type = [&](const char* digits) {
    context->ItemClick("//Colours/**/parameter/##hex");
    context->KeyChars(digits);
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(2);
  };
  type("zzz");
  IM_CHECK(Colors().Of(events::Category::kParameter) == own);
  Picture(context, "colours-refused");
  type("23c8ab");  // as that of activations
  Picture(context, "colours-alike");
  type("336699");
  IM_CHECK(Colors().Of(events::Category::kParameter) == Rgb(0x336699));
  context->ItemClick("//Colours/**/parameter/Reset");
  context->Yield(2);
  IM_CHECK(Colors().Of(events::Category::kParameter) == own);
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(2);
  IM_CHECK(ImGui::FindWindowByName("Colours")->Active == false);
}

void WearsLight(ImGuiTestContext* context) {
  const bool was_dark = application().view_state().dark;
  application().Push(ActionId::kLightOrDark);
  context->Yield(4);
  IM_CHECK(application().view_state().dark != was_dark);
  Picture(context, "light");
  application().Push(ActionId::kLightOrDark);
  context->Yield(2);
}

}  // namespace tidemark::gui
