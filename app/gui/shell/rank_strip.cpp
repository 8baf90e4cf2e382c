#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"

namespace tidemark::gui {
namespace {

using presenters::RankBar;
using presenters::RankStrip;

constexpr float kRanksHeight = 112;

std::string StepTitle(std::optional<int64_t> step) {
  return step ? "in step " + FormatNumber(*step) : std::string("of the whole run");
}

void ChooseRankStep(const OpenedRanks& ranks, CommandQueue& queue) {
  if (!BeginChoiceAlone("##rank step", "Peaks " + StepTitle(ranks.strip().step), Px(210))) return;
  const auto item = [&](std::optional<int64_t> step) {
    if (Choice(StepTitle(step), step == ranks.strip().step)) queue.Push(CompareRanksAt{step});
  };
  item(std::nullopt);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(ranks.steps().size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      item(ranks.steps()[static_cast<size_t>(i)]);
  }
  ImGui::EndCombo();
}

bool AllAlike(const RankStrip& strip) {
  return strip.largest && strip.bars[*strip.largest].allocated == strip.bars[*strip.smallest].allocated;
}

Color ColorOfBar(const RankStrip& strip, size_t index) {
  if (AllAlike(strip)) return Colors().accent_fill;
  if (index == strip.odd) return Colors().bad;
  if (index == strip.largest) return Colors().warning;
  if (index == strip.smallest) return Colors().good;
  return Colors().accent_fill;
}

void RankButton(const char* title, const RanksLine& ranks, std::optional<size_t> index, CommandQueue& queue) {
  ImGui::SameLine();
  if (!index) {
    ImGui::AlignTextToFramePadding();
    Put(MutedWords(), std::string(title) + ": none");
    return;
  }
  const RankStrip& strip = ranks.opened->strip();
  const RankBar& bar = strip.bars[*index];
  const float row = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(row + ImGui::GetStyle().FramePadding.y);
  Lamp(ColorOfBar(strip, *index));
  ImGui::SameLine();
  ImGui::SetCursorPosY(row);
  const std::string label =
      fmt::format("{}: {}, {}###{}", title, bar.name, FormatBytes(bar.allocated, ranks.unit), title);
  if (PlainButton(label.c_str())) queue.Push(OpenRank{bar.rank});
  const std::string against = presenters::AgainstOthers(strip, bar);
  Tooltip(against + (against.empty() ? "" : ". ") + "Click to open it.");
}

void DrawExtremes(const RanksLine& ranks, CommandQueue& queue) {
  const RankStrip& strip = ranks.opened->strip();
  if (AllAlike(strip)) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    return Put(MutedWords(), "all alike: " + FormatBytes(strip.median, ranks.unit) + " allocated");
  }
  RankButton("Largest", ranks, strip.largest, queue);
  RankButton("Smallest", ranks, strip.smallest, queue);
  RankButton("Odd one out", ranks, strip.odd, queue);
}

void DrawBar(ImDrawList* list, const ImRect& box, const RankStrip& strip, size_t index, bool shown) {
  const RankBar& bar = strip.bars[index];
  const double top = std::max<double>(1, static_cast<double>(strip.top));
  const auto y = [&](int64_t bytes) {
    return std::round(box.Max.y - box.GetHeight() * static_cast<float>(static_cast<double>(bytes) / top));
  };
  if (!bar.known) {
    list->AddLine({box.Min.x, box.Max.y - 1}, {box.Max.x, box.Max.y - 1}, U32(Colors().faint));
    return;
  }
  list->AddRectFilled({box.Min.x, y(bar.reserved)}, box.Max, U32(Colors().hovered));
  list->AddRectFilled({box.Min.x, y(bar.allocated)}, box.Max, U32(ColorOfBar(strip, index)));
  if (bar.out_of_memory || !bar.warning.empty())
    list->AddRectFilled(box.Min, {box.Max.x, box.Min.y + Px(3)},
                        U32(bar.out_of_memory ? Colors().bad : Colors().warning));
  if (shown)
    list->AddRectFilled({box.Min.x, box.Max.y + Px(2)}, {box.Max.x, box.Max.y + Px(5)}, U32(Colors().text));
}

// Where there is room for it, at the foot of its bar. A name longer than a number never has it.
void NumberBar(ImDrawList* list, const ImRect& box, const RankStrip& strip, size_t index) {
  const RankBar& bar = strip.bars[index];
  const std::string number = bar.name.substr(bar.name.rfind(' ') + 1);  // of a rank or a process
  const ImVec2 size = Measure(SmallMuted(), number);
  if (size.x + Px(4) > box.GetWidth()) return;
  const double top = std::max<double>(1, static_cast<double>(strip.top));
  const bool lies_on_bar =
      bar.known && box.GetHeight() * static_cast<float>(static_cast<double>(bar.allocated) / top) > size.y;
  const Color color = lies_on_bar ? TextOn(ColorOfBar(strip, index)) : Colors().text;
  DrawText(list, {box.GetCenter().x - size.x / 2, box.Max.y - size.y - Px(1)}, Colored(SmallMuted(), color),
           number);
}

std::string BarHelp(const RanksLine& ranks, size_t index) {
  const RankStrip& strip = ranks.opened->strip();
  const RankBar& bar = strip.bars[index];
  std::string text =
      session::AreRanks(*ranks.opened->ranks()) ? fmt::format("Rank {}\n", bar.rank) : bar.name + "\n";
  const std::string against = presenters::AgainstOthers(strip, bar);
  text += bar.known ? fmt::format("{} allocated{}, {} reserved", FormatExactBytes(bar.allocated),
                                  against.empty() ? "" : " (" + against + ")", FormatExactBytes(bar.reserved))
                    : "has no such step";
  if (bar.out_of_memory) text += "\nIt ran out of memory.";
  if (!bar.warning.empty()) text += "\n" + bar.warning;
  if (bar.times_survived > 0) text += "\nIts " + presenters::SurvivedText(bar.times_survived) + ".";
  const auto* file = ranks.opened->FileOf(index);
  return text +
         (file == nullptr ? "\nClick to show it." : "\n" + file->filename().string() + "\nClick to open it.");
}

// As many bars as there are ranks, and a gap for each that is missing; where they are narrower than a pixel,
// those that stand out lie on top.
void DrawBars(const RanksLine& ranks, CommandQueue& queue) {
  const RankStrip& strip = ranks.opened->strip();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetContentRegionAvail().y - Px(6));
  const float width = std::min(size.x / static_cast<float>(strip.places), Px(48));
  const float gap = width >= Px(4) ? std::min(Px(4), width / 4) : 0;
  const auto box = [&](size_t index) {
    const auto place = static_cast<float>(strip.bars[index].place);
    const float left = std::floor(at.x + width * place);
    const float right = std::floor(at.x + width * (place + 1) - gap);
    return ImRect(left, at.y, std::max(left + 1, right), at.y + size.y);
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto shown = ranks.opened->shown();
  for (size_t i = 0; i < strip.bars.size(); ++i) DrawBar(list, box(i), strip, i, i == shown);
  for (const auto& index : {shown, strip.smallest, strip.largest, strip.odd}) {
    if (index) DrawBar(list, box(*index), strip, *index, index == shown);
  }
  for (size_t i = 0; i < strip.bars.size(); ++i) NumberBar(list, box(i), strip, i);
  const bool clicked = ImGui::InvisibleButton("rank bars", size);
  if (!ImGui::IsItemHovered()) return;
  const auto place = static_cast<size_t>(std::max(0.0F, (ImGui::GetMousePos().x - at.x) / width));
  if (place >= strip.places) return;
  const auto bar = std::ranges::find(strip.bars, place, &RankBar::place);
  if (bar == strip.bars.end())
    return Tooltip(fmt::format("Rank {}\nThere is no recording of it that can be read.", place));
  const auto index = static_cast<size_t>(bar - strip.bars.begin());
  Tooltip(BarHelp(ranks, index));
  if (clicked) queue.Push(OpenRank{bar->rank});
}

}  // namespace

void DrawRanks(const RanksLine& ranks, CommandQueue& queue) {
  if (ranks.opened == nullptr) return;
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoMove;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, U32(Colors().panel));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(20), Px(8)));
  if (ImGui::BeginViewportSideBar("##ranks", ImGui::GetMainViewport(), ImGuiDir_Up, Px(kRanksHeight),
                                  kFlags)) {
    ImGui::AlignTextToFramePadding();
    Put(StrongWords(), session::CountOf(*ranks.opened->ranks()));
    ImGui::SameLine();
    ChooseRankStep(*ranks.opened, queue);
    DrawExtremes(ranks, queue);
    ImGui::SameLine(ImGui::GetWindowWidth() - Px(52));
    if (PlainButton((std::string(icons::kClose) + "###close ranks").c_str(), {Px(32), 0}))
      queue.Push(ActionId::kRankStrip);
    Tooltip("Hide this strip: View, Strip of ranks shows it again.");
    DrawBars(ranks, queue);
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace tidemark::gui
