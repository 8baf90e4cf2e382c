// Programs of a person's in the window.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "profiler/capture/transport/listener.h"
#include "profiler/session/program_recorder.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {

using session::RunState;

session::ProgramOrder& LastOrder() {
  static session::ProgramOrder order;
  return order;
}

// More levels than the panel has room for are scrolled to, and told of.
void ScrollsThroughLevels(ImGuiTestContext* context, transport::RingWriter& ring) {
  constexpr events::NameId kName = 5;
  constexpr int kLevels = 40;
  std::string stack = "aten::mm";
  for (int level = kLevels; level > 0; --level) stack += fmt::format(" ← f{} (a.py:{})", level, level);
  IM_CHECK(ring.PushName(kName, stack, 2));
  events::Event event;
  event.time_ns = 10;
  event.kind = events::EventKind::kAllocate;
  event.address = 0x9000000;
  event.bytes = event.rounded_bytes = int64_t{1} << 32;
  event.op = kName;
  IM_CHECK(ring.Push(event));
  const std::vector<std::string> path = {"f1 (a.py:1)"};
  IM_CHECK(WaitUntil(context, [&] {
    const presenters::LiveTree* tree = application().frame()->live_tree.tree;
    return tree != nullptr && presenters::NodeAt(*tree, path) != 0;
  }));
  application().view_state().live_tree.path = path;
  context->Yield(3);
  Picture(context, "program-many-levels");
  ImGuiWindow* levels = context->WindowInfo("//###live_tree/levels").Window;
  IM_CHECK(levels != nullptr);
  IM_CHECK_GT(levels->ScrollMax.y, 0.0F);
  context->ScrollToBottom(levels->ID);
  context->Yield(3);
  IM_CHECK_GE(levels->Scroll.y, levels->ScrollMax.y - 1);
}

// From where its memory was asked for: as levels of the flame graph, and as the timeline's stack.
void ShowsStacks(ImGuiTestContext* context, transport::RingWriter& ring) {
  constexpr std::array<const char*, 4> kStacks = {
      "aten::conv2d ← forward (net.py:21) ← train (train.py:40) ← <module> (train.py:52)",
      "aten::relu ← forward (net.py:22) ← train (train.py:40) ← <module> (train.py:52)",
      "step (adam.py:223) ← train (train.py:43) ← <module> (train.py:52)",
      "ConvolutionBackward0 ← forward (net.py:21) ← train (train.py:40) ← <module> (train.py:52)"};
  for (size_t i = 0; i < kStacks.size(); ++i) {
    const auto id = static_cast<events::NameId>(i + 1);
    IM_CHECK(ring.PushName(id, kStacks[i], 2));
    events::Event event;
    event.time_ns = static_cast<int64_t>(i + 3);
    event.kind = events::EventKind::kAllocate;
    event.address = 0x1000000 * (i + 1);
    event.bytes = event.rounded_bytes = static_cast<int64_t>(i + 1) << 28;
    event.op = id;
    IM_CHECK(ring.Push(event));
  }
  context->WindowFocus("//###live_tree");
  context->ItemClick("//**/flame graph");
  context->ItemClick("//**/code");
  const auto tree = [] { return application().frame()->live_tree.tree; };
  IM_CHECK(WaitUntil(context, [&] {
    return tree() != nullptr && presenters::NodeAt(*tree(), {"<module> (train.py:52)", "train (train.py:40)",
                                                             "forward (net.py:21)", "aten::conv2d"}) != 0;
  }));
  context->ItemClick("//**/phase");
  IM_CHECK(WaitUntil(context, [&] {
    const std::vector<std::string> path = {"idle", "aten::conv2d", "<module> (train.py:52)",
                                           "train (train.py:40)", "forward (net.py:21)"};
    return presenters::PathOf(*tree(), presenters::NodeAt(*tree(), path)) == path;
  }));
  Picture(context, "program-stacks-by-phase");
  context->ItemClick("//**/code");
  context->ItemClick("//###timeline/###stack");
  context->ItemClick("//$FOCUSED/line of code");
  IM_CHECK(WaitUntil(context, [] {
    const auto& groups = application().frame()->timeline.plot->groups;
    return std::ranges::find(groups, "forward (net.py:21)") != groups.end();
  }));
  Picture(context, "program-stacks");
  application().view_state().timeline.stack = {};
  ScrollsThroughLevels(context, ring);
  application().view_state().live_tree = {};
}

