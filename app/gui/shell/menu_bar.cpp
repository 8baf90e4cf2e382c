#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/gui/shell/shell_parts.h"
#include "app/gui/view/panel_table.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/translation.h"
#include "app/gui/window/opaque_fill.h"

namespace tidemark::gui {
namespace {

bool IsChecked(ActionId action, const ViewState& view) {
  switch (action) {
    case ActionId::kFollow:
      return view.timeline.follow;
    case ActionId::kPanelTabs:
      return view.panel_tabs;
    case ActionId::kRankStrip:
      return view.rank_strip;
    case ActionId::kOwnTime:
      return view.own_time;
    default:
      return false;
  }
}

// What was opened last.
void DrawRecentItems(const std::vector<Opening>& recent, CommandQueue& queue) {
  if (!ImGui::BeginMenuEx(TranslatedLabel("Open recent").c_str(), icons::kOpen, !recent.empty())) return;
  for (size_t i = 0; i < recent.size(); ++i) {
    const std::string label =
        WholeLabel(TitleOf(recent[i])) + fmt::format("##{}", i);  // one name in several folders
    if (ImGui::MenuItemEx(label.c_str(), "")) queue.Push(ToOpen(recent[i]));
    Tooltip(WhereIs(recent[i]));
  }
  ImGui::Separator();
  if (ImGui::MenuItemEx(TranslatedLabel("Clear this list").c_str(), icons::kClose))
    queue.Push(ForgetRecent{});
  ImGui::EndMenu();
}

// `what_to_do` with one.
template <typename WhatToDo>
void DrawSampleItems(const char* label, bool enabled, const std::vector<trace::Sample>& samples,
                     WhatToDo what_to_do, CommandQueue& queue) {
  if (!ImGui::BeginMenuEx(TranslatedLabel(label).c_str(), icons::kOpen, enabled && !samples.empty())) return;
  for (const trace::Sample& sample : samples) {
    if (ImGui::MenuItemEx(WholeLabel(sample.title).c_str(), "")) queue.Push(what_to_do(sample.file));
    Tooltip(sample.description);
  }
  ImGui::EndMenu();
}

// The lists of files behind the item that opens or compares with one.
void DrawFileItems(ActionId action, const ShellInput& input, const ViewState& view, CommandQueue& queue) {
  using std::filesystem::path;
  const bool enabled = IsEnabled(action, input);
  if (action == ActionId::kOpen) {
    DrawRecentItems(view.recent, queue);
    DrawSampleItems(
        "Samples", enabled, *input.samples, [](const path& file) { return OpenRecording{file}; }, queue);
  }
  if (action == ActionId::kCompareWith) {
    DrawSampleItems(
        "Compare with a sample", enabled, *input.samples, [](const path& file) { return CompareWith{file}; },
        queue);
  }
}

void DrawItems(Menu menu, const ShellInput& input, const ViewState& view, CommandQueue& queue) {
  for (const Action& action : Actions()) {
    if (action.menu != menu) continue;
    if (action.rule_before) ImGui::Separator();
    if (ImGui::MenuItemEx(TranslatedLabel(action.label).c_str(), action.icon, action.keys,
                          IsChecked(action.id, view), IsEnabled(action.id, input)))
      queue.Push(action.id);
    Tooltip(action.help);
    DrawFileItems(action.id, input, view, queue);
  }
}

// By their numbers, as people call them.
void DrawLessonItems(const ShellInput& input, const LessonsState& state, CommandQueue& queue) {
  for (size_t i = 0; i < input.lessons->size(); ++i) {
    const lessons::Lesson& lesson = (*input.lessons)[i];
    const std::string read = fmt::format("{}/{}", PagesRead(lesson, state), lesson.pages.size());
    if (ImGui::MenuItemEx(fmt::format("{}. {}", i + 1, WholeLabel(lesson.title)).c_str(), "", read.c_str(),
                          lesson.name == state.lesson))
      queue.Push(ShowLessonPage{lesson.name, PageToOpen(lesson, state)});
    Tooltip(lessons::PlainTextOf(lesson.summary));
  }
  if (!input.lessons->empty()) ImGui::Separator();
}

void DrawPanelItems(const Frame& frame, const ViewState& view, CommandQueue& queue) {
  if (!ImGui::BeginMenuEx(TranslatedLabel("Panels").c_str(), icons::kLayout)) return;
  for (size_t i = 0; i < Panels().size(); ++i) {
    const Panel& panel = Panels()[i];
    if (ImGui::MenuItemEx(TranslatedLabel(LabelOf(panel, frame)).c_str(), panel.icon, nullptr, view.shown[i]))
      queue.Push(ShowPanel{panel.name, !view.shown[i]});
    Tooltip(panel.help);
  }
  ImGui::EndMenu();
}

// For a screen that does not say how fine it is, and for eyes that want another size.
void DrawScaleItems(const ViewState& view, CommandQueue& queue) {
  if (!ImGui::BeginMenuEx(TranslatedLabel("Scale").c_str(), icons::kLarger)) return;
  for (const int percent : {75, 100, 125, 150, 175, 200, 250, 300}) {
    const float scale = static_cast<float>(percent) / 100;
    const bool chosen = std::abs(view.scale - scale) < 0.005F;
    if (ImGui::MenuItemEx(fmt::format("{} %", percent).c_str(), "", nullptr, chosen))
      queue.Push(ChooseScale{scale});
    Tooltip("Of what the screen says its scale is. Kept for the next start; tidemark --scale does the same.");
  }
  ImGui::EndMenu();
}

void DrawSearchButton(float left, float right, float height, CommandQueue& queue) {
  const float width = std::min(Px(360), right - left);
  if (width < Px(40)) return;
  const float middle = ImGui::GetMainViewport()->GetCenter().x;
  const float x = std::clamp(middle - width / 2, left, right - width);
  const float inset = Px(8);
  const ImVec2 at(x, ImGui::GetWindowPos().y + inset);
  ImGui::SetCursorScreenPos(at);
  const ImVec2 size(width, height - 2 * inset);
  if (ImGui::InvisibleButton("search commands", size)) queue.Push(ActionId::kPalette);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, at + size, U32(ImGui::IsItemHovered() ? Colors().hovered : Colors().raised), Px(7));
  const float y = at.y + (size.y - Px(kSmallTextSize)) / 2 - Px(1);
  // A narrow one says less.
  for (const char* words : {"   Search commands    Ctrl K", "   Ctrl K", ""}) {
    const std::string text = std::string(icons::kSearch) + words;
    if (*words != '\0' && Measure(SmallMuted(), text).x > width - Px(16)) continue;
    return DrawText(list, {x + width / 2, y}, SmallMuted(), text, Align::kCenter);
  }
}

// Of the state of the run in its pill, and of the device behind it.
float StatusWidth(const ShellInput& input) {
  return Measure({Faces().strong, kTextSize, {}}, input.status).x + Px(40);
}
float DeviceWidth(const ShellInput& input) { return Measure(MutedWords(), input.device).x + Px(20); }

// Returns the pill's left edge. Where it has no room behind `left` its lamp says what it would, and the
// mouse.
float DrawStatus(const ShellInput& input, bool names_device, float left, float right, float height) {
  const Palette& colors = Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool has_words = right - StatusWidth(input) >= left;
  const float width = has_words ? StatusWidth(input) : Px(32);
  if (right - width < left) return right;
  const float y = ImGui::GetWindowPos().y + (height - Px(kTextSize)) / 2 - Px(1);
  if (names_device) {
    DrawText(list, {right, y}, MutedWords(), input.device, Align::kRight);
    const ImVec2 from(right - Measure(MutedWords(), input.device).x, y);
    if (input.device_bytes > 0)
      TooltipOver(from, {right, y + Px(kTextSize)}, FormatExactBytes(input.device_bytes));
    right -= DeviceWidth(input);
  }
  const Color color = input.tone == StatusTone::kGood  ? colors.good
                      : input.tone == StatusTone::kBad ? colors.bad
                                                       : colors.muted;
  const Color fill = input.tone == StatusTone::kGood  ? colors.good_fill
                     : input.tone == StatusTone::kBad ? colors.bad_fill
                                                      : colors.raised;
  const TextStyle style{Faces().strong, kTextSize, color};
  const float half = Px(13);
  const float middle = ImGui::GetWindowPos().y + height / 2;
  list->AddRectFilled({right - width, middle - half}, {right, middle + half}, U32(fill), half);
  list->AddCircleFilled({right - width + Px(16), middle}, Px(4.5F), U32(color));
  if (has_words) DrawText(list, {right - width + Px(27), y}, style, input.status);
  const std::string words(Translated(input.status));
  if (!names_device)
    TooltipOver({right - width, middle - half}, {right, middle + half}, JoinedFacts({words, input.device}));
  return right - width;
}

}  // namespace

