// Windows and panels that are small for what they hold: all of it can be read, or is told under the mouse.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/application.h"
#include "app/gui/panels/allocations.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/panels/statistics.h"
#include "app/gui/scene/learning.h"
#include "app/gui/view/panel_table.h"
#include "app/gui/widgets/terms.h"
#include "app/gui/widgets/text.h"
#include "app/gui/widgets/translation.h"
#include "tests/gui/drawn_application.h"
#include "tests/gui/driven_application.h"
#include "tests/gui/measured.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {
namespace {

// From where to where something is drawn in any of these colours; from beyond to before where nothing is.
std::pair<float, float> SpanOf(const ImGuiWindow& window, const std::vector<Color>& colors,
                               float ImVec2::*axis = &ImVec2::x) {
  std::pair<float, float> span = {1e9F, -1e9F};
  for (const ImDrawVert& corner : window.DrawList->VtxBuffer) {
    const auto is_drawn_in = [&](const Color& color) { return U32(color) == corner.col; };
    if (!std::ranges::any_of(colors, is_drawn_in)) continue;
    span = {std::min(span.first, corner.pos.*axis), std::max(span.second, corner.pos.*axis)};
  }
  return span;
}

// How far an item reaches along a row of a window, as the mouse finds it there.
float WidthUnderMouse(Frames& frames, const ImGuiWindow& window, ImGuiID item, float y) {
  float width = 0;
  constexpr float kStep = 2;
  for (float x = window.Rect().Min.x; x < window.Rect().Max.x; x += kStep) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    frames.Draw();
    if (ImGui::GetCurrentContext()->HoveredId == item) width += kStep;
  }
  return width;
}

}  // namespace

TEST_CASE("The menus' words stand alone, however narrow the window is") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  ImGui::GetIO().DisplaySize = {GENERATE(1280.0F, 640.0F, 480.0F, 400.0F), 400};
  application->ShowRun(std::make_shared<Program>());
  frames.Draw(4);
  const ImGuiWindow* const bar = ImGui::FindWindowByName("##MainMenuBar");
  REQUIRE(bar != nullptr);
  const Palette& colors = Colors();
  const auto menus = SpanOf(*bar, {colors.text});
  const auto status = SpanOf(*bar, {colors.muted, colors.good, colors.bad, colors.raised, colors.good_fill});
  CHECK(menus.first < Px(40));  // Tidemark, at the left
  CHECK(menus.second - menus.first > Measure(Words(), "File Run View Compare Learn Help").x * 0.5F);
  CHECK(menus.second < status.first);
  CHECK(status.second <= ImGui::GetIO().DisplaySize.x);
}

TEST_CASE("The second run's line has its name where the legend has no room for all, too") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / (std::string(120, 'a') + "-with-amp.tide");
  REQUIRE(Grown().Save(file).ok());
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {700, 450};
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(4);
  Tell(app, CompareWith{file});
  Tell(app, DoAction{ActionId::kCompareLayout});
  REQUIRE(PollUntil(app, [&] {
    frames.Draw();
    return !app.frame()->timeline.compared.empty();
  }));
  frames.Draw(4);
  const ImGuiWindow* const timeline = ImGui::FindWindowByName("###timeline");
  REQUIRE(timeline != nullptr);
  // Of what is drawn in a category's colour the legend's square is the lowest; the line stands in its row.
  const float square = SpanOf(*timeline, {Colors().Of(events::Category::kTemporary)}, &ImVec2::y).second;
  const float line = SpanOf(*timeline, {Colors().compared}, &ImVec2::y).second;
  CHECK(std::abs(line - square) < Px(10));
}

TEST_CASE("A lesson's buttons are read as a whole in a narrow panel") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {640, 400};
  app.ShowRun(std::make_shared<Program>());
  Tell(app, ShowLessonPage{"where-memory-goes", 0});
  frames.Draw(8);
  const ImGuiWindow* const lessons = ImGui::FindWindowByName("###lessons");
  REQUIRE(lessons != nullptr);
  const float row = lessons->ContentRegionRect.Max.y - Px(16);
  const float width =
      WidthUnderMouse(frames, *lessons, const_cast<ImGuiWindow*>(lessons)->GetID("Start its run"), row);
  CHECK(width >= Measure(Words(), "Start its run").x);
}

