// The window as a person uses it, on a phantom GPU: start, mixed precision, pause, step, zoom, palette,
// export, undo, a trainer that is killed. What is checked is the data behind the picture; the pictures are
// kept beside.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/run_writer.h"
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

namespace fs = std::filesystem;
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

void Zooms(ImGuiTestContext* context) {
  const presenters::VisibleRange before = application().view_state().timeline.visible;
  context->MouseMove("//**/plot");
  context->MouseWheelY(6);
  context->Yield(2);
  const TimelineState& timeline = application().view_state().timeline;
  IM_CHECK(!timeline.follow);
  IM_CHECK_LT(timeline.visible.end - timeline.visible.begin, (before.end - before.begin) * 0.8);
  // Whatever the mouse points at inside the stack has a name.
  IM_CHECK(WaitUntil(context, [] { return application().view_state().timeline.hover.has_value(); }));
  IM_CHECK(WaitUntil(context, [] { return !application().frame()->timeline.blocks->empty(); }));
  // And says so without hiding the lanes below, of layers and phases.
  const ImRect plot = context->ItemInfo("//**/plot").RectFull;
  context->MouseMoveToPos({plot.GetCenter().x, plot.Max.y - 8});
  IM_CHECK(WaitUntil(context, [&] {
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    return tooltip != nullptr && tooltip->Active && tooltip->Rect().Max.y <= plot.Max.y;
  }));
  Picture(context, "zoomed");
  context->KeyPress(ImGuiKey_L);
  IM_CHECK(WaitUntil(context, [] { return application().view_state().timeline.follow; }));
}

void ShowsWhatIsAlive(ImGuiTestContext* context) {
  context->WindowFocus("//###live_tree");
  const auto tree = [] { return application().frame()->live_tree.tree; };
  IM_CHECK(WaitUntil(context, [&] { return tree() != nullptr && tree()->nodes.size() > 5; }));
  IM_CHECK_EQ(tree()->nodes[0].bytes, LastPeak());
  Picture(context, "tree-map");
  const ImRect area = context->ItemInfo("//**/tree").RectFull;
  context->MouseMoveToPos(area.Min + ImVec2(30, 30));
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [] { return !application().view_state().live_tree.path.empty(); }));
  Picture(context, "tree-map-inside");
  application().view_state().live_tree.path.clear();
  context->ItemClick("//**/flame graph");
  context->ItemClick("//**/layer");
  IM_CHECK(application().view_state().live_tree.flame_graph);
  IM_CHECK(application().view_state().live_tree.grouping == TreeGrouping::kLayer);
  Picture(context, "flame-graph");
  context->WindowFocus("//###layers");
}

void ListsAllocations(ImGuiTestContext* context) {
  context->WindowFocus("//###allocations");
  const auto table = [] { return application().frame()->allocations.table; };
  IM_CHECK(WaitUntil(context, [&] { return table() != nullptr && table()->rows.size() > 5; }));
  const size_t all = table()->rows.size();
  Picture(context, "allocations");
  context->ItemClick("//**/##filter");
  context->KeyChars(">1MB");
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() < all; }));
  IM_CHECK_GT(table()->rows.size(), 0U);
  for (const presenters::Allocation& row : table()->rows) IM_CHECK_GT(row.block.bytes, 1'000'000);
  context->KeyChars(" life>soon");
  IM_CHECK(WaitUntil(context, [] { return !application().frame()->allocations.filter_error.empty(); }));
  IM_CHECK_LT(table()->rows.size(), all);  // what could be read stays in force
  Picture(context, "allocations-unreadable-filter");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyPress(ImGuiKey_Delete);
  context->ItemClick("//**/born in sight");
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() > all; }));
  Picture(context, "allocations-born-in-sight");
  context->WindowFocus("//###layers");
}

