// Work that takes long: it says what it is at and how far, and Cancel ends it.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "app/cli/run_writer.h"
#include "profiler/base/progress.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;
using session::RunState;

constexpr const char* kCancel = "//###jobs/**/Cancel";

bool IsLogged(std::string_view words) {
  const auto& lines = *application().frame()->run_log.lines;
  return !lines.empty() && lines.back().text.find(words) != std::string::npos;
}

bool Cancels(ImGuiTestContext* context) {
  if (!WaitUntil(context, [&] { return context->ItemExists(kCancel); })) return false;
  context->ItemClick(kCancel);
  return WaitUntil(context, [&] { return !context->ItemExists(kCancel); });
}

}  // namespace

// What has just happened is told where it covers no panel and moves none.
void TellsBesideThePanels(ImGuiTestContext* context) {
  const auto place = [&] { return context->WindowInfo("//###timeline").Window->Rect(); };
  const ImRect before = place();
  application().AddLogLine(presenters::LogLevel::kWarning, "Nothing is wrong.");
  context->Yield(3);
  const ImGuiWindow* const notice = ImGui::FindWindowByName("##toast");
  IM_CHECK(notice != nullptr && notice->Active);
  IM_CHECK_LE(notice->Rect().Max.y, before.Min.y);
  IM_CHECK(place().Min == before.Min && place().Max == before.Max);
  // Nor what is opened on top of all; and a click closes it.
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  const ImVector<ImGuiWindow*>& on_screen = ImGui::GetCurrentContext()->Windows;  // the topmost comes last
  const ImGuiWindow* const opened = ImGui::GetTopMostPopupModal() != nullptr
                                        ? ImGui::GetTopMostPopupModal()
                                        : ImGui::GetCurrentContext()->OpenPopupStack.back().Window;
  IM_CHECK_LT(std::ranges::find(on_screen, notice), std::ranges::find(on_screen, opened));
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(3);
  const auto is_told = [] {
    return std::ranges::any_of(application().shell().toasts,
                               [](const Toast& toast) { return toast.text == "Nothing is wrong."; });
  };
  IM_CHECK(is_told());
  context->MouseMoveToPos(notice->Rect().GetCenter());
  context->MouseClick();
  context->Yield(3);
  IM_CHECK(!is_told());
}

// An export, and the start of a program whose stand-ins are being built.
void CancelsWhatTakesLong(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "slow.json";
  std::error_code ignored;
  fs::remove(file, ignored);
  const auto place = [&] { return context->WindowInfo("//###timeline").Window->Rect(); };
  const ImRect before = place();
  application().Push(ExportRecording{file});
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists(kCancel); }));
  context->Yield(4);
  IM_CHECK(place().Min == before.Min && place().Max == before.Max);  // nothing moves under the mouse
  IM_CHECK_LE(context->WindowInfo("//###jobs").Window->Rect().Max.y, before.Min.y);  // nor is a panel covered
  Picture(context, "job-export");
  IM_CHECK(Cancels(context));
  IM_CHECK(WaitUntil(context, [] { return IsLogged("slow.json was cancelled"); }));
  IM_CHECK(!fs::exists(file));
  const int process = Run().description.process_id;
  session::ProgramOrder order;
  order.command = "slow";
  application().Push(StartProgram{order});
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists(kCancel); }));
  Picture(context, "job-program");
  IM_CHECK(Cancels(context));
  IM_CHECK(WaitUntil(context, [] { return IsLogged("The program was not started, as asked."); }));
  IM_CHECK(!ImGui::IsPopupOpen("", kAnyPopup));  // nothing is wrong with what was typed
  IM_CHECK_EQ(Run().description.process_id, process);
}

// The trainer before does not answer, so that the next one has to wait for its end.
void CancelsAStart(ImGuiTestContext* context) {
  IM_CHECK(WaitForSteps(context, 1));
  const int process = Run().description.process_id;
  IM_CHECK_GT(process, 1);
  IM_CHECK_EQ(kill(process, SIGSTOP), 0);
  application().Push(ActionId::kNewRun);
  IM_CHECK(Cancels(context));
  IM_CHECK(WaitUntil(context, [] { return IsLogged("The start was cancelled."); }));
  IM_CHECK(!Run().starting && !Run().live);
  IM_CHECK(Run().status.state == RunState::kFinished);
  // What is in view is of the run before, which is kept: nothing is saved of it any more, nor noted in it.
  for (const ImGuiKey key : {ImGuiKey_S, ImGuiKey_B}) {
    context->KeyPress(ImGuiMod_Ctrl | key);
    context->Yield(4);
    IM_CHECK(!ImGui::IsPopupOpen("", kAnyPopup));
  }
  Picture(context, "start-cancelled");
  context->KeyPress(ImGuiKey_Space);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// Before the trainer that was asked for earlier, and waits for the end of the one before.
void ShowsAProgramThatComesFirst(ImGuiTestContext* context) {
  IM_CHECK(WaitForSteps(context, 1));
  IM_CHECK_EQ(kill(Run().description.process_id, SIGSTOP), 0);
  application().Push(ActionId::kNewRun);
  session::ProgramOrder order;
  order.command = "python train.py";
  application().Push(StartProgram{order});
  IM_CHECK(WaitUntil(context, [] { return Run().description.command == "python train.py"; }));
  context->Yield(2);
  IM_CHECK(!Run().starting);
  IM_CHECK(WaitUntil(context, [] { return application().frame()->jobs.empty(); }));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

Result<std::vector<std::string>> ExportSlowly(const session::NotedRun& noted, std::string_view format,
                                              const fs::path& file, const Progress& progress) {
  if (!file.filename().string().starts_with("slow")) return cli::ExportRun(noted, format, file, progress);
  double share = 0;
  while (progress(share)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    share = 0.4;
  }
  return Error{"The export to " + file.string() + " was cancelled."};
}

}  // namespace tidemark::gui
