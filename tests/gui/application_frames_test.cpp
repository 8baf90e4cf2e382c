// What keys and the mouse come to in frames of the window, as far as no display is needed for that.
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "app/gui/application.h"
#include "app/gui/view/panel_table.h"
#include "tests/gui/drawn_application.h"
#include "tests/gui/driven_application.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {
namespace {

int OpenPopups() { return ImGui::GetCurrentContext()->OpenPopupStack.Size; }

bool IsInFront(const char* id) {
  const ImGuiWindow* const window = ImGui::FindWindowByName(id);
  return window != nullptr && window->Active && window->DockTabIsVisible;
}

}  // namespace

TEST_CASE("A lesson's page is turned where it is in sight; elsewhere the arrows go through the views") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  const LessonsState& lessons = app.view_state().lessons;
  Frames frames(app);
  Tell(app, ShowLessonPage{"mixed-precision", 2});
  frames.Draw(4);
  frames.Press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  REQUIRE(lessons.page == 1);
  Tell(app, DoAction{ActionId::kProfileLayout});
  frames.Draw(4);
  frames.Press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  CHECK(lessons.page == 1);
  CHECK_FALSE(app.view_state().shown[IndexOfPanel("lessons")]);
}

TEST_CASE("What was dragged as its panel went is not asked for later") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  frames.Draw(4);
  app.view_state().run_controls.draft = app.settings();
  app.view_state().batch.dragged = 5;
  frames.Draw();
  CHECK_FALSE(app.view_state().run_controls.draft);
  CHECK_FALSE(app.view_state().batch.dragged);
}

TEST_CASE("One's own settings are one step away while a lesson goes on, which ends with it") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const networks::TrainingSettings own = app.settings();
  const auto choose_in_palette = [&] {
    Tell(app, DoAction{ActionId::kPalette});
    frames.Draw(4);
    for (const char letter : std::string("Back to your own settings"))
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    frames.Draw(4);
    frames.Press(ImGuiKey_Enter);
    app.Poll();
  };
  Tell(app, ShowLessonPage{"mixed-precision", 1});
  frames.Draw(4);
  REQUIRE(app.settings() != own);
  SECTION("which has changed them") {}
  SECTION("which is closed, with its layout there yet, and nothing changed") {
    Tell(app, ChangeSettings{own});
    app.view_state().lessons.lesson.clear();
    frames.Draw(4);
  }
  choose_in_palette();
  CHECK(app.settings() == own);
  CHECK(app.view_state().lessons.lesson.empty());
  CHECK_FALSE(app.view_state().learning);
}

TEST_CASE("What was looked at before slow motion is in sight again after it") {
  const auto application = KeepingIn("");
  Application& app = *application;
  const Frames frames(app);  // of none of which anything is asked
  app.ShowRun(std::make_shared<Grown>());
  TimelineState& timeline = app.view_state().timeline;
  const auto walk = [&] {  // as the scene does
    app.view_state().pinned = 0;
    timeline.follow = timeline.whole = false;
    timeline.visible = {20, 30};
  };
  timeline.follow = timeline.whole = false;
  timeline.visible = {3, 9};
  app.view_state().pinned = 1;
  SECTION("a part") {
    Tell(app, DoAction{ActionId::kSlowMotion});
    walk();
    Tell(app, DoAction{ActionId::kUnpin});
    CHECK((timeline.visible.begin == 3 && timeline.visible.end == 9));
    CHECK(app.view_state().pinned == 1);
  }
  SECTION("all of it") {
    timeline.whole = true;
    Tell(app, DoAction{ActionId::kSlowMotion});
    walk();
    Tell(app, DoAction{ActionId::kSlowMotion});
    CHECK(timeline.whole);
  }
  SECTION("but what somebody chose meanwhile stays") {
    Tell(app, DoAction{ActionId::kSlowMotion});
    walk();
    Tell(app, DoAction{ActionId::kFit});
    Tell(app, DoAction{ActionId::kUnpin});
    CHECK(timeline.whole);
  }
  SECTION("and of another run all of it is") {
    Tell(app, DoAction{ActionId::kSlowMotion});
    const auto ended = std::make_shared<Program>();
    ended->End();
    app.ShowRun(ended);
    walk();
    Tell(app, DoAction{ActionId::kUnpin});
    CHECK(timeline.whole);
    CHECK_FALSE(timeline.follow);
    CHECK_FALSE(app.view_state().pinned);
  }
}

