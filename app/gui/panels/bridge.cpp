#include "app/gui/panels/bridge.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "app/gui/panels/lesson_text.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/presenters/moment/signed_bytes.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::BridgeStep;

constexpr float kRow = 27;
constexpr float kLeastRow = 19;
constexpr int64_t kFarAbove = 3;  // times all else: a card that others fill would leave no room for the rest
constexpr double kBeyond = 1.3;   // of the highest that is to scale, where the axis ends then
constexpr float kLine = 17;
constexpr float kGaps = 24;  // around bars
constexpr float kLeastBars = 40;
constexpr float kLeastNames = 60;

struct BridgeScale {
  float left = 0;  // of the bars
  float width = 0;
  float row = 0;  // its height
  int64_t most_bytes = 1;

  float X(int64_t bytes) const {
    const double share = static_cast<double>(bytes) / static_cast<double>(most_bytes);
    return left + width * static_cast<float>(std::min(share, 1.0));
  }
};

bool IsLevel(const BridgeStep& step) { return step.kind == BridgeStep::Kind::kLevel; }

Color ColorOf(const BridgeStep& step) {
  if (IsLevel(step)) return Colors().dark ? Rgb(0x7B8796) : Rgb(0x8A95A4);
  return step.category ? Colors().Of(*step.category) : Colors().muted;
}

std::string FigureOf(const BridgeStep& step, ByteUnit unit) {
  if (IsLevel(step)) return FormatInUnit(step.bytes, unit);
  return (step.bytes < 0 ? "−" : "+") + FormatInUnit(SaturatingMagnitude(step.bytes), unit);
}

// Of what is selected: in a change's category, and in all of what is allocated.
int64_t SelectedIn(const BridgeInput& input, const BridgeStep& step) {
  if (input.selected_bytes == nullptr) return 0;
  if (step.category) return (*input.selected_bytes)[static_cast<size_t>(*step.category)];
  if (step.behind != BridgeStep::Behind::kAllBlocks) return 0;
  return std::accumulate(input.selected_bytes->begin(), input.selected_bytes->end(), int64_t{0},
                         SaturatingSum);
}

// A long name takes more lines than one.
float StepHeight(float row, size_t lines) {
  return std::max(row, Px(kLine) * static_cast<float>(lines) + Px(2));
}

TextStyle LabelStyle(const BridgeStep& step) { return IsLevel(step) ? StrongWords() : MutedWords(); }
TextStyle FigureStyle(const BridgeStep& step) { return IsLevel(step) ? StrongWords() : Numbers(); }

// What a click on a step shows, and what its tooltip says of that.
struct WhatIsBehind {
  std::optional<Command> command;
  const char* help = "";
};

WhatIsBehind Behind(const BridgeStep& step) {
  using presenters::MapPart;
  switch (step.behind) {
    case BridgeStep::Behind::kLayers:
      return {ShowPanel{"layers", true}, "Click: show it layer by layer."};
    case BridgeStep::Behind::kCategory:
      return {ListAllocations{presenters::CategorySelected(*step.category)},
              "Click: list the allocations behind it."};
    case BridgeStep::Behind::kAllBlocks:
      return {ListAllocations{}, "Click: list all that is alive."};
    case BridgeStep::Behind::kRounding:
      return {ShowOnMap{MapPart::kRounding}, "Click: show on the memory map which blocks were rounded up."};
    case BridgeStep::Behind::kFree:
      return {ShowOnMap{MapPart::kFree}, "Click: show on the memory map what lies free."};
    case BridgeStep::Behind::kSegments:
      return {ShowOnMap{MapPart::kSegments}, "Click: show the segments on the memory map."};
    case BridgeStep::Behind::kOnlyTheSum:
      break;
  }
  return {std::nullopt, "Only the sum is told, by CUPTI or the driver: there is no list behind it."};
}

