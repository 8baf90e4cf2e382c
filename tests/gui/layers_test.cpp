#include "app/gui/panels/layers.h"

#include <imgui_internal.h>

#include <string>
#include <vector>

#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// What the table says in a panel of that width.
std::string TableOf(const std::vector<presenters::LayerRow>& rows, float width) {
  LayersInput input;
  input.rows = &rows;
  LayersState state;
  CommandQueue queue;
  ImGui::SetNextWindowSize({width, 400});
  ImGui::Begin("panel");
  ImGui::LogToBuffer();
  DrawLayersPanel(input, state, queue);
  std::string drawn = ImGui::GetCurrentContext()->LogBuffer.c_str();
  ImGui::LogFinish();
  ImGui::End();
  return drawn;
}

}  // namespace

TEST_CASE_METHOD(Measured, "Headers and shapes of layers are read as a whole beside long names, too") {
  const bool is_long = GENERATE(true, false);
  presenters::LayerRow row;
  row.name = is_long ? "stage1_block1_conv1" : "conv1";
  row.output = is_long ? "64×64×112×112" : "64×64×30×30";
  row.parameters = 1;
  row.parameters_bytes = 40'000;
  row.activations_bytes = 205'520'000;
  row.measured_saved_bytes = 205'520'000;
  const std::string drawn = TableOf({row}, 660);
  CHECK(drawn.find("…") == std::string::npos);
  CHECK(drawn.find(row.output) != std::string::npos);
  CHECK((drawn.find("share of all") != std::string::npos) != is_long);  // which makes room for the names
}

}  // namespace tidemark::gui