TEST_CASE_METHOD(Measured,
                 "What a source of the capture tells is cut in a narrow panel, not run over its edge") {
  const std::vector<CaptureLine> capture = {
      {"Training", "steps, phases, layers, scopes", LampState::kLive, "What has come of it."}};
  const float width = GENERATE(160.0F, 400.0F);
  for (auto* const draw : {DrawCaptureList, DrawCaptureRow}) {
    ImGui::SetNextWindowSize({width, 300});
    ImGui::Begin(draw == DrawCaptureList ? "list" : "row");
    ImGui::LogToBuffer();
    draw(capture);
    const std::string drawn = ImGui::GetCurrentContext()->LogBuffer.c_str();
    ImGui::LogFinish();
    const ImGuiWindow& window = *ImGui::GetCurrentWindow();
    CHECK(window.DC.CursorMaxPos.x < window.ContentRegionRect.Max.x + 1);
    CHECK(drawn.ends_with(width > 300 ? "steps, phases, layers, scopes" : "steps, ph…"));
    ImGui::End();
  }
}

TEST_CASE_METHOD(Measured,
                 "Of a tensor without a name a narrow panel tells what made it, beside what it holds") {
  const LessonBook book = LoadLessonBook();
  UseDictionary(DictionaryOf(&book.glossary));  // which explains the titles
  timeline::Stream stream;
  const events::NameId op = stream.Name("aten::mm");
  stream.Allocate(512, 1 << 20).op = op;
  const auto view = stream.Publish();
  presenters::AllocationTable table;
  table.rows.emplace_back().block.op = op;
  table.considered = 1;
  const presenters::SelectedOwners selected;
  AllocationsInput input;
  input.view = view.get();
  input.table = &table;
  input.selected = &selected;
  AllocationsState state;
  CommandQueue queue;
  const float width = GENERATE(240.0F, 700.0F);
  const std::string drawn = WordsIn({width, 300}, [&] { DrawAllocationsPanel(input, state, queue); });
  UseDictionary({});
  CHECK((drawn.find("requested, MB") != std::string::npos) == (width > 300));
  CHECK(drawn.find("aten::mm") != std::string::npos);
  CHECK(drawn.find(width > 300 ? " of aten::mm | unknown |" : "| aten::mm |") != std::string::npos);
}

// A run of steps that tells of its segments.
class Mapped : public session::FakeRun {
 public:
  Mapped() {
    timeline::Stream stream;
    stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 20);
    for (int64_t step = 0; step < 3; ++step) {
      stream.BeginStep(step);
      stream.BeginPhase(events::Phase::kForward);
      stream.Allocate(0x100000, 1 << 19);
      stream.Free(0x100000);
      stream.EndStep(step);
    }
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  std::shared_ptr<const timeline::View> view_;
};

TEST_CASE(
    "In a low window no panel is cut: the map shares the tables' place, the tables on the right have one") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {640, 450};
  app.ShowRun(std::make_shared<Mapped>());
  frames.Draw(4);
  const auto place = [](const char* panel) {
    const ImGuiWindow* const window = ImGui::FindWindowByName(panel);
    REQUIRE(window != nullptr);
    REQUIRE(window->DockNode != nullptr);
    return window->DockNode;
  };
  CHECK(place("###memory_map") == place("###findings"));
  CHECK(place("###breakdown") == place("###compare"));
  CHECK(place("###memory_map")->Size.y >= Px(130));
  Tell(app, ShowPanel{"memory_map", true});
  frames.Draw(4);
  const ImGuiWindow* const map = ImGui::FindWindowByName("###memory_map");
  CHECK(map->ScrollMax.y == 0);  // its slider is all there
  // What the colours mean: the squares of the legend lie below the steps.
  const ImGuiWindow* const timeline = ImGui::FindWindowByName("###timeline");
  const auto squares = SpanOf(*timeline, {Colors().Of(events::Category::kTemporary)}, &ImVec2::y);
  CHECK(squares.second > timeline->Rect().Max.y - Px(40));
}

