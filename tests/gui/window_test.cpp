// The window as a person uses it, on a phantom GPU: start, mixed precision, pause, step, zoom, palette,
// export, undo, a trainer that is killed. What is checked is the data behind the picture; the pictures are
// kept beside.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_test_engine/imgui_te_context.h>
#include <imgui_test_engine/imgui_te_engine.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "app/gui/application.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/program_run.h"
#include "tests/gui/driver.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;
using session::RunState;

fs::path& Artefacts() {
  static fs::path folder;
  return folder;
}

constexpr ImGuiPopupFlags kAnyPopup = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;

const SceneInput& Run() { return application().scene_input(); }

int64_t CompleteSteps() {
  if (Run().view == nullptr) return 0;
  const auto& steps = Run().view->steps();
  return static_cast<int64_t>(steps.size()) - (steps.empty() || steps.back().complete ? 0 : 1);
}

// The window goes on drawing while a test waits.
bool WaitUntil(ImGuiTestContext* context, const std::function<bool()>& reached, double seconds = 60) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    context->Yield();
  }
  return true;
}

bool WaitForSteps(ImGuiTestContext* context, int64_t more) {
  const int64_t wanted = CompleteSteps() + more;
  return WaitUntil(context, [wanted] { return CompleteSteps() >= wanted; });
}

int64_t LastPeak() {
  const auto& steps = Run().view->steps();
  for (size_t i = steps.size(); i-- > 0;) {
    if (steps[i].complete) return timeline::ValueOf(steps[i].at_peak, timeline::Series::kAllocated);
  }
  return 0;
}

void Picture(ImGuiTestContext* context, const char* name) {
  const fs::path file = Artefacts() / (std::string(name) + ".png");
  std::error_code ignored;
  fs::remove(file, ignored);
  context->Yield(6);
  application().Push(TakeScreenshot{file});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(file); }));
}

void Starts(ImGuiTestContext* context) {
  IM_CHECK(WaitForSteps(context, 4));
  IM_CHECK(Run().status.state == RunState::kRunning);
  IM_CHECK(application().view_state().timeline.follow);
  IM_CHECK_EQ(Run().status.lost, 0U);
  // What the phantom predicts is what the phantom then does.
  IM_CHECK(WaitUntil(context, [] {
    return application().frame()->breakdown.breakdown->rows.size() > 3 &&
           application().frame()->breakdown.breakdown->totals.front().phantom_bytes.has_value();
  }));
  for (const presenters::BreakdownRow& row : application().frame()->breakdown.breakdown->totals) {
    if (row.title == "allocated") IM_CHECK_EQ(row.difference_bytes.value_or(-1), 0);
  }
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
  context->SleepNoSkip(1.0F, 0.1F);
  IM_CHECK_EQ(CompleteSteps(), steps);
}

void Steps(ImGuiTestContext* context) {
  const int64_t steps = CompleteSteps();
  context->KeyPress(ImGuiKey_S);
  IM_CHECK(WaitUntil(context, [steps] { return CompleteSteps() == steps + 1; }));
  context->KeyPress(ImGuiKey_S);
  IM_CHECK(WaitUntil(context, [steps] { return CompleteSteps() == steps + 2; }));
  context->SleepNoSkip(0.5F, 0.1F);
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

void ScalesWithItsText(ImGuiTestContext* context) {
  const auto width = [&] { return context->WindowInfo("//###run_controls").Window->Size.x; };
  const float before = width();
  application().view_state().scale = 1.3F;
  context->Yield(6);
  IM_CHECK_GT(width(), before * 1.2F);
  Picture(context, "larger");
  application().view_state().scale = 1.0F;
  context->Yield(6);
  IM_CHECK_LT(std::abs(width() - before), 4.0F);
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
  context->Yield(4);
  Picture(context, "techniques");
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&before] { return application().settings() == before; }));
}

void SavesAndOpens(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "saved.tide";
  std::error_code ignored;
  fs::remove(file, ignored);
  const int64_t steps = CompleteSteps();
  application().Push(SaveRecording{file});
  IM_CHECK(WaitUntil(context, [&] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.rfind("Saved", 0) == 0;
  }));
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return !Run().live && Run().view != nullptr && !Run().view->empty(); }));
  IM_CHECK_EQ(CompleteSteps(), steps);
  Picture(context, "recording");
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
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

// 4096 samples do not fit on a card of 4 GiB.
void ExplainsOutOfMemory(ImGuiTestContext* context) {
  networks::TrainingSettings settings = application().settings();
  settings.amp = networks::Precision::kFloat32;
  application().Push(ChangeSettings{settings});
  application().Push(ChooseDevice{{networks::DeviceKind::kPhantom, 0, "gtx-1650"}});
  IM_CHECK(WaitUntil(
      context, [] { return Run().live && Run().description.device_name.find("1650") != std::string::npos; }));
  IM_CHECK(WaitForSteps(context, 3));
  settings.batch = 4096;
  application().Push(ChangeSettings{settings});
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kFailed; }));
  IM_CHECK(Run().status.out_of_memory);
  IM_CHECK_EQ(Run().view->out_of_memory().size(), 1U);
  context->Yield(4);
  // The button names the batch once the phantom has found it.
  IM_CHECK(WaitUntil(context, [&] {
    return (context->ItemInfo("//##banner/###smaller", ImGuiTestOpFlags_NoError).ItemFlags &
            ImGuiItemFlags_Disabled) == 0;
  }));
  Picture(context, "out-of-memory");
  context->ItemClick("//##banner/###smaller");
  IM_CHECK(WaitUntil(context, [] { return Run().live && Run().status.state == RunState::kRunning; }));
  IM_CHECK_LT(application().settings().batch, 4096);
  IM_CHECK_GT(application().settings().batch, 64);
  IM_CHECK(WaitForSteps(context, 4));
  Picture(context, "smaller-batch");
}

