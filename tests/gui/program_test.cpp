#include "app/gui/panels/program.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "app/gui/widgets/text.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE_METHOD(Measured, "A command is told in the face in which two hyphens are two") {
  const std::string command = "train.py --fill 1 --till 11111111";  // of narrow letters
  REQUIRE(Measure(Numbers(), command).x > Measure(Words(), command).x + 20);
  ProgramInput input;
  input.facts.facts = {{presenters::kCommandFact, command}};
  CommandQueue queue;
  ImGui::SetNextWindowSize({900, 600});
  ImGui::Begin("panel");
  DrawProgramPanel(input, {}, queue);
  ImGui::End();
  float widest = 0;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if ((window->Flags & ImGuiWindowFlags_ChildWindow) == 0) continue;
    widest = std::max(widest, window->DC.CursorMaxPos.x - window->DC.CursorStartPos.x);
  }
  CHECK(widest >= Measure(Numbers(), command).x - 1);
}

}  // namespace tidemark::gui
