// The colours of what blocks hold, each of which a person may choose.
#include <algorithm>

#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/terms.h"

namespace tidemark::gui {
namespace {

void ColorRow(size_t index, OwnColors& own) {
  const std::string name(events::NameOf(static_cast<events::Category>(index)));
  const Color now = Colors().categories[index];
  constexpr float kMost = 255;
  float parts[] = {static_cast<float>(now.red) / kMost, static_cast<float>(now.green) / kMost,
                   static_cast<float>(now.blue) / kMost};
  ImGui::PushID(name.c_str());
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  Put(Words(), name);
  MarkTerms(ImGui::GetItemRectMin(), Words(), name);
  ImGui::TableNextColumn();
  ImGui::SetNextItemWidth(-1);
  constexpr ImGuiColorEditFlags kFlags =
      ImGuiColorEditFlags_DisplayHex | ImGuiColorEditFlags_NoOptions | ImGuiColorEditFlags_NoLabel;
  if (ImGui::ColorEdit3("##color", parts, kFlags)) {
    const auto part = [](float share) { return static_cast<uint8_t>(share * kMost + 0.5F); };
    own[index] = Color{part(parts[0]), part(parts[1]), part(parts[2])};
  }
  ImGui::TableNextColumn();
  ImGui::BeginDisabled(!own[index]);
  if (PlainButton("Reset")) own[index].reset();
  ImGui::EndDisabled();
  ImGui::PopID();
}

}  // namespace

void DrawColorsWindow(OwnColors& own, bool* open) {
  if (BeginOwnWindow("Colours", {400, 540}, open)) {
    PutWrapped(MutedWords(),
               "What a block holds has one colour, in every panel. Those that it begins with are told apart "
               "with any kind of colour blindness.");
    if (ImGui::BeginTable("colors", 3)) {
      ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("color", ImGuiTableColumnFlags_WidthStretch);
      ImGui::TableSetupColumn("reset", ImGuiTableColumnFlags_WidthFixed);
      for (size_t index = 0; index < own.size(); ++index) ColorRow(index, own);
      ImGui::EndTable();
    }
    ImGui::BeginDisabled(std::ranges::none_of(own, [](const auto& color) { return color.has_value(); }));
    if (PlainButton("Reset all colours", {ImGui::GetContentRegionAvail().x, Px(32)})) own.fill({});
    ImGui::EndDisabled();
  }
  ImGui::End();
}

}  // namespace tidemark::gui
