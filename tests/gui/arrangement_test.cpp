#include "app/gui/shell/arrangement.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/gui/shell/shell.h"
#include "app/gui/view/panel_table.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// As a window has it, which knows where one of its panels is.
class ImGuiContextOfTest {
 public:
  ImGuiContextOfTest() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;  // or it would be written as the test ends
    ImGui::LoadIniSettingsFromMemory("[Window][###timeline]\nPos=60,60\nSize=400,400\n");
  }
  ~ImGuiContextOfTest() { ImGui::DestroyContext(); }
  ImGuiContextOfTest(const ImGuiContextOfTest&) = delete;
  ImGuiContextOfTest& operator=(const ImGuiContextOfTest&) = delete;
};

bool Shows(const ViewState& view, std::string_view panel) { return view.shown[IndexOfPanel(panel)]; }

}  // namespace

TEST_CASE("A layout shows its panels, where they belong") {
  ShellState shell;
  Arrangement arrangement(&shell);
  ViewState view;
  arrangement.Take(Layout::kLearn, view);
  CHECK((shell.reset_layout && view.learning));
  CHECK((Shows(view, "lessons") && Shows(view, "timeline") && !Shows(view, "compare")));
  arrangement.Take(Layout::kProfile, view);
  CHECK_FALSE(view.learning);
  CHECK((!Shows(view, "lessons") && Shows(view, "findings") && !Shows(view, "batch")));
  arrangement.Take(Layout::kCompare, view);
  CHECK(std::ranges::count(view.shown, true) == 3);
  arrangement.Take(Layout::kAll, view);
  CHECK(std::ranges::count(view.shown, true) == kPanelCount);
}

TEST_CASE("What is borrowed for a while is given back, unless another layout was taken meanwhile") {
  const ImGuiContextOfTest context;
  ShellState shell;
  Arrangement arrangement(&shell);
  ViewState view;
  view.shown[IndexOfPanel("compare")] = false;
  const std::array<bool, kPanelCount> before = view.shown;
  SECTION("given back, once") {
    view.cut_widths = {{7, {316, 240}}};
    arrangement.Borrow(Layout::kWalk, view);
    CHECK(shell.reset_layout);
    view.cut_widths.clear();  // as laying out anew does
    CHECK((Shows(view, "slow_motion") && !Shows(view, "layers")));
    arrangement.GiveBack(view);
    CHECK(view.shown == before);
    CHECK(view.cut_widths.contains(7));
    view.shown.fill(false);
    arrangement.GiveBack(view);
    CHECK(std::ranges::count(view.shown, true) == 0);
  }
  SECTION("another was taken") {
    arrangement.Borrow(Layout::kWalk, view);
    arrangement.Take(Layout::kCompare, view);
    arrangement.GiveBack(view);
    CHECK(std::ranges::count(view.shown, true) == 3);
  }
}

TEST_CASE("A person's own panels come back from a lesson's layout, whatever comes between") {
  const ImGuiContextOfTest context;
  ShellState shell;
  Arrangement arrangement(&shell);
  ViewState view;
  view.shown[IndexOfPanel("compare")] = false;
  const std::array<bool, kPanelCount> own = view.shown;
  arrangement.Borrow(Layout::kLearn, view);
  CHECK(view.learning);
  SECTION("as it is left") { arrangement.GiveBack(view); }
  SECTION("where it is asked for once more meanwhile") {
    arrangement.Borrow(Layout::kLearn, view);
    arrangement.Return(view);
  }
  SECTION("after another layout was chosen there") {
    arrangement.Take(Layout::kCompare, view);
    CHECK_FALSE(view.learning);
    arrangement.Return(view);
    CHECK(view.shown == own);
    arrangement.Return(view);
    CHECK(std::ranges::count(view.shown, true) == 3);
    arrangement.Return(view);
  }
  SECTION("in the next window") { view = *ViewStateFromJson(ToJson(view)); }
  SECTION("in the next window after another layout was chosen") {
    arrangement.Take(Layout::kCompare, view);
    view = *ViewStateFromJson(ToJson(view));
    arrangement.Return(view);
  }
  CHECK(view.shown == own);
  CHECK_FALSE(view.learning);
  CHECK_FALSE(view.own);
}

TEST_CASE(
    "What is kept of an arrangement has no room that was lent, and no tab that was raised, for a while") {
  const ImGuiContextOfTest context;
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  ImGui::LoadIniSettingsFromMemory(
      "[Window][###timeline]\nDockId=0x00000002,0\n\n[Window][###layers]\nDockId=0x00000003,0\n\n"
      "[Docking][Data]\nDockNode ID=0x00000001 Pos=0,0 Size=400,400 Split=Y\n"
      "  DockNode ID=0x00000002 Parent=0x00000001 SizeRef=400,50\n"
      "  DockNode ID=0x00000003 Parent=0x00000001 SizeRef=400,350\n");
  ShellState shell;
  Arrangement arrangement(&shell);
  ViewState view;
  shell.given_room = {{2, 150, 50}, {3, 250, 350}};
  shell.covered = {{3, "layers", ""}};
  shell.tall_has_room = true;
  SECTION("where a layout is borrowed and given back") {
    arrangement.Borrow(Layout::kLearn, view);
    REQUIRE(view.own);
    CHECK(view.own->layout.find("SizeRef=400,250") != std::string::npos);
    arrangement.GiveBack(view);
    CHECK(ImGui::DockBuilderGetNode(3)->SizeRef.y == 250);
    CHECK(shell.given_room.empty());
    CHECK(shell.covered.empty());
    CHECK_FALSE(shell.tall_has_room);
  }
  SECTION("where a layout is taken") {
    arrangement.Take(Layout::kProfile, view);
    CHECK(view.replaced->layout.find("SizeRef=400,250") != std::string::npos);
  }
  SECTION("where the window becomes low") {
    arrangement.TurnToOtherHeight(view);
    CHECK(view.in_other_height->layout.find("SizeRef=400,250") != std::string::npos);
  }
}

TEST_CASE("What a version kept as a lesson's layout is no person's own") {
  const Result<ViewState> view = ViewStateFromJson(R"({"learning": true, "panels": {"compare": false}})");
  REQUIRE(view.ok());
  CHECK_FALSE(view->learning);
  CHECK(Shows(*view, "compare"));
}

}  // namespace tidemark::gui
