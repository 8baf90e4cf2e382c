// The application's frames without a display, and what a person does in them. Dear ImGui draws nowhere.
#pragma once

#include <imgui.h>

#include "app/gui/application.h"
#include "app/gui/window/theme.h"
#include "profiler/base/check.h"

namespace tidemark::gui {

class Frames {
 public:
  explicit Frames(Application& application) : application_(application) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1920, 1080};
    io.DeltaTime = 1.0F / 60;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    TIDEMARK_CHECK(LoadFonts().ok());
    ApplyTheme(true, 1);
  }
  ~Frames() { ImGui::DestroyContext(); }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  void Draw(int frames = 1) {
    for (int i = 0; i < frames; ++i) {
      application_.Poll();
      application_.ExecuteCommands();
      ImGui::NewFrame();
      application_.Draw();
      ImGui::EndFrame();
    }
    application_.ExecuteCommands();
  }
  void Press(ImGuiKey key, ImGuiKey with = ImGuiKey_None) {
    for (const bool is_down : {true, false}) {
      if (with != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(with, is_down);
      ImGui::GetIO().AddKeyEvent(key, is_down);
      Draw(2);
    }
  }

  void Click(ImVec2 at) {
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
    for (const bool is_down : {true, false}) {
      ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
      Draw(2);
    }
  }

 private:
  Application& application_;
};

}  // namespace tidemark::gui