void MeasuresBetweenTwoMoments(ImGuiTestContext* context) {
  const ImRect plot = context->ItemInfo("//**/plot").RectFull;
  context->MouseMoveToPos(plot.Min + ImVec2(200, 200));
  context->KeyDown(ImGuiMod_Shift);
  context->MouseDown();
  context->MouseMoveToPos(plot.Min + ImVec2(500, 200));
  context->MouseUp();
  context->KeyUp(ImGuiMod_Shift);
  context->Yield(2);
  IM_CHECK(application().view_state().timeline.measure.has_value());
  IM_CHECK(application().frame()->timeline.measured.find("events") != std::string::npos);
  IM_CHECK(application().frame()->timeline.measured.find("MB allocated") != std::string::npos);
  Picture(context, "measured");
  context->KeyDown(ImGuiMod_Shift);
  context->MouseClick();
  context->KeyUp(ImGuiMod_Shift);
  context->Yield(2);
  IM_CHECK(!application().view_state().timeline.measure.has_value());
}

void FindsCommands(ImGuiTestContext* context) {
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  Picture(context, "palette");
  context->KeyChars("whole run");
  context->Yield(2);
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return !application().view_state().timeline.follow; }));
  context->Yield(3);
  const presenters::VisibleRange& seen = application().view_state().timeline.visible;
  const presenters::VisibleRange whole = presenters::WholeRange(*Run().view, presenters::TimeAxis::kEvents);
  IM_CHECK_LT(std::abs((seen.end - seen.begin) - (whole.end - whole.begin)),
              0.05 * (whole.end - whole.begin));
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
  IM_CHECK(sight.Contains(context->ItemInfo("//**/channels last").RectFull.GetCenter()));
  Picture(context, "found-control");
  context->ItemClick("//**/More techniques");
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

void Exports(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "export.json";
  std::error_code ignored;
  fs::remove(file, ignored);
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  context->Yield(3);
  Picture(context, "export-dialog");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars(file.c_str());
  context->KeyPress(ImGuiKey_Enter);
  const auto exported = [&] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.find("Exported") != std::string::npos;
  };
  IM_CHECK(WaitUntil(context, exported));
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  IM_CHECK_GT(text.size(), 1000U);
  IM_CHECK(text.find("traceEvents") != std::string::npos);
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

void ChoosesTechniques(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
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
  context->ItemClick("//**/channels last");
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

// A network of one's own, and CIFAR-10 for it; a network that does not take it leaves it behind.
void TakesWhatIsDropped(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  const fs::path file = Artefacts() / "dropped.json";
  std::ofstream(file)
      << R"({"title": "Dropped", "description": "One layer.", "input": [3, 32, 32], "classes": 10,
    "layers": [{"name": "rows", "kind": "flatten"}, {"name": "only", "kind": "linear", "in": 3072, "out": 10}]})";
  const auto has_layer = [] {
    const auto& rows = *application().frame()->layers.rows;
    return rows.size() == 2 && rows.back().name == "only" && rows.back().parameters == 30'730;
  };
  application().TakeDropped({file}, false);
  IM_CHECK(WaitUntil(context, has_layer));
  const fs::path folder = Artefacts() / "cifar-10";
  fs::create_directories(folder);
  std::ofstream(folder / "data_batch_1.bin", std::ios::binary) << std::string(10 * 3073, '\x05');
  application().TakeDropped({folder}, false);
  IM_CHECK(WaitUntil(context, [&] { return application().settings().data == folder.string(); }));
  IM_CHECK(
      WaitUntil(context, [] { return Run().live && Run().view->markers().back().text.find("data") == 0; }));
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "dropped");
  application().Push(ActionId::kChooseData);
  context->Yield(3);
  Picture(context, "data-dialog");
  context->KeyPress(ImGuiKey_Escape);
  networks::TrainingSettings other = application().settings();
  other.network = "dcgan";
  application().Push(ChangeSettings{other});
  IM_CHECK(WaitUntil(context, [] { return application().frame()->layers.rows->size() == 21; }));
  IM_CHECK(!application().settings().data.empty());
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "two-networks");
  other.network = "mlp";
  application().Push(ChangeSettings{other});
  IM_CHECK(WaitUntil(context, [] { return application().settings().data.empty(); }));
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&before] { return application().settings() == before; }));
  IM_CHECK(WaitForSteps(context, 2));
}

