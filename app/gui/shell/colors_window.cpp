// The colours of what blocks hold, each of which a person may choose.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/terms.h"
#include "app/gui/window/color_vision.h"

namespace tidemark::gui {
namespace {

using Typed = std::array<char, 16>;

void Write(Color color, Typed& typed) {
  typed.fill(0);
  std::ranges::copy(HexOf(color), typed.begin());
}

// The colour itself; a click on it opens a square to pick another from.
bool PickColor(Color* color) {
  constexpr float kMost = 255;
  float parts[] = {static_cast<float>(color->red) / kMost, static_cast<float>(color->green) / kMost,
                   static_cast<float>(color->blue) / kMost};
  if (ImGui::ColorButton("##color", {parts[0], parts[1], parts[2], 1}, ImGuiColorEditFlags_NoTooltip,
                         {Px(36), ImGui::GetFrameHeight()}))
    ImGui::OpenPopup("pick");
  Tooltip("Click to pick a colour.");
  if (!ImGui::BeginPopup("pick")) return false;
  constexpr ImGuiColorEditFlags kFlags = ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_NoSidePreview |
                                         ImGuiColorEditFlags_NoLabel | ImGuiColorEditFlags_NoOptions;
  const bool picked = ImGui::ColorPicker3("##picker", parts, kFlags);
  ImGui::EndPopup();
  const auto part = [](float share) { return static_cast<uint8_t>(share * kMost + 0.5F); };
  if (picked) *color = Color{part(parts[0]), part(parts[1]), part(parts[2])};
  return picked;
}

// Its six digits. What is none stays as it was typed, so that it can be put right, and is refused.
bool TypeColor(Typed& typed, Color* color) {
  const bool is_typing = ImGui::GetActiveID() == ImGui::GetID("##hex");
  const bool is_color = ColorFromHex(typed.data()).ok() || typed[0] == 0;
  if (!is_typing && is_color) Write(*color, typed);
  ImGui::SetNextItemWidth(-1);
  const bool edited = TextField("##hex", "2fb6a0", typed,
                                ImGuiInputTextFlags_CharsNoBlank | ImGuiInputTextFlags_AutoSelectAll);
  const Result<Color> now = ColorFromHex(typed.data());
  if (now) Tooltip("Six hexadecimal digits: two of red, two of green, two of blue.");
  if (!is_typing && !now) PutWrapped(Colored(SmallMuted(), Colors().bad), now.error().message);
  if (edited && now) *color = *now;
  return edited && now;
}

void ColorRow(size_t index, OwnColors& own, Typed& typed) {
  const std::string name(events::NameOf(static_cast<events::Category>(index)));
  Color color = own[index].value_or(Colors().categories[index]);
  ImGui::PushID(name.c_str());
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  Put(Words(), name);
  MarkTerms(ImGui::GetItemRectMin(), Words(), name);
  ImGui::TableNextColumn();
  if (PickColor(&color)) {
    own[index] = color;
    Write(color, typed);
  }
  ImGui::TableNextColumn();
  if (TypeColor(typed, &color)) own[index] = color;
  ImGui::TableNextColumn();
  ImGui::BeginDisabled(!own[index] && ColorFromHex(typed.data()).ok());
  if (PlainButton("Reset")) {
    own[index].reset();
    typed.fill(0);
  }
  ImGui::EndDisabled();
  ImGui::PopID();
}

// Nobody needs to have such eyes to choose for those who do.
void NameAlike() {
  for (const AlikeCategories& alike : FindAlikeCategories(Colors())) {
    std::string with;
    for (const Sight sight : alike.to) with += (with.empty() ? "" : ", ") + std::string(NameOf(sight));
    PutWrapped(Colored(SmallMuted(), Colors().warning),
               fmt::format("{} and {} look alike with {}.", events::NameOf(alike.first),
                           events::NameOf(alike.second), with));
  }
}

}  // namespace

void DrawColorsWindow(OwnColors& own, ColorsWindowState& state) {
  if (BeginOwnWindow("Colours", {430, 500}, &state.open)) {
    PutWrapped(MutedWords(),
               "What a block holds has one colour, in every panel. Those that it begins with are told apart "
               "with any kind of colour blindness.");
    if (ImGui::BeginTable("colors", 4)) {
      ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("swatch", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("digits", ImGuiTableColumnFlags_WidthStretch);
      ImGui::TableSetupColumn("reset", ImGuiTableColumnFlags_WidthFixed);
      for (size_t index = 0; index < own.size(); ++index) ColorRow(index, own, state.typed[index]);
      ImGui::EndTable();
    }
    NameAlike();
    ImGui::BeginDisabled(std::ranges::none_of(own, [](const auto& color) { return color.has_value(); }));
    if (PlainButton("Reset all colours", {ImGui::GetContentRegionAvail().x, Px(32)})) {
      own.fill({});
      state.typed.fill({});
    }
    ImGui::EndDisabled();
  }
  ImGui::End();
}

}  // namespace tidemark::gui