// Of its categories the largest are gone by its end.
class Changing : public session::FakeRun {
 public:
  static constexpr int64_t kMegabyte = 1 << 20;
  Changing() {
    timeline::Stream stream;
    using enum events::Category;
    const auto hold = [&](uint64_t address, int64_t megabytes, events::Category category) {
      stream.Allocate(address, megabytes * kMegabyte, category);
    };
    hold(1 << 20, 90, kActivation);
    hold(2 << 20, 80, kGradient);
    stream.Free(1 << 20);
    stream.Free(2 << 20);
    later_ = stream.latest() + 1;
    hold(3 << 20, 30, kWorkspace);
    hold(4 << 20, 2, kTemporary);
    hold(5 << 20, 1, kInput);
    hold(6 << 20, 20, kParameter);
    for (int i = 0; i < 20; ++i) stream.BeginPhase(events::Phase::kForward);
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }
  presenters::VisibleRange later() const {
    return {static_cast<double>(later_), static_cast<double>(view_->end())};
  }

 private:
  timeline::EventIndex later_ = 0;
  std::shared_ptr<const timeline::View> view_;
};

// A window that has room for a legend of one row only, which looks at the end of such a run.
struct NarrowWindow {
  NarrowWindow() {
    ImGui::GetIO().DisplaySize = {640, 450};
    const auto run = std::make_shared<Changing>();
    application->ShowRun(run);
    frames.Draw(4);
    application->view_state().timeline.follow = application->view_state().timeline.whole = false;
    application->view_state().timeline.visible = run->later();
    frames.Draw(4);
  }
  ImGuiWindow& timeline() const {
    ImGuiWindow* const window = ImGui::FindWindowByName("###timeline");
    REQUIRE(window != nullptr);
    return *window;
  }
  bool LegendNames(events::Category category) const {
    return SpanOf(timeline(), {Colors().Of(category)}, &ImVec2::y).second > timeline().Rect().Max.y - Px(40);
  }

  std::unique_ptr<Application> application = KeepingIn("");
  Frames frames{*application};
};

TEST_CASE("A legend that has no room for all names what is largest in sight, and counts the others") {
  NarrowWindow window;
  CHECK(window.LegendNames(events::Category::kWorkspace));
  CHECK_FALSE(window.LegendNames(events::Category::kActivation));
  CHECK_FALSE(window.LegendNames(events::Category::kGradient));
  ImGuiWindow& timeline = window.timeline();
  const float row = timeline.Rect().Max.y - Px(22);
  CHECK(WidthUnderMouse(window.frames, timeline, timeline.GetID("legend's rest"), row) > 0);
}

TEST_CASE("A legend that has no room for all begins with what the lesson's page is about") {
  NarrowWindow window;
  REQUIRE_FALSE(window.LegendNames(events::Category::kInput));
  ViewState& state = window.application->view_state();
  state.learning = true;
  state.lessons.lesson = "where-memory-goes";
  state.lessons.page = 3;  // the input, and then a question of activations
  state.lessons.predictions = {{"where-memory-goes/1", 4.3}, {"where-memory-goes/3", 40}};
  window.frames.Draw(4);
  CHECK(window.LegendNames(events::Category::kInput));
}

TEST_CASE("The list of the legend's rest has the keys while it is open") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {640, 450};
  app.ShowRun(std::make_shared<Changing>());
  frames.Draw(8);
  ImGuiWindow* const timeline = ImGui::FindWindowByName("###timeline");
  const ImGuiID rest = timeline->GetID("legend's rest");
  const float row = timeline->Rect().Max.y - Px(22);
  const auto is_found = [&] { return ImGui::GetCurrentContext()->HoveredId == rest; };
  for (float x = timeline->Rect().Min.x; x < timeline->Rect().Max.x && !is_found(); x += 2) {
    ImGui::GetIO().AddMousePosEvent(x, row);
    frames.Draw();
  }
  REQUIRE(is_found());
  frames.Click(ImGui::GetIO().MousePos);
  const auto popups = [] { return ImGui::GetCurrentContext()->OpenPopupStack.Size; };
  REQUIRE(popups() == 1);
  SECTION("Space hides and shows what the arrows have come to") {
    const timeline::CategorySet before = app.view_state().timeline.hidden_categories;
    frames.Press(ImGuiKey_DownArrow);
    frames.Press(ImGuiKey_LeftArrow);
    frames.Press(ImGuiKey_Space);
    CHECK(app.view_state().timeline.hidden_categories != before);
    CHECK(popups() == 1);
  }
  frames.Press(ImGuiKey_Escape);
  CHECK(popups() == 0);
}