void SavesAndOpens(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "saved.tide";
  std::error_code ignored;
  fs::remove(file, ignored);
  const int64_t steps = CompleteSteps();
  application().Push(KeepBookmark{Run().view->TimeOf(Run().view->end() - 1), "where it was saved"});
  IM_CHECK(WaitUntil(context, [] {
    const auto& named = application().frame()->bookmarks;
    return !named.empty() && named.back().text == "where it was saved";
  }));
  const size_t bookmarks = application().frame()->bookmarks.size();
  application().Push(SaveRecording{file});
  IM_CHECK(WaitUntil(context, [&] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.rfind("Saved", 0) == 0;
  }));
  // After a name that is wrong the right one is typed in its place.
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
  context->Yield(3);
  for (const std::string& name : {std::string("no-such-file"), file.string()}) {
    context->KeyChars(name.c_str());
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(2);
    if (name != file) Picture(context, "open-dialog");
  }
  IM_CHECK(WaitUntil(context, [] { return !Run().live && Run().view != nullptr && !Run().view->empty(); }));
  IM_CHECK_EQ(CompleteSteps(), steps);
  IM_CHECK(WaitUntil(context, [&] { return application().frame()->bookmarks.size() == bookmarks; }));
  // The controls say what they are of, and take what the recording was trained with.
  const auto controls = [] { return application().frame()->run_controls; };
  IM_CHECK_STR_EQ(controls().recording.c_str(), "saved.tide");
  IM_CHECK(controls().recorded.has_value());
  application().Push(RecordKernels{true});
  context->Yield(3);
  IM_CHECK(controls().kernels);
  IM_CHECK_STR_EQ(controls().recording.c_str(), "saved.tide");
  IM_CHECK(!application().scene_input().starting);
  application().Push(RecordKernels{false});
  const networks::TrainingSettings recorded = *controls().recorded;
  networks::TrainingSettings other = recorded;
  other.batch = 2 * recorded.batch;
  application().Push(ChangeSettings{other});
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == other; }));
  context->Yield(2);
  Picture(context, "recording");
  context->ItemClick("//**/Take its settings");
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == recorded; }));
  // What is begun with settings that were found for it is begun on its card, whatever was chosen since.
  const networks::DeviceChoice own = Run().device;
  networks::DeviceChoice next = own;
  next.card = "gtx-1650";
  application().Push(ChooseDevice{next});
  IM_CHECK(WaitUntil(context, [&] { return Run().device == next && Run().live; }));
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return !Run().live && Run().view != nullptr && !Run().view->empty(); }));
  application().Push(StartAgain{recorded, {}});
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK_STR_EQ(Run().device.card.c_str(), own.card.c_str());
  IM_CHECK(WaitForSteps(context, 2));
}