// One that was started elsewhere: its facts stand where our own controls do, and Space starts nothing.
void ShowsAProgram(ImGuiTestContext* context) {
  int stops = 0;
  session::RecorderOptions options;
  options.first_only = true;
  options.is_watched = true;
  options.description.title = "train.py on phantom NVIDIA T4";
  options.description.device = "phantom";
  options.description.device_name = "NVIDIA T4";
  options.description.command = "python train.py --batch 64";
  options.description.producer = "tidemark phantom (torch 2.11.0)";
  options.stop = [&stops] { ++stops; };
  const Result<std::unique_ptr<session::ProgramRecorder>> recorder = session::ProgramRecorder::Start(options);
  IM_CHECK(recorder.ok());
  const std::shared_ptr<session::ProgramRun> run = (*recorder)->first();
  const std::string& entry = (*recorder)->environment_entry();
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
      context, [&] { return !is_drawn("bridge") && !is_drawn("batch"); }, 5));
  IM_CHECK(is_drawn("timeline") && is_drawn("memory_map") && is_drawn("breakdown") &&
           is_drawn("run_controls"));
  IM_CHECK(application().frame()->breakdown.only_measured);
  IM_CHECK_STR_EQ(application().frame()->breakdown.breakdown->moment.c_str(), "at the peak of the run");
  IM_CHECK(context->ItemExists("//###run_controls/###stop program"));
  Picture(context, "program");
  IM_CHECK(application().frame()->fit.is_program && application().frame()->findings.is_program);
  ShowsStacks(context, **ring);
  application().Push(ActionId::kNewRun);  // which would end it
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//**/Let it run"); }));
  Picture(context, "program-would-end");
  context->ItemClick("//**/Let it run");
  context->Yield(4);
  IM_CHECK(Run().can_stop && Run().description.command == "python train.py --batch 64");
  IM_CHECK_EQ(stops, 0);
  application().Push(ActionId::kStop);
  context->Yield(2);
  IM_CHECK_EQ(stops, 1);
  (*recorder)->End(128 + SIGTERM, {"A value was read that no kernel had computed."});
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kDied; }));
  context->Yield(4);
  IM_CHECK_EQ(application().frame()->program->facts.notes.size(), 1U);
  IM_CHECK_STR_EQ(application().frame()->program->state.c_str(), "has ended");
  IM_CHECK(!context->ItemExists("//###banner/Start again"));
  IM_CHECK(!context->ItemExists("//###run_controls/###stop program"));  // there is nothing to end
  Picture(context, "program-ended");
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(!application().frame()->program.has_value());
  IM_CHECK(WaitUntil(
      context, [&] { return is_drawn("bridge"); }, 5));
}

namespace {

struct Troubles {
  const char* picture;
  const char* driver_row;
  const char* driver;
  const char* device_row;
  const char* device;
  int64_t lost;
};
constexpr std::array<Troubles, 4> kTroubles = {{
    {"sources-old-driver", "refused",
     "refused: this driver is too old for CUPTI 13.0. Update the driver, or use a PyTorch for an older CUDA. "
     "The rest "
     "is recorded.",
     "refused",
     "refused: the driver was updated and is not loaded yet (NVML's version is another). Restart the "
     "machine.",
     0},
    {"sources-mig-wsl", "not supported",
     "not supported: CUPTI does not trace this slice of a card (MIG). Take a whole card to see the driver's "
     "level. The "
     "rest is recorded.",
     "in part",
     "live (NVML, driver 580.95, MIG-68323030-0000-0000-0000-000000000000), but of the card as a whole: this "
     "driver "
     "does not tell what a process takes (WSL)",
     0},
    {"sources-blocked-lost", "blocked by Nsight Systems",
     "blocked by Nsight Systems: CUPTI serves one tool at a time. End it to see the driver's level. The rest "
     "is "
     "recorded.",
     "absent", "absent: the NVIDIA driver is not loaded, so what the card itself reports is not seen.", 1234},
    {"sources-refused", "refused",
     "refused: the driver lets only an administrator trace (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES). Ask for "
     "the module "
     "option NVreg_RestrictProfilingToAdminUsers=0, or in a container for CAP_SYS_ADMIN. The rest is "
     "recorded.",
     "refused",
     "refused: this user may not ask NVML about the card. In a container, give it the card with the "
     "capability "
     "\"utility\".",
     0},
}};

void TellState(transport::RingWriter& ring, events::Source source,
               std::pair<events::NameId, const char*> state) {
  IM_CHECK(ring.PushName(state.first, state.second, 2));
  events::Event event;
  event.time_ns = 3;
  event.kind = events::EventKind::kMarker;
  event.source = source;
  event.name = state.first;
  IM_CHECK(ring.Push(event));
}

}  // namespace