TEST_CASE("What has just happened covers nothing that is read, at any size of the window") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const float width = GENERATE(1920.0F, 1280.0F, 640.0F);
  ImGui::GetIO().DisplaySize = {width, width * 0.625F};
  app.ShowRun(std::make_shared<Mapped>());
  frames.Draw(8);
  app.AddLogLine(presenters::LogLevel::kWarning,
                 "What is told here at some length, as errors of files and programs are, would lie over the "
                 "panels at the right, and over what is read there just now, hung from the bar.");
  frames.Draw(4);
  const ImGuiWindow* const toast = ImGui::FindWindowByName("##toast");
  REQUIRE(toast != nullptr);
  REQUIRE(toast->Active);
  for (const char* name :
       {"###run_controls", "###timeline", "###findings", "###breakdown", "###memory_map"}) {
    const ImGuiWindow* const panel = ImGui::FindWindowByName(name);
    if (panel == nullptr || !panel->DockTabIsVisible) continue;
    INFO(name << " at " << width);
    CHECK_FALSE(toast->Rect().Overlaps(panel->ContentRegionRect));
  }
}

TEST_CASE("The Run panel of a low window has one scrollbar at most") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  const float height = GENERATE(700.0F, 400.0F, 350.0F, 250.0F);
  ImGui::GetIO().DisplaySize = {640, height};
  application->ShowRun(std::make_shared<Mapped>());
  frames.Draw(8);
  const ImGuiWindow* const panel = ImGui::FindWindowByName("###run_controls");
  REQUIRE(panel != nullptr);
  const auto controls = std::ranges::find_if(panel->DC.ChildWindows, [](const ImGuiWindow* child) {
    return std::string_view(child->Name).find("controls_") != std::string_view::npos;
  });
  REQUIRE(controls != panel->DC.ChildWindows.end());
  INFO(height);
  CHECK((panel->ScrollMax.y == 0 || (*controls)->ScrollMax.y == 0));
  CHECK((panel->ScrollMax.y == 0) == (height >= 350));  // what starts the run is in sight
}

TEST_CASE("The command palette ends within a low window") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  ImGui::GetIO().DisplaySize = {640, 400};
  application->ShowRun(std::make_shared<Program>());
  frames.Draw(2);
  Tell(*application, DoAction{ActionId::kPalette});
  frames.Draw(4);
  REQUIRE(ImGui::GetCurrentContext()->OpenPopupStack.Size == 1);
  const ImGuiWindow* const palette = ImGui::GetCurrentContext()->OpenPopupStack[0].Window;
  REQUIRE(palette != nullptr);
  CHECK(palette->ScrollMax.y == 0);
  CHECK(palette->Rect().Max.y <= ImGui::GetIO().DisplaySize.y);
}

// Fails with all that PyTorch has to say.
class Wordy : public Grown {
 public:
  session::RunStatus status() const override {
    session::RunStatus status;
    status.state = session::RunState::kFailed;
    status.sentence =
        "CUDA out of memory. Tried to allocate 392.00 MiB. GPU 0 has a total capacity of 4.00 GiB of which "
        "38.00 MiB is free. Including non-PyTorch memory, this process has 3.96 GiB memory in use. Of the "
        "allocated memory 3.52 GiB is allocated by PyTorch, and 414.26 MiB is reserved by PyTorch but "
        "unallocated.";
    return status;
  }
};

TEST_CASE("What ran out of memory leaves the panels of a low window most of their room") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {640, 400};
  app.ShowRun(std::make_shared<Wordy>());
  frames.Draw(4);
  const ImGuiWindow* const banner = ImGui::FindWindowByName("###banner");
  REQUIRE(banner != nullptr);
  CHECK(banner->WasActive);
  CHECK(banner->Size.y <= Px(80));
}

TEST_CASE(
    "A window that becomes low has map and tables in tabs of one place, and all as it was once it is not") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(8);
  const auto place_of = [](const char* panel) { return ImGui::FindWindowByName(panel)->DockId; };
  ImGui::DockBuilderDockWindow("###bridge", place_of("###layers"));  // by hand
  frames.Draw(4);
  const ImGuiID of_map = place_of("###memory_map");
  REQUIRE(of_map != place_of("###layers"));
  REQUIRE(place_of("###bridge") == place_of("###layers"));
  ImGui::GetIO().DisplaySize.y = 500;
  frames.Draw(6);
  CHECK(place_of("###memory_map") == place_of("###layers"));
  CHECK(place_of("###bridge") != place_of("###layers"));
  ImGui::GetIO().DisplaySize.y = 1080;
  frames.Draw(6);
  CHECK(place_of("###memory_map") == of_map);
  CHECK(place_of("###bridge") == place_of("###layers"));
}

