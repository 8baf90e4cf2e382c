// The window as a person uses it, on a phantom GPU: start, mixed precision, pause, step, zoom, palette,
// export, undo, a trainer that is killed. What is checked is the data behind the picture; the pictures are
// kept beside.
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/labels.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {
// Names of the tests to run, by hand; all without any.
static std::vector<std::string_view>& WantedNames() {
  static std::vector<std::string_view> names;
  return names;
}
static bool Wanted(std::string_view name) {
  return WantedNames().empty() || std::ranges::count(WantedNames(), name) > 0;
}

namespace {

using session::RunState;

void Starts(ImGuiTestContext* context) {
  IM_CHECK(WaitForSteps(context, 4));
  IM_CHECK(Run().status.state == RunState::kRunning);
  IM_CHECK(application().view_state().timeline.follow);
  IM_CHECK_EQ(Run().status.lost, 0U);
  // What the phantom predicts is what the phantom then does, from the second step on.
  IM_CHECK(WaitUntil(context, [] {
    const auto& totals = application().frame()->breakdown.breakdown->totals;
    const auto allocated = std::ranges::find(totals, "allocated", &presenters::BreakdownRow::title);
    return allocated != totals.end() && allocated->difference_bytes == 0;
  }));
  Picture(context, "start");
}

void SwitchesToHalfPrecision(ImGuiTestContext* context) {
  const int64_t before = LastPeak();
  context->ItemClick("//**/fp16");
  IM_CHECK(WaitUntil(context, [] { return application().settings().amp == networks::Precision::kFloat16; }));
  IM_CHECK(
      WaitUntil(context, [] { return Run().view->markers().back().text.find("fp16") != std::string::npos; }));
  IM_CHECK(WaitForSteps(context, 4));
  IM_CHECK_LT(LastPeak(), before - 20'000'000);
  Picture(context, "half-precision");
}

void TakesTypedNumbersAndKeys(ImGuiTestContext* context) {
  context->ItemClick("//**/Batch/##typed");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars("96");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch == 96; }));
  context->ItemClick("//**/Batch/##track");  // a click in the middle moves it there
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch == 64; }));
  context->KeyPress(ImGuiKey_RightArrow);
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch == 65; }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch == 64; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// A label says what it means, after a pause.
void ExplainsItsWords(ImGuiTestContext* context) {
  const ImRect figure = context->ItemInfo("//**/Batch/##typed").RectFull;
  const ImRect track = context->ItemInfo("//**/Batch/##track").RectFull;
  context->MouseMoveToPos({track.Min.x + 4, figure.GetCenter().y});
  IM_CHECK(WaitUntil(context, [] {
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    return tooltip != nullptr && tooltip->Active && tooltip->DrawList->VtxBuffer.Size > 100;  // letters
  }));
  // Beside what it explains, not over it.
  const ImRect label({track.Min.x, figure.Min.y}, {track.Min.x + 30, figure.Max.y});
  IM_CHECK(!ImGui::FindWindowByName("##Tooltip_00")->Rect().Overlaps(label));
}

void Chooses(ImGuiTestContext* context) {
  // A combo box tells its label to nobody, so it is named by its window.
  const ImGuiID controls = context->WindowInfo("//###run_controls/controls").ID;
  context->SetRef(controls);
  context->ItemClick("##Optimizer");
  context->SetRef(ImGuiTestRef());
  context->Yield(3);
  Picture(context, "choice");
  context->ItemClick("//**/AdamW");
  IM_CHECK(WaitUntil(context,
                     [] { return application().settings().optimizer == networks::OptimizerKind::kAdamW; }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context,
                     [] { return application().settings().optimizer == networks::OptimizerKind::kAdam; }));
}

void Pauses(ImGuiTestContext* context) {
  context->KeyPress(ImGuiKey_Space);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
  const int64_t steps = CompleteSteps();
  Rest(context, 1);
  IM_CHECK_EQ(CompleteSteps(), steps);
}

