#include "app/gui/panels/tree_sides.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/gui/widgets/controls.h"
#include "app/gui/window/theme.h"
#include "app/presenters/moment/signed_bytes.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

Color ColorOfChange(const presenters::TreeSides& sides) {
  const int64_t difference = sides.Difference();
  if (difference == 0) return Colors().raised;
  const auto larger = static_cast<double>(std::max(sides.a_bytes, sides.b_bytes));
  const double share = std::abs(static_cast<double>(difference)) / larger;
  constexpr double kPalest = 0.3;
  return Mixed(Colors().raised, difference > 0 ? Colors().warning : Colors().accent,
               kPalest + (1 - kPalest) * share);
}

void LegendOfChange(const TreeSidesTitles& titles) {
  const auto put = [](Color color, const char* text) {
    Swatch(color);
    ImGui::SameLine(0, Px(6));
    Put(SmallMuted(), text);
    ImGui::SameLine(0, Px(14));
  };
  put(ColorOfChange({1, 0}), "less");
  put(ColorOfChange({1, 1}), "the same");
  put(ColorOfChange({0, 1}), "more");
  const std::string from_to = "from " + titles.a + " to " + titles.b;
  const std::string shown = Fitted(SmallMuted(), from_to, ImGui::GetContentRegionAvail().x);
  Put(SmallMuted(), shown);
  if (shown != from_to) Tooltip(from_to);
}

void ChooseSides(LiveTreeState& state) {
  static constexpr const char* kSides[] = {"this run", "difference"};
  static const std::string kSideHints[] = {
      "What is alive in the run that is shown, at the moment that is looked at.",
      "What is alive in either of the two sides of the Compare panel, and how much less or more of it the "
      "second one has."};
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::BeginChild("sides", {std::min(Px(180), room * 0.35F), Px(30)});
  int side = state.of_difference ? 1 : 0;
  if (Segmented("sides", kSides, kSideHints, &side)) state.of_difference = side == 1;
  ImGui::EndChild();
}

std::string BytesInBlocks(int64_t bytes, size_t blocks) {
  return FormatExactBytes(bytes) + " in " + FormatNumber(static_cast<int64_t>(blocks)) +
         (blocks == 1 ? " block" : " blocks");
}

void PutSides(const TreeSidesTitles& titles, const presenters::TreeSides& sides) {
  Put(Words(), titles.a + ": " + BytesInBlocks(sides.a_bytes, sides.a_blocks));
  Put(Words(), titles.b + ": " + BytesInBlocks(sides.b_bytes, sides.b_blocks));
  Put(Words(), presenters::SignedExactBytes(sides.Difference()));
}

}  // namespace tidemark::gui