TEST_CASE(
    "A question that is clicked away is answered: what it held is not done, and is not told as overtaken") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Program>());
  frames.Draw(4);
  for (int i = 0; i < 2; ++i) {
    Tell(app, DoAction{ActionId::kNewRun});
    frames.Draw(4);
    REQUIRE(app.shell().held.open);
    REQUIRE(OpenPopups() == 1);
    frames.Click({4, 1076});
    CHECK(OpenPopups() == 0);
    CHECK_FALSE(app.shell().held.open);
  }
  CHECK(std::ranges::none_of(app.shell().toasts, [](const Toast& toast) {
    return toast.text.find("train.py runs on") != std::string::npos;
  }));
  CHECK(app.scene_input().description.command == "python train.py");
}

TEST_CASE("Escape closes the list that is open in a dialog, and the next one the dialog") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  frames.Draw(4);
  Tell(app, DoAction{ActionId::kOpen});
  frames.Draw(4);
  REQUIRE(OpenPopups() == 1);
  frames.Press(ImGuiKey_Tab, ImGuiMod_Shift);  // from the name
  frames.Press(ImGuiKey_Enter);
  REQUIRE(OpenPopups() == 2);
  frames.Press(ImGuiKey_Escape);
  CHECK(OpenPopups() == 1);
  CHECK(app.shell().file_dialog.open);
  frames.Press(ImGuiKey_Escape);
  CHECK_FALSE(app.shell().file_dialog.open);
}

TEST_CASE("A run is saved in answer to the question that closing asks, with the keyboard alone") {
  const trace::Scratch scratch;
  const auto application = KeepingIn(scratch / "kept");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(4);
  Tell(app, DoAction{ActionId::kQuit});
  frames.Draw(4);
  REQUIRE(app.shell().held.open);
  frames.Press(ImGuiKey_RightArrow);  // from the first answer
  frames.Press(GENERATE(ImGuiKey_Enter, ImGuiKey_Space));
  frames.Draw(2);
  CHECK_FALSE(app.shell().held.open);
  REQUIRE(app.shell().file_dialog.open);
  frames.Press(ImGuiKey_Escape);
  CHECK_FALSE(app.shell().file_dialog.open);
  CHECK_FALSE(app.wants_to_quit());
  Tell(app, DoAction{ActionId::kQuit});
  frames.Draw(4);
  CHECK(app.shell().held.open);  // it is still there to lose
}

TEST_CASE("The buttons of a dialog are in sight in a low window, and its fields are scrolled") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {960, 600};
  frames.Draw(4);
  Tell(app, DoAction{ActionId::kRunProgram});
  frames.Draw(6);
  REQUIRE(app.shell().program_dialog.open);
  const ImGuiWindow* const dialog = ImGui::FindWindowByName("program dialog");
  REQUIRE(dialog != nullptr);
  CHECK(dialog->Rect().Max.y <= 600);
  CHECK(dialog->ScrollMax.y == 0);
}

// Its start takes long.
class Starting : public Program {
 public:
  bool live() const override { return true; }
  session::RunStatus status() const override {
    session::RunStatus status;
    status.state = session::RunState::kStarting;
    return status;
  }
};

