#include "app/gui/panels/layers.h"

#include <imgui_internal.h>

#include <array>
#include <string>
#include <vector>

#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

LayersInput InputOf(const std::vector<presenters::LayerRow>& rows) {
  LayersInput input;
  input.rows = &rows;
  return input;
}

// What the table says in a panel of that width.
std::string TableOf(const LayersInput& input, float width, LayersState state = {}) {
  CommandQueue queue;
  return WordsIn(
      {width, 400}, [&] { DrawLayersPanel(input, state, queue); }, std::to_string(width));
}

}  // namespace

TEST_CASE_METHOD(Measured, "Headers and shapes of layers are read as a whole beside long names, too") {
  const bool is_long = GENERATE(true, false);
  std::vector<presenters::LayerRow> rows(1);
  presenters::LayerRow& row = rows[0];
  row.name = is_long ? "stage1_block1_conv1" : "conv1";
  row.output = is_long ? "64×64×112×112" : "64×64×30×30";
  row.parameters = 1;
  row.parameters_bytes = 40'000;
  row.activations_bytes = 205'520'000;
  row.measured_saved_bytes = 205'520'000;
  const std::string drawn = TableOf(InputOf(rows), 660);
  CHECK(drawn.find("…") == std::string::npos);
  CHECK(drawn.find(row.output) != std::string::npos);
  CHECK((drawn.find("share of all") != std::string::npos) != is_long);  // which makes room for the names
}

TEST_CASE_METHOD(Measured, "A narrow panel leaves out shapes, and then columns, before a figure is cut") {
  std::vector<presenters::LayerRow> rows(1);
  rows[0].name = "conv1";
  rows[0].output = "64×64×30×30";
  rows[0].activations_bytes = 205'520'000;
  rows[0].measured_saved_bytes = 205'520'000;
  const float width = GENERATE(180.0F, 230.0F, 300.0F, 400.0F);
  INFO(width);
  const std::string drawn = TableOf(InputOf(rows), width);
  CHECK(drawn.find("205.52") != std::string::npos);
  CHECK((drawn.find("64×64") != std::string::npos) == (width > 350));
  const ImGuiTable* table = nullptr;
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (ImGuiTable* const found = ImGui::TableFindByID(window->GetID("layers"))) table = found;
  }
  REQUIRE(table != nullptr);
  for (int column = 1; column + 1 < table->ColumnsCount; ++column)
    CHECK(table->Columns[column].WidthGiven >= Measure(Numbers(), "205.52").x);
}

TEST_CASE_METHOD(Measured,
                 "A program's layers show what their parameters take, and what an optimizer keeps of them") {
  std::vector<presenters::LayerRow> rows(1);
  rows[0].name = "transformer.wte";
  LayersInput input = InputOf(rows);
  input.has_textbook = false;
  CHECK(TableOf(input, 700).find("parameters") == std::string::npos);
  rows[0].measured_parameter_bytes = 154'390'000;
  rows[0].measured_optimizer_bytes = 308'780'000;
  const std::string drawn = TableOf(input, 700);
  for (const char* told : {"parameters", "154.39", "optimizer", "308.78", "share of all"}) {
    INFO(told);
    CHECK(drawn.find(told) != std::string::npos);
  }
}

TEST_CASE_METHOD(Measured,
                 "Layers are sorted by a figure, but for one that a lesson asks for, which is not told") {
  std::vector<presenters::LayerRow> rows(3);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = "layer " + std::to_string(i);
    rows[i].measured_gradient_bytes = std::array{2'000'000, 3'000'000, 1'000'000}.at(i);
  }
  LayersInput input = InputOf(rows);
  const auto order = [&](const LayersState& state) {
    const std::string drawn = TableOf(input, 1400, state);
    std::string numbers;
    for (size_t at = drawn.find("layer "); at != std::string::npos; at = drawn.find("layer ", at + 1)) {
      const char number = drawn.at(at + 6);
      if (number >= '0' && number <= '9') numbers += number;
    }
    return numbers;
  };
  CHECK(order({}) == "012");
  CHECK(order({.sort = LayerColumn::kGradients}) == "102");
  CHECK(order({.sort = LayerColumn::kGradients, .descending = false}) == "201");
  rows[2].share_of_peak = 0.5;
  CHECK(order({.sort = LayerColumn::kShare}) == "201");
  rows[1].measured_workspace_bytes = 1;
  const std::string narrow = TableOf(input, 300, {.sort = LayerColumn::kWorkspace});
  CHECK(narrow.find("layer 0") < narrow.find("layer 1"));  // for which there is no room
  input.asked = {events::Category::kGradient};
  CHECK(order({.sort = LayerColumn::kGradients}) == "012");
  CHECK(order({.sort = LayerColumn::kShare}) == "012");
  CHECK(TableOf(input, 1400).find("3.00") == std::string::npos);
}

