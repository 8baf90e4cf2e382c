// Runs tests of Dear ImGui's test engine inside the real window.
#pragma once

#include <functional>
#include <string>

#include "app/gui/gui.h"

struct ImGuiTestEngine;
struct ImGuiTestContext;

namespace tidemark::gui {

struct DriverResult {
  int tested = 0;
  int succeeded = 0;
  int misuses = 0;    // of Dear ImGui by the window: unbalanced Push and Pop, equal ids, ...
  int exit_code = 0;  // of the window
};

// Opens the window, runs all tests that `add` registers, one after the other, closes the window.
// `application()` is valid while they run.
DriverResult DriveWindow(WindowOptions options, const std::function<void(ImGuiTestEngine*)>& add);
Application& application();

}  // namespace tidemark::gui