TEST_CASE("What takes long is told in the menu's row of a small window, too, and covers nothing below it") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const bool has_room = GENERATE(true, false);
  ImGui::GetIO().DisplaySize = has_room ? ImVec2(960, 600) : ImVec2(660, 520);
  app.ShowRun(std::make_shared<Starting>());
  std::this_thread::sleep_for(std::chrono::milliseconds(350));
  frames.Draw(6);
  const ImGuiWindow* const jobs = ImGui::FindWindowByName("###jobs");
  REQUIRE((jobs != nullptr && jobs->Active));
  const ImGuiWindow* const timeline = ImGui::FindWindowByName("###timeline");
  REQUIRE(timeline != nullptr);
  CHECK((jobs->Rect().Max.y <= timeline->Rect().Min.y) == has_room);
  for (const ImGuiWindow* panel : ImGui::GetCurrentContext()->Windows) {
    const bool is_panel = panel->Active && panel->DockIsActive && panel->DockTabIsVisible;
    if (is_panel && jobs->Rect().Overlaps(panel->Rect()))
      CHECK(panel->ContentRegionRect.Max.y <= jobs->Rect().Min.y);
  }
}

TEST_CASE("Slow motion ends where the panels that it has are given back for those before them") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(4);
  const auto own = app.view_state().shown;
  Tell(app, DoAction{ActionId::kSlowMotion});
  frames.Draw(4);
  REQUIRE(app.view_state().shown != own);
  SECTION("its own layout") {}
  SECTION("another that was chosen meanwhile") { Tell(app, DoAction{ActionId::kCompareLayout}); }
  Tell(app, DoAction{ActionId::kLayoutBefore});
  frames.Draw(4);
  CHECK(app.view_state().shown == own);
  CHECK_FALSE(app.view_state().slow_motion.active);
}

TEST_CASE("What is typed in the palette can be looked for in the run, and is not in the next search") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(4);
  const auto type = [&](const std::string& text) {
    for (const char letter : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    frames.Draw(4);
  };
  Tell(app, DoAction{ActionId::kPalette});
  frames.Draw(4);
  type("zzqq 0x100000");
  frames.Press(ImGuiKey_Enter);
  frames.Draw(4);
  REQUIRE(app.shell().search.open);
  CHECK(std::string(app.shell().search.text.data()) == "zzqq 0x100000");
  CHECK(app.shell().search.asked.text == "zzqq 0x100000");
  frames.Press(ImGuiKey_Escape);
  frames.Draw(4);
  REQUIRE_FALSE(app.shell().search.open);
  Tell(app, DoAction{ActionId::kPalette});
  frames.Draw(4);
  type("go to the peak");
  frames.Press(GENERATE(ImGuiKey_Enter, ImGuiKey_Escape));
  frames.Draw(4);
  Tell(app, DoAction{ActionId::kSearch});
  CHECK(app.shell().search.text.front() == 0);
}

TEST_CASE("Slow motion ends where a layout is chosen, and back from that is what was before both") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  Tell(app, DoAction{ActionId::kProfileLayout});
  frames.Draw(4);
  const auto own = app.view_state().shown;
  Tell(app, DoAction{ActionId::kSlowMotion});
  frames.Draw(4);
  REQUIRE(app.view_state().slow_motion.active);
  Tell(app, DoAction{GENERATE(ActionId::kResetLayout, ActionId::kCompareLayout)});
  frames.Draw(4);
  CHECK_FALSE(app.view_state().slow_motion.active);
  CHECK(app.view_state().shown != own);
  Tell(app, DoAction{ActionId::kLayoutBefore});
  frames.Draw(4);
  CHECK(app.view_state().shown == own);
}

TEST_CASE("What was in front where the lessons are is in front again after slow motion") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  Tell(app, DoAction{ActionId::kLearnLayout});
  frames.Draw(8);
  Tell(app, ShowPanel{"bridge", true});
  frames.Draw(4);
  REQUIRE(IsInFront("###bridge"));
  Tell(app, DoAction{ActionId::kSlowMotion});
  frames.Draw(4);
  REQUIRE(IsInFront("###slow_motion"));
  CHECK(app.frame()->run_controls.walks);  // what runs it otherwise says so
  SECTION("as it was") {
    Tell(app, DoAction{ActionId::kUnpin});
    frames.Draw(4);
    CHECK(IsInFront("###bridge"));
  }
  SECTION("but where somebody chose another meanwhile") {
    Tell(app, ShowPanel{"layers", true});
    frames.Draw(4);
    Tell(app, DoAction{ActionId::kUnpin});
    frames.Draw(4);
    CHECK_FALSE(IsInFront("###bridge"));
  }
  SECTION("but for what comes to the front as it ends") {
    Tell(app, ShowPanel{"layers", true});
    frames.Draw(4);
    app.Push(ShowPanel{"batch", true});
    Tell(app, DoAction{ActionId::kUnpin});
    frames.Draw(4);
    CHECK(IsInFront("###batch"));
  }
  CHECK_FALSE(app.frame()->run_controls.walks);
}