// A click shows what is behind a step.
void DrawStep(const BridgeInput& input, const BridgeStep& step, const BridgeScale& scale, float label_width,
              CommandQueue& queue) {
  const ByteUnit unit = input.unit;
  const std::vector<std::string_view> lines = WrappedLines(LabelStyle(step), step.name, label_width);
  const float height = StepHeight(scale.row, lines.size());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool clicked = ImGui::InvisibleButton(step.name.c_str(), {width, height});
  const WhatIsBehind behind = Behind(step);
  if (clicked && behind.command) queue.Push(*behind.command);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const int64_t selected = SelectedIn(input, step);
  const bool lit = selected > 0 ||
                   (step.category && input.selected != nullptr && input.selected->category == step.category);
  if (ImGui::IsItemHovered() || lit) {
    list->AddRectFilled({at.x - Px(6), at.y}, {at.x + width + Px(6), at.y + height},
                        U32(Colors().raised.WithAlpha(0.5)), Px(4));
  }
  const std::string meanings = MeaningsIn(step.name);
  const char* const sign = step.kind == BridgeStep::Kind::kLevel ? "" : step.bytes < 0 ? "−" : "+";
  TooltipAside(step.sentence + "\n" + sign + FormatExactBytes(SaturatingMagnitude(step.bytes)) +
               (selected > 0
                    ? "\n" + input.selected->title + " has " + FormatExactBytes(selected) +
                          (step.category ? " in " + std::string(events::NameOf(*step.category)) : "") + "."
                    : "") +
               "\n" + behind.help + (meanings.empty() ? "" : "\n" + meanings));
  float y = at.y + (height - Px(kLine) * static_cast<float>(lines.size())) / 2;
  for (const std::string_view line : lines) {
    DrawText(list, {scale.left - Px(12), y}, LabelStyle(step), line, Align::kRight);
    MarkTermsOfLine({scale.left - Px(12) - Measure(LabelStyle(step), line).x, y}, LabelStyle(step), step.name,
                    line, TermHint::kNone);
    y += Px(kLine);
  }
  const int64_t begin = IsLevel(step) ? 0 : step.from_bytes;
  const int64_t end = SaturatingSum(begin, step.bytes);
  const float x0 = scale.X(std::min(begin, end));
  const float x1 = std::max(scale.X(std::max(begin, end)), x0 + Px(2));
  const float middle = at.y + height / 2;
  const float half = scale.row * 0.31F;
  list->AddRectFilled({x0, middle - half}, {x1, middle + half}, U32(ColorOf(step)),
                      x1 - x0 > Px(6) ? Px(3) : 0);
  if (end > scale.most_bytes) {  // cut: the bar is not to scale
    const float cut = x1 - Px(18);
    list->AddQuadFilled({cut, middle + half}, {cut + Px(6), middle - half}, {cut + Px(10), middle - half},
                        {cut + Px(4), middle + half}, U32(Colors().panel));
  }
  // The share of what is selected, at the end of what is allocated.
  if (IsLevel(step) && selected > 0) {
    const float from = scale.X(std::max<int64_t>(0, SaturatingDifference(step.bytes, selected)));
    list->AddRectFilled({from, middle - half}, {x1, middle + half}, U32(Colors().accent), Px(3));
  }
  DrawText(list, {x1 + Px(8), middle - Px(kTextSize) / 2 - Px(1)}, FigureStyle(step), FigureOf(step, unit));
}

// Where the axis ends: at the highest, unless that is the card, and far above all else.
int64_t HighestOf(const std::vector<BridgeStep>& steps) {
  int64_t highest = 1;
  int64_t without_last = 1;
  for (const BridgeStep& step : steps) {
    const int64_t end = std::max(step.from_bytes, SaturatingSum(step.from_bytes, step.bytes));
    const bool is_last = IsLevel(step) && &step == &steps.back();
    highest = std::max(highest, end);
    if (!is_last && IsLevel(step)) without_last = std::max(without_last, end);
  }
  if (highest / kFarAbove <= without_last) return highest;
  return static_cast<int64_t>(kBeyond * static_cast<double>(without_last));
}

