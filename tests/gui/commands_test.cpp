#include "app/gui/commands/commands.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/gui/application.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/shell/command_palette.h"
#include "app/gui/view/panel_table.h"
#include "profiler/lessons/situation.h"
#include "tests/gui/drawn_application.h"
#include "tests/gui/driven_application.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("Every command has a name, help, and a key of its own if it has one") {
  std::set<std::string> labels;
  std::set<int> chords;
  for (const Action& action : Actions()) {
    CHECK(labels.insert(action.label).second);
    CHECK(std::string(action.help).size() > 5);
    CHECK((action.chord == 0) == (*action.keys == 0));
    if (action.chord != 0) {
      INFO(action.keys);
      CHECK(chords.insert(action.chord).second);
    }
    CHECK(&ActionOf(action.id) == &action);
  }
}

TEST_CASE("Every action is somebody's, whose check it comes through") {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ApplicationOptions options;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kCpu, 0, "h200"};
  {
    const auto application = Application::Create(options, ViewState());
    REQUIRE(application);
    for (const Action& action : Actions()) {
      (*application)->Push(action.id);
      CHECK((*application)->ExecuteCommands());
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    do {  // of what was begun
      (*application)->Push(ActionId::kQuit);
      (*application)->ExecuteCommands();
      (*application)->Poll();
    } while (!(*application)->wants_to_quit() && std::chrono::steady_clock::now() < end);
    CHECK((*application)->wants_to_quit());
  }
  ImGui::DestroyContext();
}

TEST_CASE("What a class may be kept from has a title, not only the name that a code has for it") {
  for (const std::string& name : lessons::ControlNames()) {
    if (name == "seed") continue;  // in one row with the learning rate
    INFO(name);
    const std::string title = TitleOfControl(name);
    CHECK_FALSE(title.empty());
    CHECK(title.find('_') == std::string::npos);
    CHECK_FALSE(std::islower(static_cast<unsigned char>(title.front())));
  }
  CHECK(TitleOfControl("learning_rate") == "Learning rate and seed");
}

TEST_CASE("Panels have names of their own and help") {
  std::set<std::string> names;
  for (const Panel& panel : Panels()) {
    CHECK(names.insert(panel.name).second);
    CHECK(std::string(panel.help).size() > 5);
    CHECK(panel.draw != nullptr);
  }
}

TEST_CASE(
    "Comparing and learning have menus of their own, and every entry of a menu follows the one before") {
  const auto menu_of = [](ActionId id) { return ActionOf(id).menu; };
  for (const ActionId id : {ActionId::kCompareWith, ActionId::kStopComparing, ActionId::kCompareLayout})
    CHECK(menu_of(id) == Menu::kCompare);
  for (const ActionId id : {ActionId::kNextPage, ActionId::kPreviousPage, ActionId::kBackToOwn,
                            ActionId::kStartOver, ActionId::kGlossary, ActionId::kCopyCode,
                            ActionId::kForAClass, ActionId::kUnlock, ActionId::kLearnLayout})
    CHECK(menu_of(id) == Menu::kLearn);
  CHECK(std::ranges::is_sorted(Actions(), {}, &Action::menu));
}

TEST_CASE("Every panel has an icon of its own") {
  std::set<std::string_view> icons;
  for (const Panel& panel : Panels()) CHECK(icons.insert(panel.icon).second);
}

TEST_CASE("Commands are taken in the order they were pushed") {
  CommandQueue queue;
  queue.Push(ActionId::kStep);
  queue.Push(ChoosePace{4});
  const std::vector<Command> commands = queue.Take();
  REQUIRE(commands.size() == 2);
  CHECK(std::get<DoAction>(commands[0]).id == ActionId::kStep);
  CHECK(std::get<ChoosePace>(commands[1]).steps_per_second == 4);
  CHECK(queue.empty());
}

TEST_CASE("The palette finds commands by parts of their names") {
  CHECK(MatchScore("", "Go to the peak") == 0);
  CHECK(MatchScore("peak", "Go to the peak") >= 0);
  CHECK(MatchScore("GTTP", "Go to the peak") == 0);  // beginnings of words
  CHECK(MatchScore("peek", "Go to the peak") == -1);
  CHECK(MatchScore("kaep", "Go to the peak") == -1);
  CHECK(MatchScore("op", "Open recording…") < MatchScore("op", "Stop"));
  CHECK(MatchScore("learn", "Layout: learn") < MatchScore("learn", "Learning rate rule"));
  CHECK(MatchScore("zero", "ZeRO stage") < MatchScore("zero", "zeroed gradients"));
  CHECK(MatchScore("theme", "Theme: light or dark") <
        MatchScore("theme", "Select nothing, unpin the moment", "Takes the selection away."));
  // By what they do, too.
  CHECK(MatchScore("exact", "Unit: MB or MiB", "Hover any figure for its exact bytes.") >= 0);
  CHECK(MatchScore("exact", "Unit: MB or MiB", "Inexact.") == -1);
}

TEST_CASE("What the palette says of a restart holds also while a program goes on") {
  CHECK(WhyNot(ActionId::kRestart).find("goes on") == std::string::npos);
  CHECK(WhyNot(ActionId::kRestart).find("Ctrl+.") != std::string::npos);
  CHECK(WhyNot(ActionId::kStop).find("goes on") != std::string::npos);
}

TEST_CASE("What controls say of each other names them, not options of the command line") {
  for (const NamedControl& control : NamedControls()) {
    INFO(control.title << ": " << control.help);
    CHECK(control.help.find("--") == std::string::npos);
  }
}

