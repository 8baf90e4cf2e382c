#include "app/gui/panels/layers.h"

#include <imgui_internal.h>

#include <string>
#include <vector>

#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// What the table says in a panel of that width.
std::string TableOf(const std::vector<presenters::LayerRow>& rows, float width, bool has_textbook = true) {
  LayersInput input;
  input.has_textbook = has_textbook;
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

TEST_CASE_METHOD(Measured,
                 "A program's layers show what their parameters take, and what an optimizer keeps of them") {
  presenters::LayerRow row;
  row.name = "transformer.wte";
  CHECK(TableOf({row}, 700, false).find("parameters") == std::string::npos);
  row.measured_parameter_bytes = 154'390'000;
  row.measured_optimizer_bytes = 308'780'000;
  const std::string drawn = TableOf({row}, 700, false);
  for (const char* told : {"parameters", "154.39", "optimizer", "308.78", "share of all"}) {
    INFO(told);
    CHECK(drawn.find(told) != std::string::npos);
  }
}

}  // namespace tidemark::gui
