#include <ranges>
#include <string>
#include <vector>

#include "app/gui/panels/comparison.h"
#include "app/gui/panels/layers.h"
#include "app/gui/panels/timeline/timeline_parts.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

constexpr const char* kLayers[] = {"blocks.1.fc", "blocks.2.fc", "blocks.3.fc", "blocks.10.fc"};

// Vertices of that colour in all that is drawn.
size_t Drawn(ImU32 color) {
  size_t vertices = 0;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
    vertices += static_cast<size_t>(std::ranges::count(window->DrawList->VtxBuffer, color, &ImDrawVert::col));
  return vertices;
}

// How many of four layers are lit where that is selected, by the vertices that one of them takes.
template <typename Draw>
size_t Lit(const std::string& selected, Draw draw) {
  const auto vertices = [&](const std::string& layer) {
    presenters::SelectedOwners owners;
    owners.layer = layer;
    owners.selection = presenters::LayerSelected(layer);
    ImGui::EndFrame();
    ImGui::NewFrame();
    ImGui::SetNextWindowSize({700, 400});
    ImGui::Begin("panel");
    draw(owners);
    ImGui::End();
    return Drawn(U32(Colors().accent)) + Drawn(ImGui::GetColorU32(ImGuiCol_Header));
  };
  vertices("");  // a table that is drawn first takes its widths
  const size_t none = vertices("");
  return (vertices(selected) - none) / (vertices(kLayers[0]) - none);
}

}  // namespace

TEST_CASE_METHOD(Measured, "What a group of the stack is of is lit in every panel that lists layers") {
  const auto [selected, lit] = GENERATE(table<std::string, size_t>(
      {{"blocks.1.fc", 1}, {"blocks.*", 4}, {"blocks.1.*", 1}, {"blocks.2–3", 2}, {"blocks.2–10", 3}}));
  INFO(selected);
  CommandQueue queue;
  SECTION("the table of layers") {
    std::vector<presenters::LayerRow> rows(4);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].name = kLayers[i];
    LayersInput input;
    input.rows = &rows;
    LayersState state;
    CHECK(Lit(selected, [&](const presenters::SelectedOwners& owners) {
            input.selected = &owners;
            DrawLayersPanel(input, state, queue);
          }) == lit);
  }
  SECTION("the comparison") {
    presenters::SideBySide comparison;
    for (const char* layer : kLayers)
      comparison.states.layers.push_back(
          {layer, std::nullopt, 1'000, 2'000, presenters::LayerSelected(layer)});
    ComparisonInput input;
    input.comparison = &comparison;
    ComparisonState state;
    CHECK(Lit(selected, [&](const presenters::SelectedOwners& owners) {
            input.selected = &owners;
            DrawComparisonPanel(input, state, queue);
          }) == lit);
  }
  SECTION("the lane below the timeline") {
    timeline::Stream stream;
    std::vector<presenters::LayerSpan> spans;
    for (size_t i = 0; i < 4; ++i) {
      const auto at = static_cast<double>(i);
      spans.push_back({at, at + 1, stream.Name(kLayers[i]), events::Phase::kForward});
    }
    const auto view = stream.Publish();
    TimelineInput input;
    input.view = view.get();
    input.layers = &spans;
    TimelineGeometry geometry;
    geometry.plot = {{0, 0}, {600, 100}};
    geometry.layers = {{0, 110}, {600, 130}};
    geometry.visible = {0, 4};
    CHECK(Lit(selected, [&](const presenters::SelectedOwners& owners) {
            input.selected = &owners;
            DrawLayers(ImGui::GetWindowDrawList(), geometry, input, queue);
          }) == lit);
  }
}

}  // namespace tidemark::gui
