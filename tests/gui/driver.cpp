#include "tests/gui/driver.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_test_engine/imgui_te_context.h>
#include <imgui_test_engine/imgui_te_engine.h>

#include <utility>

#include "profiler/base/check.h"

namespace tidemark::gui {
namespace {

Application* current_application = nullptr;

}  // namespace

Application& application() {
  TIDEMARK_CHECK(current_application != nullptr);
  return *current_application;
}

DriverResult DriveWindow(WindowOptions options, const std::function<void(ImGuiTestEngine*)>& add) {
  DriverResult result;
  ImGuiTestEngine* engine = nullptr;
  options.keep_settings = false;
  options.hooks.never_idle = true;
  options.hooks.frames_per_painting = 8;  // screenshots are painted for themselves
  options.hooks.opened = [&](Application& app) {
    current_application = &app;
    engine = ImGuiTestEngine_CreateContext();
    ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine);
    io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Info;
    io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Debug;
    io.ConfigLogToTTY = true;
    io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
    io.ConfigNoThrottle = false;
    io.ConfigWatchdogWarning = 120;
    io.ConfigWatchdogKillTest = 300;
    io.ConfigSavedSettings = false;
    ImGuiTestEngine_Start(engine, ImGui::GetCurrentContext());
    ImGui::GetIO().ConfigErrorRecoveryEnableAssert = false;  // count them all instead of ending at the first
    ImGui::GetCurrentContext()->ErrorCallbackUserData = &result;
    ImGui::GetCurrentContext()->ErrorCallback = [](ImGuiContext*, void* user, const char*) {
      ++static_cast<DriverResult*>(user)->misuses;
    };
    add(engine);
    ImGuiTestEngine_QueueTests(engine, ImGuiTestGroup_Tests);
  };
  options.hooks.shown = [&] { ImGuiTestEngine_PostSwap(engine); };
  options.hooks.finished = [&] { return ImGuiTestEngine_IsTestQueueEmpty(engine); };
  options.hooks.closing = [&] {
    ImGuiTestEngineResultSummary summary;
    ImGuiTestEngine_GetResultSummary(engine, &summary);
    result.tested = summary.CountTested;
    result.succeeded = summary.CountSuccess;
    ImGuiTestEngine_Stop(engine);
  };
  result.exit_code = RunWindow(options);
  current_application = nullptr;
  if (engine != nullptr) ImGuiTestEngine_DestroyContext(engine);  // after ImGui's own context
  return result;
}

}  // namespace tidemark::gui