std::string QuestionFor(int64_t textbook, int64_t allocated, bool at_peak) {
  const std::string it = at_peak ? "the peak " : "this ";
  const double ratio = static_cast<double>(allocated) / static_cast<double>(std::max<int64_t>(1, textbook));
  if (ratio < 1.1) return "";
  static constexpr std::array kWords = {"",           "",           "twice",    "three times",
                                        "four times", "five times", "six times"};
  const int whole = static_cast<int>(std::min(ratio, 100.0) + 0.5);
  if (std::abs(ratio - whole) < 0.15 && whole >= 2 && whole < static_cast<int>(kWords.size())) {
    return "Why is " + it + kWords[static_cast<size_t>(whole)] + " the textbook's figure?";
  }
  char text[96];
  std::snprintf(text, sizeof text, "Why is %s%.1f times the textbook's figure?", it.c_str(), ratio);
  return text;
}

}  // namespace

float WidthOfNames(float longest, float figures, float room) {
  const float left_over = room - figures - Px(kGaps + kLeastBars);
  return std::min({longest, room * 0.42F, std::max(Px(kLeastNames), left_over)});
}

BridgeStory StoryOf(const presenters::Bridge& bridge, ByteUnit unit, bool at_peak) {
  BridgeStory story;
  if (!bridge.untold.empty()) return {"What lies between?", bridge.untold};
  std::vector<const BridgeStep*> reasons;
  std::vector<int64_t> levels;
  for (const BridgeStep& step : bridge.steps) {
    if (IsLevel(step)) levels.push_back(step.bytes);
    if (!IsLevel(step) && step.category && step.bytes > 0) reasons.push_back(&step);
  }
  if (levels.size() < 2 || reasons.empty()) return story;
  story.question = QuestionFor(levels[0], levels[1], at_peak);
  if (story.question.empty()) return story;
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const BridgeStep* a, const BridgeStep* b) { return a->bytes > b->bytes; });
  for (size_t i = 0; i < std::min<size_t>(2, reasons.size()); ++i) {
    if (!story.answer.empty()) story.answer += "\n";
    story.answer += presenters::SignedBytes(reasons[i]->bytes, unit) + ": " + reasons[i]->sentence;
  }
  return story;
}