void Steps(ImGuiTestContext* context) {
  const int64_t steps = CompleteSteps();
  context->KeyPress(ImGuiKey_S);
  IM_CHECK(WaitUntil(context, [steps] { return CompleteSteps() == steps + 1; }));
  context->KeyPress(ImGuiKey_S);
  IM_CHECK(WaitUntil(context, [steps] { return CompleteSteps() == steps + 2; }));
  Rest(context, 0.5);
  IM_CHECK_EQ(CompleteSteps(), steps + 2);
}

// What is chosen between two steps is told as what it is until one has run with it.
void ChangesBetweenSteps(ImGuiTestContext* context) {
  const auto waits = [] { return application().frame()->run_controls.waits_for_step; };
  IM_CHECK(!waits());
  const networks::TrainingSettings before = application().settings();
  networks::TrainingSettings changed = before;
  changed.batch = before.batch / 2;
  application().Push(ChangeSettings{changed});
  IM_CHECK(WaitUntil(context, waits));
  Picture(context, "changed-while-paused");
  context->KeyPress(ImGuiKey_S);
  IM_CHECK(WaitUntil(context, [&] { return !waits(); }));
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, waits));
  context->KeyPress(ImGuiKey_S);
  IM_CHECK(WaitUntil(context, [&] { return !waits(); }));
}

void FindsCommands(ImGuiTestContext* context) {
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  Picture(context, "palette");
  context->KeyChars("whole run");
  context->Yield(2);
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return !application().view_state().timeline.follow; }));
  IM_CHECK(WaitUntil(context, [] {
    const presenters::VisibleRange& seen = application().view_state().timeline.visible;
    const presenters::VisibleRange whole = presenters::WholeRange(*Run().view, presenters::TimeAxis::kEvents);
    return std::abs((seen.end - seen.begin) - (whole.end - whole.begin)) < 0.05 * (whole.end - whole.begin);
  }));
  Picture(context, "whole-run");
  // And a panel, behind which others it may lie.
  const auto is_in_front = [&] { return context->WindowInfo("//###fit").Window->DockTabIsVisible; };
  IM_CHECK(!is_in_front());
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  context->KeyChars("what fits");
  context->Yield(2);
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, is_in_front));
  // Tab goes on in it.
  context->Yield(4);
  context->KeyPress(ImGuiKey_Tab);
  context->Yield(2);
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  IM_CHECK(keys.NavWindow->RootWindow == context->WindowInfo("//###fit").Window);
  IM_CHECK_NE(keys.NavId, 0U);
  context->WindowFocus("//###bridge");
  // A control is brought into sight, wherever it is.
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  context->KeyChars("channels");
  context->Yield(2);
  for (const ImGuiKey arrow : {ImGuiKey_DownArrow, ImGuiKey_UpArrow}) {  // what is typed goes on to the field
    context->KeyPress(arrow);
    context->Yield(2);
  }
  context->KeyPress(ImGuiKey_Enter);
  const RunControlsState& controls = application().view_state().run_controls;
  IM_CHECK(WaitUntil(context, [&] { return controls.found == "channels_last" && controls.sought.empty(); }));
  context->Yield(3);
  const ImRect sight = context->WindowInfo("//###run_controls/controls").Window->Rect();
  IM_CHECK(sight.Contains(context->ItemInfo("//**/Channels last").RectFull.GetCenter()));
  Picture(context, "found-control");
  context->ItemClick("//**/More techniques");
}

// And what they choose from. Each begins another run, which tests that are of one come before.
void ChoosesByCommands(ImGuiTestContext* context) {
  const std::string network = application().settings().network;
  const networks::DeviceChoice device = application().scene_input().device;
  const auto choose = [&](const char* words) {
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
    context->Yield(3);
    context->KeyChars(words);
    context->Yield(2);
    Picture(context, "found-choice");
    context->KeyPress(ImGuiKey_Enter);
  };
  choose("lenet");
  IM_CHECK(WaitUntil(context, [] { return application().settings().network == "lenet"; }));
  choose("card: a100-sxm4-40");
  IM_CHECK(WaitUntil(context, [] { return application().scene_input().device.card == "a100-40gb"; }));
  for (int i = 0; i < 2; ++i) application().Push(ActionId::kUndo);
  IM_CHECK(WaitUntil(context, [&] {
    return application().settings().network == network && application().scene_input().device == device;
  }));
  IM_CHECK(WaitForSteps(context, 2));
}

