#include <string>

#include "app/gui/panels/comparison.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE(
    "A narrow Compare panel lets go of the first run's figures, then of the second's, never of the "
    "difference") {
  const ComparedWidths widths{.names = 110, .a = 70, .b = 75, .difference = 80};
  const float padding = 8;
  const auto room_for = [&](float room) { return ComparedColumnsFor(widths, padding, room); };
  const float all = 110 + 70 + 75 + 80 + 5 * padding;
  CHECK(room_for(all) == ComparedColumns{true, true});
  CHECK(room_for(all - 1) == ComparedColumns{false, true});
  CHECK(room_for(all - 70 - padding) == ComparedColumns{false, true});
  CHECK(room_for(all - 70 - padding - 1) == ComparedColumns{false, false});
  CHECK(room_for(0) == ComparedColumns{false, false});
}

TEST_CASE_METHOD(Measured,
                 "The compared run is called by its whole name where there is room, else by both ends") {
  presenters::SideBySide comparison;
  comparison.title_a = "this run";
  comparison.title_b = "resnet-50-fp16-batch-16.tide";
  comparison.levels = {{"allocated", std::nullopt, 1'000'000, 2'000'000}};
  const presenters::SelectedOwners selected;
  ComparisonInput input;
  input.comparison = &comparison;
  input.selected = &selected;
  ComparisonState state;
  CommandQueue queue;
  const auto words = [&](float width) {
    return WordsIn(
        {width, 300}, [&] { DrawComparisonPanel(input, state, queue); }, "compare " + std::to_string(width));
  };
  CHECK(words(600).find(comparison.title_b) != std::string::npos);
  const std::string narrow = words(400);
  CHECK(narrow.find(comparison.title_b) == std::string::npos);
  CHECK(narrow.find(".tide") != std::string::npos);
  CHECK(narrow.find("resn") != std::string::npos);
}

}  // namespace tidemark::gui