TEST_CASE("What slow motion covered is given back after it where Findings came over that meanwhile, too") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const auto exhausted = LearnFromExhausted(app, frames);
  Tell(app, DoAction{ActionId::kSlowMotion});
  frames.Draw(4);
  exhausted->End();
  frames.Draw(8);
  REQUIRE(IsInFront("###findings"));
  Tell(app, DoAction{ActionId::kUnpin});
  frames.Draw(4);
  CHECK(IsInFront("###layers"));
}

TEST_CASE("A panel that a program has nothing to show in is in front again with a network's run") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const auto show = [&](const std::shared_ptr<session::Run>& run) {
    app.ShowRun(run);
    frames.Draw(8);
  };
  show(std::make_shared<Grown>());
  REQUIRE(IsInFront("###bridge"));
  show(std::make_shared<Program>());
  REQUIRE_FALSE(IsInFront("###bridge"));
  SECTION("as it was") {
    show(std::make_shared<Grown>());
    CHECK(IsInFront("###bridge"));
  }
  SECTION("but where somebody chose another meanwhile") {
    Tell(app, ShowPanel{"lessons", true});
    frames.Draw(8);
    show(std::make_shared<Grown>());
    CHECK(IsInFront("###lessons"));
  }
}

TEST_CASE("A window after one of a program has the same panels in front as the first has") {
  std::string layout;
  ViewState view;
  for (const bool is_program : {true, true, false}) {
    const auto application = Application::Create({}, std::move(view));
    REQUIRE(application.ok());
    Application& app = **application;
    Frames frames(app);
    ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
    app.ShowRun(is_program ? std::make_shared<Program>() : std::make_shared<Grown>());
    frames.Draw(8);
    CHECK(IsInFront("###bridge") != is_program);
    layout = LayoutToKeep(app.shell());
    view = app.view_state();
  }
}

TEST_CASE("Where the controls' hints wait for a prediction, they say so") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const auto& controls = [&]() -> const RunControlsInput& {
    frames.Draw(2);
    return app.frame()->run_controls;
  };
  REQUIRE(controls().consequences.network.find("parameters") != std::string::npos);
  app.view_state().learning = true;
  app.view_state().lessons.lesson = "where-memory-goes";
  app.view_state().lessons.page = 1;
  CHECK(controls().consequences.network == "?");
  CHECK(controls().consequences.optimizer.starts_with("?"));
}

TEST_CASE("What the timeline's stack is of is chosen with the keyboard alone") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(6);
  frames.Press(ImGuiKey_B);
  REQUIRE(OpenPopups() == 1);
  frames.Press(ImGuiKey_DownArrow);
  frames.Press(ImGuiKey_Enter);
  CHECK(OpenPopups() == 0);
  REQUIRE(app.view_state().timeline.stack);
  CHECK(app.view_state().timeline.stack->by == presenters::StackBy::kLayer);
}

TEST_CASE("The list of what the stack is of opens by its key where the timeline has the focus already, too") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  application->ShowRun(std::make_shared<Grown>());
  frames.Draw(6);
  for (int i = 0; i < 3; ++i) {
    frames.Press(ImGuiKey_B);
    CHECK(OpenPopups() == 1);
    frames.Press(ImGuiKey_Escape);
    CHECK(OpenPopups() == 0);
  }
}