// What a source lacks is written out under Capture, and nothing runs out of its panel.
void ShowsSourcesInTrouble(ImGuiTestContext* context) {
  for (const Troubles& troubles : kTroubles) {
    session::RecorderOptions options;
    options.first_only = true;
    options.is_watched = true;
    options.description.title = "train.py";
    options.description.command = "python train.py --batch 64";
    const Result<std::unique_ptr<session::ProgramRecorder>> recorder =
        session::ProgramRecorder::Start(options);
    IM_CHECK(recorder.ok());
    const std::string& entry = (*recorder)->environment_entry();
    auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
    IM_CHECK(ring.ok() && ring->has_value());
    events::Event event;
    event.time_ns = 2;
    event.kind = events::EventKind::kAllocate;
    event.address = 512;
    event.bytes = event.rounded_bytes = 1 << 30;
    IM_CHECK((*ring)->Push(event));
    TellState(**ring, events::Source::kDriver, {1, troubles.driver});
    TellState(**ring, events::Source::kDevice, {2, troubles.device});
    event.time_ns = 3;
    event.kind = events::EventKind::kLoss;
    event.source = events::Source::kAllocator;
    event.bytes = troubles.lost;
    if (troubles.lost > 0) IM_CHECK((*ring)->Push(event));
    application().ShowRun((*recorder)->first());
    const auto row = [](std::string_view name) {
      const Frame* const frame = application().frame();
      if (frame == nullptr) return CaptureLine();
      const auto& rows = frame->run_controls.capture;
      const auto found = std::ranges::find(rows, name, &CaptureLine::name);
      return found == rows.end() ? CaptureLine() : *found;
    };
    IM_CHECK(WaitUntil(context, [&] { return row("Card").help == troubles.device; }));
    IM_CHECK(row("Card").is_written_out && row("CUDA driver").is_written_out);
    IM_CHECK_STR_EQ(row("CUDA driver").help.c_str(), troubles.driver);
    IM_CHECK_STR_EQ(row("CUDA driver").status.c_str(), troubles.driver_row);
    IM_CHECK_STR_EQ(row("Card").status.c_str(), troubles.device_row);
    if (troubles.lost > 0) {
      IM_CHECK(WaitUntil(context, [&] { return row("Allocator").lamp == LampState::kLost; }));
      IM_CHECK_STR_EQ(row("Allocator").status.c_str(), "lost 1,234 events since 1 ns");
      IM_CHECK(row("Health").is_written_out);
    } else {
      IM_CHECK_STR_EQ(row("Allocator").status.c_str(), "live");
      IM_CHECK(row("Health").name.empty());
    }
    IM_CHECK_STR_EQ(row("Training").status.c_str(), "waiting");
    context->Yield(4);
    Picture(context, troubles.picture);
    const ImGuiWindow* const panel = context->WindowInfo("//###run_controls").Window;
    IM_CHECK_LE(panel->ContentSize.y, panel->InnerRect.GetHeight() + 1);
    (*recorder)->End(0);
  }
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
}

