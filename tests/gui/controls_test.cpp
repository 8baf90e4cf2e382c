#include "app/gui/widgets/controls.h"

#include <imgui.h>

#include <array>
#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// Dear ImGui without a window: frames of one text field.
class FieldFrames {
 public:
  FieldFrames() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {640, 480};
    io.DeltaTime = 1.0F / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  }
  ~FieldFrames() { ImGui::DestroyContext(); }
  FieldFrames(const FieldFrames&) = delete;
  FieldFrames& operator=(const FieldFrames&) = delete;

  void Draw(std::string_view typed) {
    for (const char letter : typed) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    ImGui::NewFrame();
    ImGui::Begin("window");
    FirstTextField("##field", "hint", text_, &waits_);
    ImGui::End();
    ImGui::EndFrame();
  }
  std::string text() const { return text_.data(); }
  bool waits() const { return waits_; }

 private:
  std::array<char, 16> text_{};
  bool waits_ = true;
};

TEST_CASE("What is typed before a field has the keyboard is in it, and what comes then behind it") {
  FieldFrames frames;
  for (const char* letter : {"w", "h", "o", "l", "e"}) frames.Draw(letter);
  frames.Draw("");
  CHECK(!frames.waits());
  CHECK(frames.text() == "whole");
}

TEST_CASE("No more is taken than the field holds") {
  FieldFrames frames;
  frames.Draw("0123456789abcdefghij");
  CHECK(frames.text() == "0123456789abcde");
  frames.Draw("");
  frames.Draw("z");
  CHECK(frames.text() == "0123456789abcde");
}

}  // namespace
}  // namespace tidemark::gui