TEST_CASE("Tab goes on from a timeline that was clicked into") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  application->ShowRun(std::make_shared<Grown>());
  frames.Draw(6);
  const ImGuiWindow* const timeline = ImGui::FindWindowByName("###timeline");
  REQUIRE(timeline != nullptr);
  frames.Click(timeline->Rect().GetCenter());
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  REQUIRE(keys.NavWindow != nullptr);
  REQUIRE(keys.NavWindow->RootWindow->ID == timeline->RootWindow->ID);
  frames.Press(ImGuiKey_Tab);
  frames.Press(ImGuiKey_Tab);
  CHECK(keys.NavCursorVisible);
  CHECK(keys.NavIdIsAlive);
}

// More events than a plot has columns: in each something comes and goes.
class Long : public Grown {
 public:
  Long() {
    for (int i = 0; i < 20'000; ++i) {
      stream_.Allocate(1 << 20, 512 * (1 + i % 7));
      stream_.Free(1 << 20);
    }
    view_ = stream_.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  timeline::Stream stream_;
  std::shared_ptr<const timeline::View> view_;
};

TEST_CASE("Cursors lie on the moments that the columns under them tell, as a click pins them") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Long>());
  Frames frames(app);
  frames.Draw(4);
  Tell(app, DoAction{ActionId::kFit});
  frames.Draw(4);
  const ImGuiWindow* const window = ImGui::FindWindowByName("###timeline");
  REQUIRE(window != nullptr);
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 from = window->Rect().GetCenter();
  const ImVec2 to = from + ImVec2(200, 0);
  const auto pinned_at = [&](ImVec2 at) {
    frames.Click(at);
    return *app.view_state().pinned;
  };
  const timeline::EventIndex first = pinned_at(from);
  const timeline::EventIndex second = pinned_at(to);
  io.AddKeyEvent(ImGuiMod_Shift, true);
  for (const ImVec2 at : {from, to}) {
    io.AddMousePosEvent(at.x, at.y);
    frames.Draw(2);
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, at.x == from.x);
    frames.Draw(2);
  }
  io.AddKeyEvent(ImGuiMod_Shift, false);
  REQUIRE(app.view_state().timeline.cursors);
  CHECK(*app.view_state().timeline.cursors == std::pair(first, second));
}

TEST_CASE("The list of what the stack is of opens at once or not at all") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(6);
  ImGui::SetWindowFocus("###run_controls");
  frames.Draw(2);
  app.view_state().timeline.chooses_stack = 1;  // and what raised the timeline did not give it the focus
  frames.Draw(2);
  ImGui::SetWindowFocus("###timeline");
  frames.Draw(2);
  CHECK(OpenPopups() == 0);
}

TEST_CASE("While a lesson asks for what the stack would tell, no other stack can be chosen") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  Tell(app, ShowLessonPage{"where-memory-goes", 2});
  frames.Draw(8);
  REQUIRE(app.frame()->timeline.untold != 0);
  frames.Press(ImGuiKey_B);
  REQUIRE(OpenPopups() == 1);
  frames.Press(ImGuiKey_DownArrow);
  frames.Press(ImGuiKey_Enter);
  CHECK(app.view_state().timeline.stack.value_or(presenters::StackOrder()).by ==
        presenters::StackBy::kCategory);
}

TEST_CASE("What the timeline's colours mean is told in a small window, too") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {960, 600};
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(8);
  ImGuiWindow* const timeline = ImGui::FindWindowByName("###timeline");
  REQUIRE(timeline != nullptr);
  const ImGuiID square = timeline->GetID("hide temporary");
  bool is_there = false;
  for (float y = timeline->Rect().Max.y; y > timeline->Rect().Min.y && !is_there; y -= 8) {
    ImGui::GetIO().AddMousePosEvent(timeline->Pos.x + 70, y);
    frames.Draw(2);
    is_there = ImGui::GetCurrentContext()->HoveredId == square;
  }
  CHECK(is_there);
}

TEST_CASE("Whoever answers a question with the keyboard goes on with it, and sees where") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Program>());
  frames.Draw(6);
  Tell(app, DoAction{ActionId::kNewRun});
  frames.Draw(4);
  REQUIRE(app.shell().held.open);
  frames.Press(ImGuiKey_Enter);  // the first answer: it runs on
  frames.Draw(4);
  REQUIRE(OpenPopups() == 0);
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  CHECK(keys.NavCursorVisible);
  REQUIRE(keys.NavWindow != nullptr);
  CHECK(keys.NavWindow->RootWindow->DockIsActive);
  CHECK(keys.NavId != 0);
}

