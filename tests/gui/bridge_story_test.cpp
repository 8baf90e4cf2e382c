#include "app/gui/panels/bridge.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using Kind = presenters::BridgeStep::Kind;

presenters::Bridge BridgeTo(int64_t allocated) {
  presenters::Bridge bridge;
  const int64_t workspace = (allocated - 50'000'000) * 2 / 3;
  bridge.steps = {
      {Kind::kLevel, "textbook", 50'000'000, 0, std::nullopt, ""},
      {Kind::kChange, "labels", 512, 50'000'000, events::Category::kInput, "Labels."},
      {Kind::kChange, "workspaces", workspace, 50'000'512, events::Category::kWorkspace, "Scratch."},
      {Kind::kChange, "rounding", allocated - workspace - 50'000'512, 0, std::nullopt, "Rounding."},
      {Kind::kLevel, "allocated", allocated, 0, std::nullopt, ""}};
  return bridge;
}

}  // namespace

TEST_CASE("The bridge asks why, and answers with its largest steps") {
  CHECK(StoryOf(BridgeTo(150'000'000), ByteUnit::kMegabytes).question ==
        "Why is the peak three times the textbook's figure?");
  CHECK(StoryOf(BridgeTo(170'000'000), ByteUnit::kMegabytes).question ==
        "Why is the peak 3.4 times the textbook's figure?");
  const BridgeStory story = StoryOf(BridgeTo(150'000'000), ByteUnit::kMegabytes);
  CHECK(story.answer == "+66.7 MB: Scratch.\n+512 B: Labels.");
}

TEST_CASE("Where theory and practice agree there is nothing to ask") {
  CHECK(StoryOf(BridgeTo(52'000'000), ByteUnit::kMegabytes).question.empty());
  CHECK(StoryOf({}, ByteUnit::kMegabytes).question.empty());
}

TEST_CASE("Names of steps take no room from long figures and from bars") {
  CHECK(WidthOfNames(100, 60, 400) == 100);
  CHECK(WidthOfNames(300, 60, 400) == 168);
  CHECK(WidthOfNames(300, 130, 300) == 106);  // 24 around the bars, which have 40
  CHECK(WidthOfNames(300, 200, 280) == 60);
}

}  // namespace tidemark::gui