void SurvivesAKilledTrainer(ImGuiTestContext* context) {
  IM_CHECK(WaitForSteps(context, 2));
  const int64_t steps = CompleteSteps();
  const int process = Run().description.process_id;
  IM_CHECK_GT(process, 1);
  IM_CHECK_EQ(kill(process, SIGKILL), 0);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kDied; }));
  IM_CHECK_GE(CompleteSteps(), steps);
  context->Yield(4);
  Picture(context, "killed");
  context->ItemClick("//##banner/Start again");
  IM_CHECK(WaitUntil(context, [] { return Run().live && Run().status.state == RunState::kRunning; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// Before and after the last change of settings first; then a recording beside the live run.
void Compares(ImGuiTestContext* context) {
  const auto comparison = [] { return application().frame()->comparison; };
  application().Push(ActionId::kCompareLayout);
  IM_CHECK(Run().status.state == RunState::kPaused);  // as it will be left
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitForSteps(context, 3));
  IM_CHECK(WaitUntil(context, [&] { return comparison().comparison != nullptr; }));
  IM_CHECK(!comparison().second_run);
  IM_CHECK(comparison().comparison->headline.find(" at peak") != std::string::npos);
  Picture(context, "compare-before-and-after");

  const fs::path file = Artefacts() / "beside.tide";
  fs::remove(file);
  application().Push(SaveRecording{file});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(file); }));
  application().Push(CompareWith{file});
  IM_CHECK(WaitUntil(context, [&] { return comparison().second_run && comparison().comparison != nullptr; }));
  IM_CHECK_STR_EQ(comparison().comparison->title_b.c_str(), "beside.tide");
  application().Push(ActionId::kFit);
  IM_CHECK(WaitUntil(context, [] { return !application().frame()->timeline.plot->compared.empty(); }));
  IM_CHECK_STR_EQ(application().frame()->timeline.compared.c_str(), "beside.tide");
  Picture(context, "compare-two-runs");
  context->ItemClick("//**/Stop comparing");
  IM_CHECK(WaitUntil(context, [] { return application().frame()->timeline.plot->compared.empty(); }));
  IM_CHECK(!Run().compared.has_value());
  application().Push(ActionId::kResetLayout);
  context->Yield(4);
  application().Push(CompareWith{file});  // shows the panel, wherever it is
  IM_CHECK(WaitUntil(context, [&] { return comparison().second_run && comparison().comparison != nullptr; }));
  Picture(context, "compare-default-layout");
  application().Push(ActionId::kStopComparing);
  application().Push(ActionId::kFollow);
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
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
      {"zooms", Zooms},
      {"shows what is alive", ShowsWhatIsAlive},
      {"lists allocations", ListsAllocations},
      {"measures between two moments", MeasuresBetweenTwoMoments},
      {"selects everywhere", SelectsEverywhere},
      {"lists what a bridge step is", ListsWhatABridgeStepIs},
      {"stacks by other things", StacksByOtherThings},
      {"shows batch sizes", ShowsBatchSizes},
      {"prices checkpointing", PricesCheckpointing},
      {"follows the pinned moment", FollowsThePinnedMoment},
      {"looks back", LooksBack},
      {"finds moments and names", FindsMomentsAndNames},
      {"finds commands", FindsCommands},
      {"closes what is open", ClosesWhatIsOpen},
      {"scales with its text", ScalesWithItsText},
      {"exports", Exports},
      {"undoes", Undoes},
      {"chooses techniques", ChoosesTechniques},
      {"compares", Compares},
      {"predicts by drawing", PredictsByDrawing},
      {"teaches", Teaches},
      {"shares its session", SharesItsSession},
      {"walks through a step", WalksThroughAStep},
      {"wears light", WearsLight},
      {"chooses colours", ChoosesColors},
      {"saves and opens", SavesAndOpens},
      {"opens ranks", OpensRanks},
      {"trains on ranks", TrainsOnRanks},
      {"takes what is dropped", TakesWhatIsDropped},
      {"trains a TorchScript file", TrainsScript},
      {"shows a program", ShowsAProgram},
      {"starts a program", StartsAProgram},
      {"survives a killed trainer", SurvivesAKilledTrainer},
      {"explains out of memory", ExplainsOutOfMemory},
      {"applies what fits", AppliesWhatFits},
      {"tries the run otherwise", TriesTheRunOtherwise},
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
  options.steps_per_second = 8;
  options.device = networks::DeviceChoice{networks::DeviceKind::kPhantom, 0, "h200"};
  options.start_program = gui::StartInName;
  options.export_run = cli::ExportRun;
  const gui::DriverResult result = gui::DriveWindow(options, gui::Add);
  std::printf("%d of %d tests passed\n", result.succeeded, result.tested);
  if (result.misuses > 0) std::printf("%d misuses of Dear ImGui, see above\n", result.misuses);
  for (const std::string& label : gui::UnexplainedLabels())
    std::printf("the label \"%s\" has no sentence in app/gui/widgets/labels.cpp\n", label.c_str());
  if (result.exit_code != 0) return result.exit_code;
  if (!gui::UnexplainedLabels().empty()) return 1;
  return result.tested > 0 && result.succeeded == result.tested && result.misuses == 0 ? 0 : 1;
}