TEST_CASE("Tab enters the first panel of a window that has just opened") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  application->ShowRun(std::make_shared<Program>());
  frames.Draw(6);
  REQUIRE(ImGui::GetCurrentContext()->NavId == 0);
  frames.Press(ImGuiKey_Tab);
  frames.Press(ImGuiKey_Tab);
  CHECK(ImGui::GetCurrentContext()->NavId != 0);
}

// Nothing in its first panel can be pressed.
class RecordedProgram : public Program {
 public:
  RecordedProgram() { End(); }
  bool can_stop() const override { return false; }
};

TEST_CASE("Tab enters the first panel that has something to enter, as of a recording that was just opened") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  application->ShowRun(std::make_shared<RecordedProgram>());
  frames.Draw(6);
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  REQUIRE(keys.NavId == 0);
  if (GENERATE(false, true)) ImGui::SetWindowFocus("###run_controls");
  frames.Press(ImGuiKey_Tab);
  CHECK(keys.NavId != 0);
  CHECK(keys.NavCursorVisible);
  CHECK(keys.NavWindow->RootWindow->DockIsActive);
}

TEST_CASE("The first panel is called as its title says: Program beside one, else Run") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  const auto is_called = [&](const char* label) {
    frames.Draw(6);
    return std::string(ImGui::FindWindowByName("###run_controls")->Name).find(label) != std::string::npos;
  };
  application->ShowRun(std::make_shared<Grown>());
  CHECK(is_called("Run"));
  application->ShowRun(std::make_shared<Program>());
  CHECK(is_called("Program"));
  application->ShowRun(std::make_shared<Grown>());
  CHECK(is_called("Run"));
}

// More blocks than a table shows at once.
class Full : public session::FakeRun {
 public:
  Full() {
    timeline::Stream stream;
    for (uint64_t i = 1; i <= 200; ++i) stream.Allocate(i << 20, 512);
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  std::shared_ptr<const timeline::View> view_;
};

TEST_CASE("A table that a click on a title sorts is sorted with the keyboard alone, too, however far down") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Full>());
  Tell(app, ShowPanel{"allocations", true});
  frames.Draw(8);
  const auto& allocations = app.view_state().allocations;
  ImGuiWindow* const panel = ImGui::FindWindowByName("###allocations");
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  const auto table = [&] { return panel->DC.ChildWindows.back(); };
  for (int i = 0; i < 8 && keys.NavId != table()->ChildId; ++i) frames.Press(ImGuiKey_Tab);
  REQUIRE(keys.NavId == table()->ChildId);
  frames.Press(ImGuiKey_Enter);
  REQUIRE(keys.NavWindow == table());
  const int pages = GENERATE(0, 4);
  for (int i = 0; i < pages; ++i) frames.Press(ImGuiKey_PageDown);
  REQUIRE((table()->Scroll.y > 0) == (pages > 0));
  frames.Press(ImGuiKey_Home);
  frames.Press(ImGuiKey_UpArrow);
  const auto is_at = [&](const char* title) {
    return keys.NavId == ImHashStr(title, 0, panel->GetID("allocations"));
  };
  for (int i = 0; i < 4 && !is_at("holds"); ++i) frames.Press(ImGuiKey_RightArrow);
  REQUIRE(is_at("holds"));
  frames.Press(ImGuiKey_Enter);
  CHECK(allocations.sort == presenters::AllocationColumn::kCategory);
  CHECK_FALSE(allocations.descending);
  frames.Press(ImGuiKey_Enter);
  CHECK(allocations.descending);
  app.Push(PinMoment{1});
  frames.Press(ImGuiKey_Escape);
  CHECK(keys.NavWindow == panel);  // which leaves the table first
  CHECK(app.view_state().pinned.has_value());
  frames.Press(ImGuiKey_Escape);
  CHECK_FALSE(app.view_state().pinned.has_value());
}

}  // namespace tidemark::gui