TEST_CASE("A rule of the timeline's title row has words at its right, however narrow the panel is") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Changing>());
  frames.Draw(8);
  bool has_rules = false;
  for (float width = 480; width <= 1600; width += 16) {
    INFO(width);
    ImGui::GetIO().DisplaySize = {width, 800};
    frames.Draw(2);
    const ImGuiWindow& timeline = *ImGui::FindWindowByName("###timeline");
    const float top = timeline.InnerRect.Min.y + Px(10);  // below the card's edge
    for (const ImDrawVert& corner : timeline.DrawList->VtxBuffer) {
      if (corner.col != U32(Colors().border) || corner.pos.y < top || corner.pos.y > top + Px(30)) continue;
      if (corner.pos.x < timeline.Rect().GetCenter().x - Px(200)) continue;  // the card's edge
      has_rules = true;
      CHECK((corner.pos.x < timeline.Rect().Max.x - Px(30) || corner.pos.x > timeline.Rect().Max.x - Px(4)));
    }
  }
  CHECK(has_rules);
}

TEST_CASE("What a banner takes the panels have again as it goes, also under the mouse that has closed it") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Wordy>());
  Tell(app, DoAction{ActionId::kLearnLayout});
  frames.Draw(8);
  const ImGuiWindow* const banner = ImGui::FindWindowByName("###banner");
  REQUIRE((banner != nullptr && banner->WasActive));
  const auto found = std::ranges::find_if(ImGui::GetCurrentContext()->Windows, [&](ImGuiWindow* window) {
    return window->WasActive && window->DockIsActive && window->DockTabIsVisible &&
           window->Rect().Contains({banner->Rect().GetCenter().x, banner->Pos.y - Px(30)});
  });
  REQUIRE(found != ImGui::GetCurrentContext()->Windows.end());
  const ImGuiWindow* const panel = *found;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    INFO(window->Name);
    const bool is_panel = window->WasActive && window->DockIsActive && window->DockTabIsVisible;
    CHECK((!is_panel || !window->Rect().Overlaps(banner->Rect())));
  }
  const float covered = panel->ContentRegionRect.Max.y;
  REQUIRE(covered <= banner->Pos.y);
  const float cross = banner->Rect().Max.x - Px(32);
  frames.Click({cross, banner->Rect().GetCenter().y});
  REQUIRE(app.shell().banner_closed);
  frames.Draw(36);
  CHECK(panel->ContentRegionRect.Max.y > covered + Px(20));
}

// Runs until it fails.
class Failing : public Wordy {
 public:
  session::RunStatus status() const override {
    session::RunStatus running;
    running.state = session::RunState::kRunning;
    return has_failed_ ? Wordy::status() : running;
  }
  void Fail() { has_failed_ = true; }

 private:
  bool has_failed_ = false;
};

TEST_CASE("As a banner comes what panels hold moves once, also while the mouse is in another of them") {
  const char* const under_mouse = GENERATE("###layers", "###timeline");
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const auto run = std::make_shared<Failing>();
  app.ShowRun(run);
  Tell(app, DoAction{ActionId::kLearnLayout});
  frames.Draw(8);
  Tell(app, ShowPanel{"layers", true});
  frames.Draw(8);
  const ImGuiWindow& panel = *ImGui::FindWindowByName("###layers");
  const ImVec2 mouse = ImGui::FindWindowByName(under_mouse)->Rect().GetCenter();
  ImGui::GetIO().AddMousePosEvent(mouse.x, mouse.y);
  frames.Draw(8);
  run->Fail();
  std::vector<float> ends = {panel.ContentRegionRect.Max.y};
  for (int i = 0; i < 100; ++i) {
    frames.Draw();
    if (panel.ContentRegionRect.Max.y != ends.back()) ends.push_back(panel.ContentRegionRect.Max.y);
  }
  CHECK(ImGui::FindWindowByName("###banner")->WasActive);
  CHECK(ends.size() == 2);
}