TEST_CASE_METHOD(Measured, "The row of a layer that is selected elsewhere is brought into sight once") {
  std::vector<presenters::LayerRow> rows(200);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].name = "layer " + std::to_string(i);
  presenters::SelectedOwners selected;
  LayersInput input = InputOf(rows);
  input.selected = &selected;
  LayersState state;
  CommandQueue queue;
  ImGuiWindow* table = nullptr;
  const auto scrolled_to = [&](const std::string& layer) {
    selected.layer = layer;
    for (int frame = 0; frame < 3; ++frame) {
      ImGui::SetNextWindowSize({700, 400});
      ImGui::Begin("panel");
      DrawLayersPanel(input, state, queue);
      table = ImGui::GetCurrentWindow()->DC.ChildWindows.back();
      ImGui::End();
      ImGui::EndFrame();
      ImGui::NewFrame();
    }
    return table->Scroll.y;
  };
  CHECK(scrolled_to("") == 0);
  CHECK(scrolled_to("layer 3") == 0);  // it is in sight
  const float middle = scrolled_to("layer 100");
  CHECK(middle > 0);
  CHECK(middle < table->ScrollMax.y);
  CHECK(scrolled_to("layer 101") == middle);
  table->Scroll.y = 0;
  CHECK(scrolled_to("layer 101") == 0);  // who scrolls on is left alone
  CHECK(scrolled_to("layer 199") == table->ScrollMax.y);
}

TEST_CASE_METHOD(Measured, "A press on the title of the names has layers in their own order again") {
  std::vector<presenters::LayerRow> rows(2);
  rows[0].name = "first";
  rows[1].name = "second";
  const LayersInput input = InputOf(rows);
  LayersState state{.sort = LayerColumn::kTemporary};
  CommandQueue queue;
  ImGuiIO& io = ImGui::GetIO();
  for (const bool is_down : {false, true, false}) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    for (int frame = 0; frame < 2; ++frame) {
      ImGui::EndFrame();
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({700, 400});
      ImGui::Begin("panel");
      DrawLayersPanel(input, state, queue);
      const ImVec2 table = ImGui::GetCurrentWindow()->DC.ChildWindows.back()->Pos;
      io.AddMousePosEvent(table.x + 10, table.y + 8);
      ImGui::End();
    }
  }
  CHECK_FALSE(state.sort);
}

TEST_CASE_METHOD(Measured, "Types that layers compute in are read as a whole: they differ in their ends") {
  std::vector<presenters::LayerRow> rows(1);
  rows[0].name = "conv1";
  rows[0].output = "64×64×30×30";
  rows[0].computed_in = "float16";
  for (const float width : {360.0F, 460.0F, 900.0F})
    CHECK(TableOf(InputOf(rows), width).find("float16") != std::string::npos);
}

TEST_CASE_METHOD(Measured, "Titles of layers' columns are whole, or shorter words, at any width") {
  std::vector<presenters::LayerRow> rows(1);
  presenters::LayerRow& row = rows[0];
  row.name = "conv1";
  row.output = "64×64×30×30";
  row.parameters_bytes = row.activations_bytes = row.recomputed_bytes = 205'520'000;
  row.measured_saved_bytes = row.measured_gradient_bytes = row.measured_optimizer_bytes = 205'520'000;
  row.measured_temporary_bytes = row.measured_workspace_bytes = 205'520'000;
  for (float width = 300; width < 1500; width += 7) {
    INFO(width);
    CHECK(TableOf(InputOf(rows), width).find("…") == std::string::npos);
  }
}

TEST_CASE_METHOD(Measured,
                 "All layers of the modules that are selected are lit, the first of them in sight") {
  std::vector<presenters::LayerRow> rows(60);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].name = "h." + std::to_string(i) + ".mlp";
  presenters::SelectedOwners selected;
  LayersInput input = InputOf(rows);
  input.selected = &selected;
  LayersState state;
  CommandQueue queue;
  const auto draw = [&] { return WordsIn({700, 300}, [&] { DrawLayersPanel(input, state, queue); }); };
  draw();
  selected.layer = GENERATE("h.40–42", "h.40.*");
  draw();
  CHECK(state.sought == selected.layer);
}

TEST_CASE_METHOD(Measured, "A share of all is told beside what it is a share of, or not at all") {
  std::vector<presenters::LayerRow> rows(2);
  rows[0].name = "conv1";
  rows[0].measured_parameter_bytes = rows[0].measured_gradient_bytes = 4'320'000;
  rows[1].name = "Sequential";  // holds a workspace alone
  rows[1].measured_workspace_bytes = 68'160'000;
  rows[1].share_of_peak = 0.156;
  LayersInput input = InputOf(rows);
  input.has_textbook = false;
  bool is_told = false;
  for (float width = 200; width < 1000; width += 20) {
    INFO(width);
    const std::string drawn = TableOf(input, width);
    const bool has_share = drawn.find("share") != std::string::npos;
    is_told = is_told || has_share;
    CHECK((!has_share || drawn.find("68.16") != std::string::npos));
  }
  CHECK(is_told);
}

}  // namespace tidemark::gui
