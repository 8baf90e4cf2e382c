// A frame of Dear ImGui without a window: texts are as wide in it as in one. For TEST_CASE_METHOD.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "app/gui/widgets/terms.h"
#include "app/gui/window/theme.h"
#include "profiler/base/check.h"

namespace tidemark::gui {

class Measured {
 public:
  Measured() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {1920, 1080};
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    TIDEMARK_CHECK(LoadFonts().ok());
    ApplyTheme(true, 1);
    UseDictionary({});  // an application's is gone with it
    ImGui::NewFrame();
  }
  ~Measured() {
    ImGui::EndFrame();
    ImGui::DestroyContext();
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;
};

// What `draw` says in a panel of that size. One of that name that is in the frame already stays as large.
template <typename Draw>
std::string WordsIn(ImVec2 size, Draw draw, const std::string& panel = "panel") {
  ImGui::SetNextWindowSize(size);
  ImGui::Begin(panel.c_str());
  ImGui::LogToBuffer();
  draw();
  std::string drawn = ImGui::GetCurrentContext()->LogBuffer.c_str();
  ImGui::LogFinish();
  ImGui::End();
  return drawn;
}

}  // namespace tidemark::gui