TEST_CASE("What is refused is told of controls, where the command line is told of options") {
  const auto refused = [](const auto& change) {
    networks::TrainingSettings settings;
    change(settings);
    const Status valid = networks::Validate(settings);
    return InWordsOfControls(valid ? "" : valid.error().message);
  };
  CHECK(refused([](auto& settings) { settings.batch = 0; }) ==
        "Batch size must be between 1 and 4096, not 0.");
  const std::string of_two = refused([](auto& settings) {
    settings.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
    settings.zero = networks::ZeroStage::kState;
  });
  CHECK(of_two.starts_with(TitleOfControl("pipeline") + " gives each rank layers of its own, so " +
                           TitleOfControl("zero") + " finds nothing"));
  CHECK(InWordsOfControls("net.pt runs in one piece. Leave --zero-gradients and --nothing out.") ==
        "net.pt runs in one piece. Leave " + TitleOfControl("zeroed_gradients") + " and --nothing out.");
}

// Opens the palette and types into it, letter by letter.
void Type(Frames& frames, Application& app, std::string_view text) {
  Tell(app, DoAction{ActionId::kPalette});
  frames.Draw(4);
  for (const char letter : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
  frames.Draw(4);
}

// A window that shows a run, and its palette.
struct PaletteOverRun {
  explicit PaletteOverRun(std::shared_ptr<session::Run> run) {
    app.ShowRun(std::move(run));
    frames.Draw(4);
  }
  void Type(std::string_view text) { gui::Type(frames, app, text); }
  void Enter() {
    frames.Press(ImGuiKey_Enter);
    app.Poll();
  }

  const std::unique_ptr<Application> application = KeepingIn("");
  Application& app = *application;
  Frames frames{app};
};

TEST_CASE("In the palette a layer's name comes before commands that merely have its letters") {
  PaletteOverRun palette(std::make_shared<Grown>());
  const auto choose = [&](const char* typed) {
    palette.app.view_state().selection = {};
    palette.Type(typed);
    palette.Enter();
    return palette.app.view_state().selection;
  };
  CHECK(choose("fc") == presenters::LayerSelected("fc"));
  CHECK(choose("Relu2") == presenters::LayerSelected("relu2"));
  CHECK(choose("conv") == presenters::LayerSelected("conv1"));
  choose("conv2 out");  // a tensor's
  CHECK(palette.app.shell().search.open);
}

TEST_CASE("In the palette a command that cannot be done now comes before what merely has its letters") {
  PaletteOverRun palette(std::make_shared<Grown>());
  palette.Type("undo");
  palette.frames.Press(ImGuiKey_DownArrow);  // behind the search in the run
  palette.Enter();
  CHECK(palette.app.shell().palette.open);  // it tells why not
  CHECK(palette.app.view_state().lessons.lesson.empty());
}

TEST_CASE("The palette lays a sample over the run that is shown") {
  PaletteOverRun palette(std::make_shared<Grown>());
  palette.Type("compare with sample");
  palette.frames.Press(ImGuiKey_Enter);
  CHECK(PollUntil(palette.app, [&] {
    palette.frames.Draw();
    return palette.app.scene_input().compared.has_value();
  }));
}

TEST_CASE("A key with Ctrl tells why not where its command cannot be done; arrows and letters alone do not") {
  const std::unique_ptr<Application> app = KeepingIn("");
  Frames frames(*app);
  frames.Draw(4);
  frames.Press(ImGuiKey_Home);  // slow motion's
  CHECK(app->shell().toasts.empty());
  frames.Press(ImGuiKey_H, ImGuiMod_Ctrl);
  REQUIRE(app->shell().toasts.size() == 1);
  CHECK(app->shell().toasts.front().text == WhyNot(ActionId::kEarlierRuns));
}

TEST_CASE("The palette finds units by what people call them") {
  PaletteOverRun palette(std::make_shared<Grown>());
  const ByteUnit before = palette.app.view_state().unit;
  palette.Type("units");
  palette.Enter();
  CHECK(palette.app.view_state().unit != before);
}

TEST_CASE("Of a program's run the palette knows the cards, too, and why none can be chosen") {
  PaletteOverRun palette(std::make_shared<Program>());
  palette.Type("Card: T4");
  const auto is_list = [](const ImGuiWindow* window) {
    return window->WasActive && std::string_view(window->Name).find("/rows_") != std::string_view::npos;
  };
  const ImVector<ImGuiWindow*>& windows = ImGui::GetCurrentContext()->Windows;
  CHECK(std::any_of(windows.begin(), windows.end(), is_list));
  const networks::DeviceChoice device = palette.app.scene_input().device;
  palette.Enter();
  CHECK(palette.app.scene_input().device == device);
}

TEST_CASE("Where the palette lists some of the layers that begin so, the search for all comes next") {
  ApplicationOptions options;
  options.first.settings.network = "resnet-18";
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  Frames frames(app);
  app.ShowRun(std::make_shared<Grown>());
  frames.Draw(4);
  REQUIRE(app.frame()->layers.rows->size() > 6);
  bool was_layer = false;  // the row before
  for (int row = 0; row < 12 && !app.shell().search.open; ++row) {
    was_layer = app.view_state().selection.any();
    app.view_state().selection = {};
    Type(frames, app, "stage");
    for (int i = 0; i < row; ++i) frames.Press(ImGuiKey_DownArrow);
    frames.Press(ImGuiKey_Enter);
    app.Poll();
  }
  CHECK(app.shell().search.open);
  CHECK(was_layer);
}

}  // namespace tidemark::gui
