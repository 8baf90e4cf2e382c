#include "app/gui/panels/table_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/gui/widgets/controls.h"
#include "app/gui/window/theme.h"
#include "app/presenters/allocations/blocks.h"
#include "profiler/events/stack.h"

namespace tidemark::gui {

void TextCell(std::string_view text, const TextStyle& style) {
  ImGui::TableNextColumn();
  const float room = ImGui::GetContentRegionAvail().x;
  Put(style, Fitted(style, text, room));
  if (ImGui::IsItemHovered() && Measure(style, text).x > room) Tooltip(text);
}

void CategoryCell(std::optional<events::Category> category) {
  if (!category) return TextCell("", MutedWords());
  ImGui::TableNextColumn();
  Swatch(Colors().Of(*category));
  ImGui::SameLine(0, Px(6));
  Put(MutedWords(), Fitted(MutedWords(), events::NameOf(*category), ImGui::GetContentRegionAvail().x));
}

void StackCell(std::string_view stack) {
  const std::vector<std::string_view> frames = events::FramesOf(stack);
  if (frames.size() < 2) return TextCell(stack, MutedWords());
  ImGui::TableNextColumn();
  Put(MutedWords(), Fitted(MutedWords(), frames.front(), ImGui::GetContentRegionAvail().x));
  Tooltip(presenters::StackLines(stack));
}

float WidthOfLeftOut(std::span<const std::string_view> titles) {
  return titles.empty() ? Px(1) : std::ceil(Measure(SmallMuted(), "+9").x) + Px(6);
}

void LeftOutCell(std::span<const std::string_view> titles) {
  if (titles.empty()) return;
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("left out", {WidthOfLeftOut(titles), Px(kSmallTextSize + 4)});
  DrawText(ImGui::GetWindowDrawList(), at, Colored(SmallMuted(), Colors().accent),
           "+" + std::to_string(titles.size()));
  Tooltip(
      fmt::format("There is no room for: {}. A wider panel shows them, and so does smaller text (Ctrl+-).",
                  fmt::join(titles, ", ")));
}

}  // namespace tidemark::gui
