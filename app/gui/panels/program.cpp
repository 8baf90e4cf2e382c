#include "app/gui/panels/program.h"

#include <algorithm>

#include "app/gui/panels/run_controls.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

void DrawFacts(const presenters::ProgramFacts& facts) {
  for (const presenters::Fact& fact : facts.facts) {
    Put(SmallMuted(), fact.title);
    ExplainLabel(fact.title);
    PutWrapped(fact.title == presenters::kCommandFact ? Numbers() : Words(), fact.text);
    TellExactly(fact.exact);
    ImGui::Dummy({0, Px(2)});
  }
  if (facts.notes.empty()) return;
  Rule();
  Put(StrongWords(), "What to doubt");
  for (const std::string& note : facts.notes) PutWrapped(Words(), note);
}

void EndButton(CommandQueue& queue) {
  const std::string label = std::string(icons::kStop) + "  End the program###stop program";
  if (PlainButton(label.c_str(), {ImGui::GetContentRegionAvail().x, Px(34)})) queue.Push(ActionId::kStop);
  Tooltip("Asks it to end (SIGTERM); pressed again, it is killed. What was recorded stays.");
}

}  // namespace

void DrawProgramPanel(const ProgramInput& input, const std::vector<CaptureLine>& capture,
                      CommandQueue& queue) {
  PanelTitle("Program", input.state);
  // Its end stays in sight however small the window is.
  const float footer = Px(input.can_stop ? 80 : 36) + CaptureListHeight(capture);
  const float room = ImGui::GetContentRegionAvail().y;
  ImGui::BeginChild("facts", {0, std::max(Px(160), room - footer)}, ImGuiChildFlags_NavFlattened);
  DrawFacts(input.facts);
  ImGui::EndChild();
  Rule();
  if (input.can_stop) EndButton(queue);
  DrawCaptureList(capture);
}

}  // namespace tidemark::gui