// One that was started elsewhere: its facts stand where our own controls do, and Space starts nothing.
void ShowsAProgram(ImGuiTestContext* context) {
  int stops = 0;
  session::ProgramOptions options;
  options.description.title = "train.py on phantom NVIDIA T4";
  options.description.device = "phantom";
  options.description.device_name = "NVIDIA T4";
  options.description.command = "python train.py --batch 64";
  options.description.producer = "tidemark phantom (torch 2.11.0)";
  options.stop = [&stops] { ++stops; };
  Result<std::unique_ptr<session::ProgramRun>> started = session::ProgramRun::Start(options);
  IM_CHECK(started.ok());
  const std::shared_ptr<session::ProgramRun> run = std::move(*started);
  const std::string& entry = run->environment_entry();
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  IM_CHECK(ring.ok() && ring->has_value());
  events::Event event;
  event.time_ns = 1;
  event.kind = events::EventKind::kAllocate;
  event.address = 512;
  event.bytes = event.rounded_bytes = 1 << 30;
  IM_CHECK((*ring)->Push(event));
  application().ShowRun(run);
  IM_CHECK(WaitUntil(context, [] { return Run().can_stop && !Run().view->empty(); }));
  application().Push(ActionId::kRunOrPause);
  context->Yield(4);
  IM_CHECK(Run().description.command == "python train.py --batch 64");
  IM_CHECK(application().frame()->program.has_value());
  const auto is_drawn = [](const char* panel) {
    const ImGuiWindow* window = ImGui::FindWindowByName((std::string("###") + panel).c_str());
    return window != nullptr && window->WasActive;
  };
  IM_CHECK(WaitUntil(
      context, [&] { return !is_drawn("bridge") && !is_drawn("layers"); }, 5));
  IM_CHECK(is_drawn("timeline") && is_drawn("memory_map") && is_drawn("breakdown") &&
           is_drawn("run_controls"));
  IM_CHECK(application().frame()->breakdown.only_measured);
  IM_CHECK_STR_EQ(application().frame()->breakdown.breakdown->moment.c_str(), "at the peak of the run");
  Picture(context, "program");
  application().Push(ActionId::kStop);
  context->Yield(2);
  IM_CHECK_EQ(stops, 1);
  run->End(128 + SIGTERM, {"A value was read that no kernel had computed."});
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kDied; }));
  context->Yield(4);
  IM_CHECK_EQ(application().frame()->program->facts.notes.size(), 1U);
  IM_CHECK(!context->ItemExists("//##banner/Start again"));
  Picture(context, "program-ended");
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(!application().frame()->program.has_value());
  IM_CHECK(WaitUntil(
      context, [&] { return is_drawn("bridge"); }, 5));
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

void WearsLight(ImGuiTestContext* context) {
  application().Push(ActionId::kLightOrDark);
  context->Yield(4);
  IM_CHECK(!application().view_state().dark);
  Picture(context, "light");
  application().Push(ActionId::kLightOrDark);
  context->Yield(2);
}

void Add(ImGuiTestEngine* engine) {
  static constexpr std::pair<const char*, void (*)(ImGuiTestContext*)> kTests[] = {
      {"starts", Starts},
      {"switches to half precision", SwitchesToHalfPrecision},
      {"takes typed numbers and keys", TakesTypedNumbersAndKeys},
      {"chooses", Chooses},
      {"pauses", Pauses},
      {"steps", Steps},
      {"zooms", Zooms},
      {"shows what is alive", ShowsWhatIsAlive},
      {"lists allocations", ListsAllocations},
      {"measures between two moments", MeasuresBetweenTwoMoments},
      {"finds commands", FindsCommands},
      {"closes what is open", ClosesWhatIsOpen},
      {"scales with its text", ScalesWithItsText},
      {"exports", Exports},
      {"undoes", Undoes},
      {"chooses techniques", ChoosesTechniques},
      {"compares", Compares},
      {"wears light", WearsLight},
      {"saves and opens", SavesAndOpens},
      {"shows a program", ShowsAProgram},
      {"survives a killed trainer", SurvivesAKilledTrainer},
      {"explains out of memory", ExplainsOutOfMemory},
  };
  for (const auto& [name, function] : kTests) IM_REGISTER_TEST(engine, "window", name)->TestFunc = function;
}

}  // namespace
}  // namespace tidemark::gui

// window_test ARTEFACTS_FOLDER
int main(int argc, char** argv) {
  using namespace tidemark;
  gui::Artefacts() = argc > 1 ? argv[1] : "artefacts";
  std::filesystem::create_directories(gui::Artefacts());
  gui::WindowOptions options;
  options.width = 1920;
  options.height = 1080;
  options.steps_per_second = 8;
  options.device = networks::DeviceChoice{networks::DeviceKind::kPhantom, 0, "h200"};
  const gui::DriverResult result = gui::DriveWindow(options, gui::Add);
  std::printf("%d of %d tests passed\n", result.succeeded, result.tested);
  if (result.misuses > 0) std::printf("%d misuses of Dear ImGui, see above\n", result.misuses);
  if (result.exit_code != 0) return result.exit_code;
  return result.tested > 0 && result.succeeded == result.tested && result.misuses == 0 ? 0 : 1;
}