// A program of one's own: what was typed is what is started, and why it could not be stands in the dialog.
void StartsAProgram(ImGuiTestContext* context) {
  application().view_state().program_card = "h200";
  application().Push(ActionId::kRunProgram);
  context->Yield(4);
  context->ItemInputValue("//program dialog/**/##command", "wrong");  // ends with Enter
  context->Yield(10);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//program dialog/###start"); }));
  Picture(context, "run-a-program");
  // What is typed goes to what is to be mended: the command, and then the recording.
  context->KeyCharsReplace("unwritable");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return LastOrder().command == "unwritable"; }));
  context->Yield(10);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//program dialog/###start"); }));
  context->Yield(4);
  context->KeyCharsReplace("run.tide");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return LastOrder().recording == "run.tide"; }));
  context->Yield(10);
  context->ItemInput("//program dialog/**/##recording");
  context->KeyCharsReplace("");
  context->ItemInput("//program dialog/**/##Memory");
  context->KeyCharsReplace("16GiB");
  context->ItemClick("//program dialog/**/##program amp/bf16");
  context->ItemClick("//program dialog/**/##program checkpoint/blocks");
  Picture(context, "run-a-program-otherwise");
  context->ItemInputValue("//program dialog/**/##command", "python train.py --batch 8");
  IM_CHECK(WaitUntil(context, [] { return Run().description.command == "python train.py --batch 8"; }));
  IM_CHECK_STR_EQ(LastOrder().memory.c_str(), "16GiB");
  IM_CHECK_STR_EQ(LastOrder().amp.c_str(), "bf16");
  IM_CHECK_STR_EQ(LastOrder().checkpoint.c_str(), "blocks");
  IM_CHECK(Run().status.state == RunState::kStarting);
  IM_CHECK_STR_EQ(Run().description.device.c_str(), "h200");
  IM_CHECK(!LastOrder().operators);
  // On this machine operators are told where that is asked for, and what is below the choice stays in place.
  application().Push(ActionId::kRunProgram);
  context->Yield(4);
  const float recording_was_at = context->ItemInfo("//program dialog/**/##recording").RectFull.Min.y;
  IM_CHECK((context->ItemInfo("//program dialog/**/PyTorch's operators").ItemFlags &
            ImGuiItemFlags_Disabled) != 0);  // a phantom tells them anyway
  context->SetRef(context->WindowInfo("//program dialog/fields").ID);
  context->ItemClick("##Runs on");
  context->SetRef(ImGuiTestRef());
  context->ItemClick("//$FOCUSED/this machine's CPU");
  IM_CHECK_EQ(context->ItemInfo("//program dialog/**/##recording").RectFull.Min.y, recording_was_at);
  context->ItemClick("//program dialog/**/PyTorch's operators");
  Picture(context, "run-a-program-here");
  context->ItemInputValue("//program dialog/**/##command", "python train.py --batch 9");
  IM_CHECK(WaitUntil(context, [] { return Run().description.command == "python train.py --batch 9"; }));
  IM_CHECK(!LastOrder().card && LastOrder().cpu && LastOrder().operators);
  IM_CHECK_STR_EQ(LastOrder().amp.c_str(), "");     // there it is as it is
  IM_CHECK_STR_EQ(LastOrder().memory.c_str(), "");  // that GPU has what it has
  IM_CHECK_STR_EQ(application().view_state().program_card.c_str(), kOwnCpu);
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
}

// What comes up by itself waits for what a person is busy with, and both for what is asked before something
// is lost.
void TakesDialogsInTurn(ImGuiTestContext* context) {
  const auto file_is_asked = [&] { return context->ItemExists("//file dialog/##name"); };
  const auto program_is_asked = [&] { return context->ItemExists("//program dialog/**/##command"); };
  const auto closing_is_asked = [&] { return context->ItemExists("//**/Discard"); };
  application().Push(ActionId::kNewRun);  // which nobody saved
  IM_CHECK(WaitUntil(context, [] { return application().scene_input().starting; }));
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
  application().Push(ActionId::kOpen);
  IM_CHECK(WaitUntil(context, file_is_asked));
  context->KeyChars("no-such-file");
  session::ProgramOrder order;
  order.command = "wrong";
  application().Push(StartProgram{order});
  IM_CHECK(WaitUntil(context, [] { return !application().waiting(); }));
  context->Yield(6);
  IM_CHECK(file_is_asked() && !program_is_asked());
  application().Push(ActionId::kQuit);
  IM_CHECK(WaitUntil(context, closing_is_asked, 10));
  context->Yield(6);
  IM_CHECK(closing_is_asked() && !file_is_asked());
  Picture(context, "closing-over-a-dialog");
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, file_is_asked, 10));
  IM_CHECK(!application().wants_to_quit());
  context->KeyPress(ImGuiKey_Enter);  // what was typed is there still, and so is where it goes
  context->Yield(4);
  Picture(context, "dialog-after-closing");
  IM_CHECK(file_is_asked());
  context->ItemClick("//file dialog/Cancel");
  IM_CHECK(WaitUntil(context, program_is_asked, 10));
  context->Yield(6);
  IM_CHECK(program_is_asked() && !file_is_asked());
  context->ItemClick("//program dialog/Cancel");
  context->Yield(6);
  IM_CHECK(!ImGui::IsPopupOpen("", kAnyPopup));
}

namespace {

const ProgramSweep& Sweep() { return *application().frame()->sweep.sweep; }
size_t Points() { return application().frame()->sweep.sweep == nullptr ? 0 : Sweep().points.size(); }

void AskForSweep(ImGuiTestContext* context, const char* range) {
  application().Push(ActionId::kRunProgram);
  context->Yield(4);
  context->ItemInput("//program dialog/**/##command");
  context->KeyCharsReplace("python train.py --batch 8");
  context->ItemInputValue("//program dialog/**/##sweep", range);  // ends with Enter, as any of them
}

}  // namespace

