#include "app/gui/panels/run_log.h"

#include <imgui_internal.h>

#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/translation.h"
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

constexpr float kAfterClock = 14;

std::string ClockText(int64_t time_ns) {
  const std::time_t seconds = time_ns / 1'000'000'000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

void DrawRow(const RunLogRow& row, const presenters::LogLine& line, float words_at) {
  if (row.begins) {
    Put(MutedNumbers(), ClockText(line.time_ns));
    ImGui::SameLine(words_at);
  } else {
    ImGui::SetCursorPosX(words_at);
  }
  Put(Colored(Words(), ColorOf(line.level)), row.text);
  if (!ImGui::IsItemHovered()) return;
  ImGui::SetKeyOwner(ImGuiKey_MouseRight, ImGui::GetID("copies a line"));  // and no menu opens
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) ImGui::SetClipboardText(line.text.c_str());
}

bool IsSame(const presenters::LogLine& one, const presenters::LogLine& other) {
  return one.time_ns == other.time_ns && one.level == other.level && one.text == other.text;
}

}  // namespace

const std::vector<RunLogRow>& RunLogRows::Of(const std::vector<presenters::LogLine>& lines, float width) {
  const float text_size = Pixels(Words());
  const bool go_on = width == width_ && text_size == text_size_ && lines_ <= lines.size() &&
                     (lines_ == 0 || IsSame(lines[lines_ - 1], last_));
  if (!go_on) {
    lines_ = 0;
    rows_.clear();
  }
  for (; lines_ < lines.size(); ++lines_) {
    bool begins = true;
    for (const std::string_view text : WrappedLines(Words(), Translated(lines[lines_].text), width))
      rows_.push_back({lines_, std::string(text), std::exchange(begins, false)});
  }
  width_ = width;
  text_size_ = text_size;
  if (!lines.empty()) last_ = lines.back();
  return rows_;
}

void DrawRunLogPanel(const RunLogInput& input, RunLogState& state, CommandQueue&) {
  PanelTitle("Run log", FormatNumber(static_cast<int64_t>(input.lines->size())) +
                            (input.lines->size() == 1 ? " line" : " lines"));
  if (input.lines->empty()) {
    EmptyReason("Nothing has happened yet. Changes, failures and a line per epoch will be listed here.");
    return;
  }
  if (ImGui::BeginChild("lines")) {
    const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
    const float words_at = Measure(MutedNumbers(), ClockText(0)).x + Px(kAfterClock);
    const std::vector<RunLogRow>& rows =
        state.rows.Of(*input.lines, ImGui::GetContentRegionAvail().x - words_at);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const RunLogRow& row = rows[static_cast<size_t>(i)];
        DrawRow(row, (*input.lines)[row.line], words_at);
      }
    }
    if (at_end && state.rows_drawn != rows.size()) ImGui::SetScrollHereY(1.0F);
    state.rows_drawn = rows.size();
  }
  ImGui::EndChild();
}

}  // namespace tidemark::gui