TEST_CASE("The list of windows that Ctrl+Tab opens calls each panel by its name") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {1100, 700};
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(8);
  const auto names_all = [&] {
    return std::ranges::all_of(Panels(), [&](const Panel& panel) {
      const ImGuiWindow* const window = ImGui::FindWindowByName(("###" + std::string(panel.name)).c_str());
      return window == nullptr || std::string_view(window->Name).find(panel.label) != std::string_view::npos;
    });
  };
  REQUIRE_FALSE(names_all());  // some tabs have room for their icons only
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_LeftCtrl, true);
  frames.Draw(2);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Tab, true);
  frames.Draw(2);
  CHECK(names_all());
  CHECK(ImGui::LocalizeGetMsg(ImGuiLocKey_WindowingMainMenuBar) == std::string("Menus: File, Run, View, …"));
}

TEST_CASE("In the window of a laptop the map has room for two rows of segments that can be pointed at") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {1600, 1000};  // of 1280 by 800, in units of its scale
  app.ShowRun(std::make_shared<Mapped>());
  frames.Draw(8);
  CHECK(ImGui::FindWindowByName("###memory_map")->Size.y >= Px(175));
}

TEST_CASE("In a lower window the map keeps its least height, at the cost of the tables below it") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {1280, 740};
  app.ShowRun(std::make_shared<Mapped>());
  frames.Draw(8);
  CHECK(ImGui::FindWindowByName("###memory_map")->Size.y >= Px(165));
}

TEST_CASE("The list of windows that Ctrl+Tab opens has their names in the window's language") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  UseTranslations({{"Memory map", "Speicherkarte"}});
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(8);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_LeftCtrl, true);
  frames.Draw(2);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Tab, true);
  frames.Draw(2);
  const ImGuiWindow* const map = ImGui::FindWindowByName("###memory_map");
  UseTranslations({});
  REQUIRE(map != nullptr);
  CHECK(std::string_view(map->Name).find("Speicherkarte") != std::string_view::npos);
}

TEST_CASE_METHOD(Measured, "Titles of a stretch's figures are whole in a narrow panel") {
  timeline::Stream stream;
  stream.Allocate(512, 1 << 20);
  const auto view = stream.Publish();
  const auto statistics = presenters::MakeRangeStatistics(*view, 0, view->end(), [](double) { return true; });
  REQUIRE(statistics);
  StatisticsInput input;
  input.view = view.get();
  input.statistics = &*statistics;
  StatisticsState state;
  CommandQueue queue;
  float title = 0;
  WordsIn({240, 300}, [&] {
    DrawStatisticsPanel(input, state, queue);
    for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      const ImGuiTable* const table = ImGui::TableFindByID(window->GetID("figures"));
      if (table != nullptr) title = table->Columns[0].WidthGiven;
    }
  });
  CHECK(title >= Measure(Words(), "largest request").x);
}

TEST_CASE("What is told below the panels moves nothing under the mouse") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {960, 600};
  app.ShowRun(std::make_shared<Mapped>());
  frames.Draw(8);
  const ImVec2 elsewhere = ImGui::FindWindowByName("###timeline")->Rect().GetCenter();
  const ImGuiWindow* const under = ImGui::FindWindowByName("###run_controls");
  const auto bottom = [&] { return under->ContentRegionRect.Max.y; };
  ImGui::GetIO().AddMousePosEvent(under->Rect().GetCenter().x, under->Rect().GetCenter().y);
  frames.Draw(2);
  const float before = bottom();
  app.AddLogLine(presenters::LogLevel::kWarning,
                 "What is told here at some length, as errors of files and programs are, would lie over the "
                 "panels at the right, and over what is read there just now, hung from the bar.");
  frames.Draw(4);
  CHECK(bottom() == before);
  ImGui::GetIO().AddMousePosEvent(elsewhere.x, elsewhere.y);
  frames.Draw(2);
  CHECK(bottom() < before);
}

TEST_CASE("Tabs keep what they show while their room hardly changes") {
  const auto application = KeepingIn("");
  Frames frames(*application);
  application->ShowRun(std::make_shared<Grown>());
  const auto tab_at = [&](float width) {
    ImGui::GetIO().DisplaySize = {width, 1080};
    frames.Draw(3);
    return std::string(ImGui::FindWindowByName("###statistics")->Name);
  };
  float width = 1920;
  const std::string wide = tab_at(width);
  while (width > 700 && tab_at(width) == wide) width -= 4;
  const std::string narrow = tab_at(width);
  REQUIRE(narrow != wide);
  CHECK(tab_at(width + 12) == narrow);
  CHECK(tab_at(width + 60) == wide);
}

}  // namespace tidemark::gui
