// Memory against what runs again: the curve, a click that chooses a way, and planning that is
// cancelled.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/gui/steps.h"

namespace tidemark::gui {

namespace {

const CheckpointingInput& Panel() { return application().frame()->checkpointing; }

bool AllPredicted() {
  return !Panel().ways.empty() && !Panel().planning &&
         std::ranges::all_of(Panel().ways,
                             [](const CheckpointWay& way) { return way.phantom_bytes.has_value(); });
}

// A chain of layers so long that a person would not wait for it.
std::filesystem::path DeepNetwork() {
  constexpr int kLayers = 250;
  const std::filesystem::path file = Artefacts() / "deep.json";
  std::ofstream out(file);
  out << R"({"title": "Deep", "description": "A chain.", "input": [8], "classes": 8, "layers": [)";
  for (int layer = 0; layer < kLayers; ++layer) {
    out << (layer == 0 ? "" : ",") << R"({"name": "fc)" << layer
        << R"(", "kind": "linear", "in": 8, "out": 8})";
  }
  out << "]}";
  return file;
}

}  // namespace

void PricesCheckpointing(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  const bool was_paused = Run().status.state == session::RunState::kPaused;
  if (was_paused) application().Push(ActionId::kRunOrPause);
  context->WindowFocus("//###checkpointing");
  IM_CHECK(WaitUntil(context, AllPredicted));
  // One segment over a tiny network: all runs again, and nothing is gained.
  const networks::Checkpointing one{networks::CheckpointMode::kSegments, 1};
  const auto way = std::ranges::find(Panel().ways, one, &CheckpointWay::checkpoint);
  IM_CHECK(way != Panel().ways.end());
  IM_CHECK(!way->is_best);
  const std::string why = WhyOfWay(*way, Panel().ways, ByteUnit::kMegabytes);
  IM_CHECK(why.find("gains nothing") != std::string::npos);
  Picture(context, "checkpointing-tiny");

  networks::TrainingSettings settings = before;
  settings.amp = networks::Precision::kFloat32;
  settings.checkpoint = {networks::CheckpointMode::kBudget, 0, 20'000'000};  // which comes to what none does
  application().Push(ChangeSettings{settings});
  IM_CHECK(WaitUntil(context, [&] {
    return AllPredicted() &&
           std::ranges::count(Panel().ways, settings.checkpoint, &CheckpointWay::checkpoint) == 1;
  }));
  context->Yield(2);
  Picture(context, "checkpointing-budget");

  settings = before;
  settings.network = "vgg-11";
  settings.batch = 8;
  application().Push(ChangeSettings{settings});
  IM_CHECK(WaitUntil(context, [&] { return Run().live && application().settings() == settings; }));
  IM_CHECK(WaitUntil(context, [] { return AllPredicted() && Panel().ways.size() > 4; }));
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "checkpointing");
  // What the phantom says of what is in force is what is measured, but for blocks that earlier settings left.
  const auto is_measured = [] {
    const auto in_force =
        std::ranges::find(Panel().ways, application().settings().checkpoint, &CheckpointWay::checkpoint);
    const int64_t predicted = in_force->phantom_bytes.value_or(0);
    return std::abs((Panel().measured ? Panel().measured->bytes : 0) - predicted) < predicted / 50;
  };
  IM_CHECK(WaitUntil(context, is_measured));

  const networks::Checkpointing least = Panel().ways.front().checkpoint;
  IM_CHECK(least != before.checkpoint);
  context->ItemClick(("//**/textbook " + networks::TextOf(least)).c_str());
  IM_CHECK(WaitUntil(context, [&] { return application().settings().checkpoint == least; }));
  IM_CHECK(AllPredicted());  // the curve stays: nothing is planned for a point of it
  IM_CHECK(WaitUntil(context, is_measured));
  Picture(context, "checkpointing-applied");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == settings; }));

  application().TakeDropped({DeepNetwork()}, false);  // seconds to plan
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//###jobs/**/Cancel"); }));
  context->ItemClick("//###jobs/**/Cancel");
  IM_CHECK(WaitUntil(context, [] { return Panel().cancelled; }));
  context->Yield(2);
  Picture(context, "checkpointing-cancelled");
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == before; }));
  IM_CHECK(WaitForChosenSettings(context));
  if (was_paused) application().Push(ActionId::kRunOrPause);
  IM_CHECK(
      WaitUntil(context, [&] { return !was_paused || Run().status.state == session::RunState::kPaused; }));
  context->WindowFocus("//###breakdown");
}

}  // namespace tidemark::gui