namespace {

using Lines = std::span<const std::string>;

std::vector<std::string> LinesOf(const std::string& answer) {
  std::vector<std::string> lines;
  for (const auto line : std::views::split(answer, '\n')) lines.emplace_back(line.begin(), line.end());
  return lines;
}

// Around what is told in a box.
struct BoxPadding {
  float x = 0;
  float y = 0;
};
BoxPadding PaddingOf(bool boxed) { return boxed ? BoxPadding{Px(14), Px(12)} : BoxPadding{}; }

// How a story is told in the room that rows leave.
struct Telling {
  size_t reasons = 0;  // of the answer's: never the question alone
  bool boxed = false;
};

float HeightOf(const std::string& question, Lines answer, const Telling& telling, float width) {
  const BoxPadding padding = PaddingOf(telling.boxed);
  width -= 2 * padding.x;
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  float height = ExplainedHeight(question, StrongWords(), width) + 2 * padding.y + Px(4) + gap;
  for (const std::string& line : answer.first(telling.reasons))
    height += gap + ExplainedHeight(line, MutedWords(), width);
  return height;
}

// Rows and the story below them share the panel: rows are as high as they may be, but the story is told whole
// before, in a box; then without one, then without the smaller reason. Where there is no room for the larger
// all of it is scrolled.
struct BridgeLayout {
  float labels = 0;   // their width
  float figures = 0;  // likewise
  float row = 0;
  Telling telling;
  bool fits = true;  // nothing has to be scrolled
};

BridgeLayout LayoutOf(const BridgeInput& input, const std::string& question, Lines answer, ImVec2 room) {
  const std::vector<BridgeStep>& steps = input.bridge->steps;
  BridgeLayout layout;
  for (const BridgeStep& step : steps)
    layout.labels = std::max(layout.labels, Measure(LabelStyle(step), step.name).x);
  for (const BridgeStep& step : steps)
    layout.figures = std::max(layout.figures, Measure(FigureStyle(step), FigureOf(step, input.unit)).x);
  layout.labels = WidthOfNames(layout.labels + Px(1), layout.figures, room.x);
  std::vector<size_t> lines;
  for (const BridgeStep& step : steps)
    lines.push_back(WrappedLines(LabelStyle(step), step.name, layout.labels).size());
  const auto rows_height = [&](float row) {
    float height = 0;
    for (const size_t count : lines) height += StepHeight(row, count);
    return height;
  };
  layout.row = Px(kLeastRow);
  const auto fits_with = [&](const Telling& telling) {
    const float story = question.empty() ? 0 : HeightOf(question, answer, telling, room.x);
    if (rows_height(layout.row) + story > room.y) return false;
    while (layout.row < Px(kRow) && rows_height(layout.row + 1) + story <= room.y) ++layout.row;
    layout.telling = telling;
    return true;
  };
  for (size_t told = std::max<size_t>(1, answer.size()); told > 0; --told) {
    if (fits_with({told, true}) || fits_with({told, false})) return layout;
  }
  layout.telling = {answer.size(), false};
  layout.fits = false;
  return layout;
}

void DrawSteps(const BridgeInput& input, const BridgeLayout& layout, CommandQueue& queue) {
  const std::vector<BridgeStep>& steps = input.bridge->steps;
  const float room = ImGui::GetContentRegionAvail().x;
  BridgeScale scale;
  scale.most_bytes = HighestOf(steps);
  scale.row = layout.row;
  scale.left = ImGui::GetCursorScreenPos().x + layout.labels + Px(12);
  scale.width = std::max(Px(40), room - layout.labels - layout.figures - Px(kGaps));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (const BridgeStep& step : steps) DrawStep(input, step, scale, layout.labels, queue);
  ImGui::PopStyleVar();
}

void DrawTold(const std::string& question, Lines answer, bool boxed, const lessons::Glossary* glossary) {
  const BoxPadding padding = PaddingOf(boxed);
  ImGui::Dummy({0, Px(4)});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, U32(Colors().sunken.WithAlpha(boxed ? 1 : 0)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding.x, padding.y));
  if (ImGui::BeginChild("why", {0, 0},
                        ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding)) {
    PutExplained(question, StrongWords(), glossary);
    for (const std::string& line : answer) PutExplained(line, MutedWords(), glossary);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

// Why the peak is not the textbook's figure; what would be cut is told under the mouse.
void DrawStory(const BridgeStory& story, Lines answer, const Telling& telling,
               const lessons::Glossary* glossary) {
  if (story.question.empty()) return;
  DrawTold(story.question, answer.first(telling.reasons), telling.boxed, glossary);
  if (telling.reasons < answer.size()) Tooltip(story.answer);
}

}  // namespace

void DrawBridgePanel(const BridgeInput& input, BridgeState&, CommandQueue& queue) {
  const std::string moment = input.bridge->moment.empty() ? "textbook → device" : input.bridge->moment;
  PanelTitle("The bridge",
             std::string(UnitName(input.unit)) + " · " + (input.predicted ? "phantom, " : "") + moment);
  if (input.bridge->steps.empty()) {
    EmptyReason(input.empty_reason);
    return;
  }
  const BridgeStory story = StoryOf(*input.bridge, input.unit, input.at_peak);
  const std::vector<std::string> answer = LinesOf(story.answer);
  const BridgeLayout layout = LayoutOf(input, story.question, answer, ImGui::GetContentRegionAvail());
  // A bar that came while it did not fit yet would take the width in which it does.
  if (BeginScrolled("steps", {0, 0}, layout.fits ? Scrolled::kNever : Scrolled::kAsNeeded)) {
    DrawSteps(input, layout, queue);
    DrawStory(story, answer, layout.telling, input.glossary);
  }
  EndScrolled();
}

}  // namespace tidemark::gui