// A curve that grows run by run, which Cancel ends; a click on a point runs the program with that value.
void SweepsOverAnOption(ImGuiTestContext* context) {
  application().view_state().program_card = "h200";
  AskForSweep(context, "batch");
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//program dialog/###start"); }));
  IM_CHECK(application().frame()->sweep.sweep == nullptr);
  context->Yield(4);
  context->KeyCharsReplace("batch=1..128");  // in the place of what was wrong
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return Points() == 4; }));
  IM_CHECK(Sweep().goes_on);
  IM_CHECK_EQ(Sweep().values.size(), 8U);
  IM_CHECK(Sweep().LargestThatFits() == 4);  // the fourth ran out of memory
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//###jobs/**/Cancel"); }));
  Picture(context, "sweep");
  const ImRect area = context->ItemInfo("//###sweep/sweep").RectFull;
  context->MouseMoveToPos({area.Min.x + 8 + (area.GetWidth() - 16) * 2 / 7, area.GetCenter().y});  // 4 of 128
  context->Yield(4);
  Picture(context, "sweep-point");
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [] { return LastOrder().argument.has_value(); }));
  IM_CHECK_STR_EQ(LastOrder().argument->name.c_str(), "batch");
  IM_CHECK_EQ(LastOrder().argument->value, 4);
  context->ItemClick("//###jobs/**/Cancel");
  IM_CHECK(WaitUntil(context, [] { return !Sweep().goes_on; }));
  IM_CHECK_EQ(Points(), 4U);
  context->ItemClick("//###sweep/###close sweep");
  IM_CHECK(WaitUntil(context, [] { return application().frame()->sweep.sweep == nullptr; }));
  AskForSweep(context, "batch=1..4");
  IM_CHECK(WaitUntil(context, [] { return Points() == 3 && !Sweep().goes_on; }));
  IM_CHECK_EQ(Sweep().notes.size(), 1U);
  IM_CHECK(std::ranges::count(Run().log->lines(), Sweep().notes.front(), &presenters::LogLine::text) ==
           0);  // nothing went wrong
  context->Yield(4);
  Picture(context, "sweep-doubted");
  context->ItemClick("//###sweep/###close sweep");
  AskForSweep(context, "");
  IM_CHECK(WaitUntil(context, [] { return !LastOrder().argument.has_value(); }));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
}

Result<std::vector<std::string>> SweepInName(const session::SweepOrder& order,
                                             const session::SweepListener& listener,
                                             const session::StartWatch& watch) {
  const bool ends = order.range == "batch=1..4";
  if (!ends && order.range != "batch=1..128") {
    watch.blamed(session::ProgramField::kSweep);
    return Error{"A sweep is an argument's name and its values."};
  }
  listener.begun("batch",
                 ends ? std::vector<int64_t>{1, 2, 4} : std::vector<int64_t>{1, 2, 4, 8, 16, 32, 64, 128});
  for (const int64_t value : {1, 2, 4}) {
    session::SweepPoint point;
    point.value = value;
    point.has_peaks = true;
    point.allocated_peak_bytes = value << 33;
    point.reserved_peak_bytes = point.least_reserved_bytes = point.most_reserved_bytes =
        (value << 33) + (int64_t{2} << 30);
    listener.answered(point);
  }
  if (ends)
    return std::vector<std::string>{"train.py:26 read a result that no kernel had computed: it was zero."};
  session::SweepPoint last;
  last.value = 8;
  last.out_of_memory = true;
  last.sentence = "Tried to allocate 80.00 GiB.";
  listener.answered(last);
  while (watch.goes_on()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return std::vector<std::string>();
}

Result<std::shared_ptr<session::Run>> StartInName(const session::ProgramOrder& order,
                                                  const session::StartWatch& watch) {
  LastOrder() = order;
  while (order.command == "slow" && watch.goes_on()) {
    watch.told("building the stand-ins for torch 2.11.0, once: step 23 of 67");
    watch.share(23.0 / 67);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (order.command == "slow") return Error{"Stopped as asked."};
  if (order.command == "unwritable") {
    watch.blamed(session::ProgramField::kRecording);
    return Error{"The recording cannot be written."};
  }
  if (order.command.starts_with(kLargeProgram)) return RunOutOfMemory(order);
  if (order.command == "wrong") return Error{"There is no program called wrong. Check its name."};
  session::RecorderOptions options;
  options.description.title = "train.py";
  options.description.command = order.command;
  options.description.device = order.card.value_or("");
  Result<std::unique_ptr<session::ProgramRecorder>> recorder = session::ProgramRecorder::Start(options);
  if (!recorder) return recorder.error();
  const std::shared_ptr<session::ProgramRecorder> kept = std::move(*recorder);
  return std::shared_ptr<session::Run>(kept, kept->first().get());
}

}  // namespace tidemark::gui