// By keys alone.
void TypesTheValueOfAFoundControl(ImGuiTestContext* context) {
  const int64_t before = application().settings().batch;
  application().Push(ShowControl{"batch"});
  IM_CHECK(WaitUntil(context, [] { return application().view_state().run_controls.found == "batch"; }));
  context->Yield(6);
  context->KeyPress(ImGuiKey_Enter);
  context->Yield(2);
  context->KeyChars("96");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch == 96; }));
  application().Push(ActionId::kUndo);
  IM_CHECK(WaitUntil(context, [before] { return application().settings().batch == before; }));
}

void ClosesWhatIsOpen(ImGuiTestContext* context) {
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  IM_CHECK(WaitUntil(context, [] { return ImGui::IsPopupOpen("", kAnyPopup); }));
  context->Yield(4);
  context->KeyChars("follow");
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(6);
  IM_CHECK(!ImGui::IsPopupOpen("", kAnyPopup));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(6);
  context->MouseMoveToPos({20, 900});
  context->MouseClick(0);
  context->Yield(6);
  IM_CHECK(!ImGui::IsPopupOpen("", kAnyPopup));
  context->SetRef(context->WindowInfo("//###run_controls/controls").ID);
  context->ItemClick("##Optimizer");
  context->SetRef(ImGuiTestRef());
  context->Yield(3);
  IM_CHECK(ImGui::IsPopupOpen("", kAnyPopup));
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(6);
  IM_CHECK(!ImGui::IsPopupOpen("", kAnyPopup));
}

void Undoes(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  context->ItemClick("//**/bf16");
  IM_CHECK(WaitUntil(context, [] { return application().settings().amp == networks::Precision::kBfloat16; }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context, [&before] { return application().settings() == before; }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Y);
  IM_CHECK(WaitUntil(context, [] { return application().settings().amp == networks::Precision::kBfloat16; }));
}

// The device is a choice like the others.
void UndoesTheDevice(ImGuiTestContext* context) {
  const networks::TrainingSettings settings = application().settings();
  const networks::DeviceChoice own = Run().device;
  networks::DeviceChoice next = own;
  next.card = own.card == "l4" ? "t4" : "l4";
  application().Push(ChooseDevice{next});
  IM_CHECK(WaitUntil(context, [&] { return Run().device == next && Run().live; }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context, [&] { return Run().device == own && Run().live; }));
  IM_CHECK(application().settings() == settings);
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Y);
  IM_CHECK(WaitUntil(context, [&] { return Run().device == next && Run().live; }));
}

void ChoosesTechniques(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  // Where not all of them have room alike, the longer word takes more.
  const auto room_of = [&](const char* way) { return context->ItemInfo(way).RectFull.GetWidth(); };
  IM_CHECK_GT(room_of("//**/budget"), room_of("//**/K"));
  context->ItemClick("//**/budget");
  IM_CHECK(WaitUntil(
      context, [] { return application().settings().checkpoint.mode == networks::CheckpointMode::kBudget; }));
  context->ItemClick("//**/More techniques");
  context->Yield(3);
  Picture(context, "techniques-open");
  for (const ImGuiWindow* window : context->UiContext->Windows) {
    if (std::string_view(window->Name).find("/controls_") != std::string_view::npos)
      context->ScrollToBottom(window->ID);
  }
  context->ItemClick("//**/Channels last");
  IM_CHECK(WaitUntil(context, [] { return application().settings().channels_last; }));
  networks::TrainingSettings staged = application().settings();
  staged.ranks = 8;
  staged.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  application().Push(ChangeSettings{staged});  // more stages than this network has places to cut
  context->Yield(2);
  IM_CHECK(application().settings().ranks == 1);
  staged.ranks = 2;
  staged.accumulate = 4;
  application().Push(ChangeSettings{staged});
  IM_CHECK(WaitUntil(context, [&staged] { return application().settings() == staged; }));
  IM_CHECK(WaitUntil(context, [] {
    return Run().live && Run().view->markers().back().text.find("pipeline off → 1f1b") != std::string::npos;
  }));
  context->Yield(4);
  Picture(context, "techniques");
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&before] { return application().settings() == before; }));
}