BarRoom DrawMenuBar(const ShellInput& input, const Frame& frame, bool is_wanted, const ViewState& view,
                    CommandQueue& queue) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(Px(10), Px(13)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_MenuBarBg, IM_COL32_BLACK_TRANS);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32_BLACK_TRANS);
  const bool open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
  if (!open) return {};
  const ImGuiWindow* bar = ImGui::GetCurrentWindow();
  if (Colors().dark) FillOpaque(bar->DrawList, bar->Rect(), Colors().panel);  // else as each frame begins
  const float height = ImGui::GetWindowHeight();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(Px(18), Px(8)));
  ImGui::SetCursorPosX(Px(20));
  ImGui::AlignTextToFramePadding();
  Put(Colored({Faces().strong, 17, {}}, Colors().text), "Tidemark");
  static constexpr std::pair<const char*, Menu> kMenus[] = {
      {"File", Menu::kFile},       {"Run", Menu::kRun},     {"View", Menu::kView},
      {"Compare", Menu::kCompare}, {"Learn", Menu::kLearn}, {"Help", Menu::kHelp}};
  for (const auto& [label, menu] : kMenus) {
    if (!ImGui::BeginMenu(TranslatedLabel(label).c_str())) continue;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(Px(18), Px(9)));
    if (menu == Menu::kLearn) DrawLessonItems(input, view.lessons, queue);
    DrawItems(menu, input, view, queue);
    if (menu == Menu::kView) {
      ImGui::Separator();
      DrawScaleItems(view, queue);
      DrawPanelItems(frame, view, queue);
    }
    ImGui::PopStyleVar();
    ImGui::EndMenu();
  }
  float left = ImGui::GetCursorScreenPos().x;
  if (view.own_time) {
    char text[96];
    std::snprintf(text, sizeof text, "own time p95 %.2f ms", input.own_p95_seconds * 1e3);
    DrawText(ImGui::GetWindowDrawList(),
             {left, ImGui::GetWindowPos().y + (height - Px(kSmallTextSize)) / 2 - Px(1)}, SmallMuted(), text);
    left += Measure(SmallMuted(), text).x + Px(16);
  }
  // What is told for a while comes before the device, which the controls name as well.
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - Px(20);
  const float small = left + Px(44);
  const float after_words = end - DeviceWidth(input) - StatusWidth(input) - Px(16);
  const bool names_device = is_wanted ? after_words - (small + Px(12)) >= Px(300) : after_words >= left;
  const float right = DrawStatus(input, names_device, left, end, height);
  BarRoom room{left, right - Px(16), height};
  DrawSearchButton(room.left, is_wanted ? std::min(small, room.right) : room.right, height, queue);
  room.left = small + Px(12);
  ImGui::PopStyleVar();
  ImGui::EndMainMenuBar();
  return room;
}

}  // namespace tidemark::gui
