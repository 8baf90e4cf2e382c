#include "app/gui/panels/run_log.h"

#include <imgui_internal.h>

#include <array>
#include <ctime>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "profiler/base/format.h"

namespace tidemark::gui {
namespace {

Color ColorOf(presenters::LogLevel level) {
  switch (level) {
    case presenters::LogLevel::kGood:
      return Colors().good;
    case presenters::LogLevel::kWarning:
      return Colors().warning;
    case presenters::LogLevel::kError:
      return Colors().bad;
    case presenters::LogLevel::kInfo:
      break;
  }
  return Colors().text;
}

std::string ClockText(int64_t time_ns) {
  const std::time_t seconds = time_ns / 1'000'000'000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

}  // namespace

void DrawRunLogPanel(const RunLogInput& input, RunLogState& state, CommandQueue&) {
  PanelTitle("Run log", FormatNumber(static_cast<int64_t>(input.lines->size())) +
                            (input.lines->size() == 1 ? " line" : " lines"));
  if (input.lines->empty()) {
    EmptyReason("Nothing has happened yet. Changes, failures and a line per epoch will be listed here.");
    return;
  }
  if (ImGui::BeginChild("lines")) {
    const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(input.lines->size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const presenters::LogLine& line = (*input.lines)[static_cast<size_t>(i)];
        Put(MutedNumbers(), ClockText(line.time_ns));
        ImGui::SameLine(0, Px(14));
        Put(Colored(Words(), ColorOf(line.level)), line.text);
        if (ImGui::IsItemHovered()) {
          ImGui::SetKeyOwner(ImGuiKey_MouseRight, ImGui::GetID("copies a line"));  // and no menu opens
          if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) ImGui::SetClipboardText(line.text.c_str());
        }
        if (ImGui::IsItemHovered() &&
            ImGui::CalcTextSize(line.text.c_str()).x > ImGui::GetContentRegionAvail().x)
          Tooltip(line.text);
      }
    }
    if (at_end && state.lines_drawn != input.lines->size()) ImGui::SetScrollHereY(1.0F);
    state.lines_drawn = input.lines->size();
  }
  ImGui::EndChild();
}

}  // namespace tidemark::gui