void SurvivesAKilledTrainer(ImGuiTestContext* context) {
  IM_CHECK(WaitForSteps(context, 2));
  const int64_t steps = CompleteSteps();
  const int process = Run().description.process_id;
  IM_CHECK_GT(process, 1);
  const auto place = [&] { return context->WindowInfo("//###timeline").Window->Rect(); };
  const ImRect before = place();
  IM_CHECK_EQ(kill(process, SIGKILL), 0);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kDied; }));
  IM_CHECK_GE(CompleteSteps(), steps);
  context->Yield(4);
  Picture(context, "killed");
  IM_CHECK(context->ItemExists("//###banner/Start again"));
  IM_CHECK(WaitUntil(context, [&] { return place().Max.y < before.Max.y; }));  // which gives that its room
  context->ItemClick("//###banner/Start again");
  IM_CHECK(WaitUntil(context, [] { return Run().live && Run().status.state == RunState::kRunning; }));
  IM_CHECK(WaitForSteps(context, 2));
}

void Add(ImGuiTestEngine* engine) {
  static constexpr std::pair<const char*, void (*)(ImGuiTestContext*)> kTests[] = {
      {"starts", Starts},
      {"switches to half precision", SwitchesToHalfPrecision},
      {"takes typed numbers and keys", TakesTypedNumbersAndKeys},
      {"explains its words", ExplainsItsWords},
      {"chooses", Chooses},
      {"pauses", Pauses},
      {"steps", Steps},
      {"changes between steps", ChangesBetweenSteps},
      {"zooms", Zooms},
      {"drags the brush", DragsTheBrush},
      {"switches the axis", SwitchesTheAxis},
      {"shows what is alive", ShowsWhatIsAlive},
      {"lists allocations", ListsAllocations},
      {"lists events", ListsEvents},
      {"measures between two moments", MeasuresBetweenTwoMoments},
      {"selects everywhere", SelectsEverywhere},
      {"lists what a bridge step is", ListsWhatABridgeStepIs},
      {"scrolls the bridge's story", ScrollsTheBridgesStory},
      {"stacks by other things", StacksByOtherThings},
      {"shows batch sizes", ShowsBatchSizes},
      {"prices checkpointing", PricesCheckpointing},
      {"follows the pinned moment", FollowsThePinnedMoment},
      {"looks back", LooksBack},
      {"goes into the tree and out", GoesIntoTheTreeAndOut},
      {"hides categories", HidesCategories},
      {"switches units", SwitchesUnits},
      {"shows the card's line", ShowsTheCardsLine},
      {"logs what happens", LogsWhatHappens},
      {"copies rows", CopiesRows},
      {"saves pictures by the menu", SavesPicturesByTheMenu},
      {"saves a panel's picture", SavesAPanelsPicture},
      {"finds moments and names", FindsMomentsAndNames},
      {"finds commands", FindsCommands},
      {"takes a value by keys", TypesTheValueOfAFoundControl},
      {"goes by keys", GoesByKeys},
      {"closes what is open", ClosesWhatIsOpen},
      {"hides a tab's words after a click", HidesATabsWordsAfterAClick},
      {"keeps its tabs in front", KeepsItsTabsInFront},
      {"resets its layout", ResetsItsLayout},
      {"keeps its panels through sizes", KeepsPanelsThroughSizes},
      {"scales with its text", ScalesWithItsText},
      {"exports", Exports},
      {"enters what became a folder", EntersWhatBecameAFolder},
      {"tells beside the panels", TellsBesideThePanels},
      {"cancels what takes long", CancelsWhatTakesLong},
      {"undoes", Undoes},
      {"chooses techniques", ChoosesTechniques},
      {"compares", Compares},
      {"predicts by drawing", PredictsByDrawing},
      {"teaches", Teaches},
      {"opens a lesson by the menu", OpensALessonByTheMenu},
      {"shares its session", SharesItsSession},
      {"walks through a step", WalksThroughAStep},
      {"wears light", WearsLight},
      {"chooses colours", ChoosesColors},
      {"saves and opens", SavesAndOpens},
      {"opens samples and recent files", OpensSamplesAndRecentFiles},
      {"keeps what nobody saved", KeepsWhatNobodySaved},
      {"asks before closing", AsksBeforeClosing},
      {"opens what was cut", OpensWhatWasCut},
      {"starts a lesson's run", StartsALessonsRun},
      {"leaves a file for a start", LeavesAFileForAStart},
      {"follows a recording", FollowsARecording},
      {"tells how what it follows ends", TellsHowWhatItFollowsEnds},
      {"opens ranks", OpensRanks},
      {"shows one card", ShowsOneCard},
      {"shows one card live", ShowsOneCardLive},
      {"trains on ranks", TrainsOnRanks},
      {"watches ranks", WatchesRanks},
      {"records a launcher", RecordsALauncher},
      {"takes what is dropped", TakesWhatIsDropped},
      {"trains a TorchScript file", TrainsScript},
      {"shows a program", ShowsAProgram},
      {"sweeps over an option", SweepsOverAnOption},
      {"starts a program", StartsAProgram},
      {"takes dialogs in turn", TakesDialogsInTurn},
      {"ends a foreign comparison", EndsAForeignComparison},
      {"shows sources in trouble", ShowsSourcesInTrouble},
      {"survives a killed trainer", SurvivesAKilledTrainer},
      {"cancels a start", CancelsAStart},
      {"shows a program that comes first", ShowsAProgramThatComesFirst},
      {"explains out of memory", ExplainsOutOfMemory},
      {"applies what fits", AppliesWhatFits},
      {"tries the run otherwise", TriesTheRunOtherwise},
      {"undoes the device", UndoesTheDevice},
      {"forgets what fits elsewhere", ForgetsWhatFitsElsewhere},
      {"chooses by commands", ChoosesByCommands},
      {"tries techniques", TriesTechniques},
  };
  static constexpr const char* kAllLessons = "walks through all lessons";  // on demand
  if (std::ranges::count(WantedNames(), kAllLessons) > 0)
    IM_REGISTER_TEST(engine, "window", kAllLessons)->TestFunc = WalksThroughAllLessons;
  for (const auto& [name, function] : kTests)
    if (Wanted(name)) IM_REGISTER_TEST(engine, "window", name)->TestFunc = function;
}

}  // namespace
}  // namespace tidemark::gui

