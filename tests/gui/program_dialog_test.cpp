#include "app/gui/shell/program_dialog.h"

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A program begins on what was chosen last, else on the GPU that is there, else on a common card") {
  std::vector<phantom::Card> cards(1);
  cards.front().name = "t4";
  CHECK(CardToBeginWith("t4", cards, /*has_gpu=*/true) == "t4");
  CHECK(CardToBeginWith(kOwnGpu, cards, false) == kOwnGpu);
  CHECK(CardToBeginWith("", cards, true) == kOwnGpu);
  CHECK(CardToBeginWith("", cards, false) == "rtx-4090");
  CHECK(CardToBeginWith("of another version", cards, false) == "rtx-4090");
}

}  // namespace tidemark::gui