// window_test ARTEFACTS_FOLDER [--light] [--size WIDTHxHEIGHT] [NAME...]   Pictures in another look by hand;
// see look.sh.
int main(int argc, char** argv) {
  using namespace tidemark;
  gui::Artefacts() = argc > 1 ? argv[1] : "artefacts";
  std::filesystem::create_directories(gui::Artefacts());
  gui::WindowOptions options;
  options.width = 1920;
  options.height = 1080;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--light") {
      options.dark = false;
    } else if (word == "--size" && i + 1 < argc) {
      if (std::sscanf(argv[++i], "%dx%d", &options.width, &options.height) != 2) return 2;
    } else {
      gui::WantedNames().push_back(word);
    }
  }
  options.first.steps_per_second = 8;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kPhantom, 0, "h200"};
  options.services.start_program = gui::StartInName;
  options.services.sweep_program = gui::SweepInName;
  options.services.technique_trials = gui::TrialsInName();
  options.services.export_run = gui::ExportSlowly;
  options.kept_runs = gui::KeptRuns();
  std::filesystem::remove_all(gui::KeptRuns());
  const gui::DriverResult result = gui::DriveWindow(options, gui::Add);
  std::printf("%d of %d tests passed\n", result.succeeded, result.tested);
  if (result.misuses > 0) std::printf("%d misuses of Dear ImGui, see above\n", result.misuses);
  for (const std::string& label : gui::UnexplainedLabels())
    std::printf("the label \"%s\" has no sentence in app/gui/widgets/labels.cpp\n", label.c_str());
  if (result.exit_code != 0) return result.exit_code;
  if (!gui::UnexplainedLabels().empty()) return 1;
  return result.tested > 0 && result.succeeded == result.tested && result.misuses == 0 ? 0 : 1;
}
