#include "app/gui/panels/slow_motion.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <functional>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/allocations/blocks.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::gui {
namespace {

using presenters::BlockChange;
using presenters::Change;
using presenters::OperatorStop;
using timeline::LiveBlock;

constexpr float kStripHeight =
    44;  // at least; with room they grow, since most steps' code does not fill a panel
constexpr float kMostStripHeight = 150;
constexpr float kTowerHeight = 34;
constexpr float kMostTowerHeight = 90;
constexpr float kStripShare = 0.16F;
constexpr float kTowerShare = 0.1F;

const OperatorStop& StopOf(const SlowMotionInput& input) { return input.walk->stops[input.stop]; }

bool IconButton(const char* icon, const char* id, bool enabled, const char* help) {
  ImGui::BeginDisabled(!enabled);
  const bool pressed = PlainButton((std::string(icon) + "###" + id).c_str(), {Px(34), 0});
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) Tooltip(help);
  ImGui::SameLine(0, Px(6));
  return pressed;
}

void DrawHead(const SlowMotionInput& input, CommandQueue& queue) {
  const OperatorStop& stop = StopOf(input);
  const size_t last = input.walk->stops.size() - 1;
  if (IconButton(icons::kPrevious, "back", input.stop > 0, "The operator before (Shift+Space)"))
    queue.Push(ActionId::kPreviousOperator);
  if (IconButton(icons::kNext, "next", input.stop < last, "The next operator (Space)"))
    queue.Push(ActionId::kNextOperator);
  ImGui::AlignTextToFramePadding();
  Put(StrongWords(), presenters::TitleOf(*input.view, stop));
  ImGui::SameLine(0, Px(10));
  Put(MutedNumbers(), input.view->name(stop.op));
  const std::string after = FormatBytes(stop.bytes_after, input.unit);
  const std::string text = stop.bytes_highest > std::max(stop.bytes_before, stop.bytes_after)
                               ? fmt::format("{} → {} → {}", FormatBytes(stop.bytes_before, input.unit),
                                             FormatBytes(stop.bytes_highest, input.unit), after)
                               : fmt::format("{} → {}", FormatBytes(stop.bytes_before, input.unit), after);
  ImGui::SameLine();
  if (Measure(Numbers(), text).x < ImGui::GetContentRegionAvail().x) {
    PutAtRowEnd(Numbers(), text);
    if (ImGui::IsItemHovered()) Tooltip("Allocated before the operator, at its highest, and after it.");
  } else {
    ImGui::NewLine();
  }
}

// One column for each operator, as high as memory rises in it, or for as many as begin in the same pixel: as
// high as it rises in them, and then as after their last.
void DrawColumns(const SlowMotionInput& input, const ImRect& box) {
  const std::vector<OperatorStop>& stops = input.walk->stops;
  const float width = box.GetWidth() / static_cast<float>(stops.size());
  const double scale = box.GetHeight() / static_cast<double>(std::max<int64_t>(1, input.walk->bytes_highest));
  const double opaque = Colors().dark ? 1 : 1.5;  // on white its colours are pale
  const auto y = [&](int64_t bytes) {
    return box.Max.y - static_cast<float>(static_cast<double>(bytes) * scale);
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const presenters::StopColumn& column :
       presenters::ColumnsOf(stops, static_cast<size_t>(std::max(1.0F, box.GetWidth())))) {
    const float x0 = box.Min.x + width * static_cast<float>(column.first);
    const float x1 = box.Min.x + width * static_cast<float>(column.end);
    const float right = std::max(x0 + 1, x1 - (width > Px(4) ? Px(1) : 0));
    const Color color = Colors().Of(column.phase);
    const bool here = input.stop >= column.first && input.stop < column.end;
    list->AddRectFilled({x0, y(column.bytes_highest)}, {right, box.Max.y},
                        U32(color.WithAlpha((here ? 0.55 : 0.3) * opaque)));
    list->AddRectFilled({x0, y(column.bytes_after)}, {right, box.Max.y},
                        U32(color.WithAlpha(here ? 1.0 : 0.6 * opaque)));
  }
}

// A click or a drag goes to an operator.
void DrawStrip(const SlowMotionInput& input, float height, CommandQueue& queue) {
  const std::vector<OperatorStop>& stops = input.walk->stops;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, height);
  ImGui::InvisibleButton("operators", size);
  const float width = size.x / static_cast<float>(stops.size());
  const auto under = static_cast<size_t>(
      std::clamp((ImGui::GetIO().MousePos.x - at.x) / width, 0.0F, static_cast<float>(stops.size() - 1)));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, at + size, U32(Colors().sunken), Px(3));
  DrawColumns(input, {at, at + size});
  const float x = at.x + width * (static_cast<float>(input.stop) + 0.5F);
  const float half = std::max(width / 2, Px(2));
  list->AddRect({x - half, at.y}, {x + half, at.y + size.y}, U32(Colors().accent), Px(2), Px(1.5F));
  if (ImGui::IsItemActive() && under != input.stop) queue.Push(GoToOperator{under});
  if (ImGui::IsItemHovered()) {
    Tooltip(fmt::format("{}: {}", presenters::TitleOf(*input.view, stops[under]),
                        input.view->name(stops[under].op)));
  }
}

const BlockChange* ChangeOf(const SlowMotionInput& input, const LiveBlock& block) {
  for (const BlockChange& change : *input.changes) {
    if (change.address == block.address && change.change != Change::kBecomes) return &change;
  }
  return nullptr;
}

void DrawBlock(const LiveBlock& block, const BlockChange* change, const std::string& title,
               const ImRect& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Color color = Colors().Of(change != nullptr ? change->category : block.category);
  const bool goes = change != nullptr && change->change != Change::kComes;
  list->AddRectFilled(box.Min, box.Max, U32(color.WithAlpha(goes ? 0.35 : 1)), Px(2));
  if (change != nullptr)
    list->AddRect(box.Min, box.Max, U32(goes ? color : Colors().text), Px(2),
                  Px(change->change == Change::kComes ? 2.0F : 1.0F));
  const TextStyle style = Colored(SmallMuted(), goes ? Colors().text : TextOn(color));
  const float room = box.GetWidth() - Px(10);
  if (room < Px(40)) return;
  const float y = box.GetCenter().y - Pixels(style) / 2;
  DrawText(list, {box.Min.x + Px(5), y}, style, Fitted(style, title, room));
}

// Everything alive where the operator is highest, by birth, as wide as it is large: full at the step's peak.
void DrawTower(const SlowMotionInput& input, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, height);
  ImGui::InvisibleButton("alive", size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, at + size, U32(Colors().sunken), Px(3));
  const double scale = size.x / static_cast<double>(std::max<int64_t>(1, input.walk->bytes_highest));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  int64_t before = 0;
  for (const LiveBlock& block : timeline::CountedBlocks(*input.state)) {
    const float x0 = at.x + static_cast<float>(static_cast<double>(before) * scale);
    before = SaturatingSum(before, block.rounded_bytes);
    const float x1 = at.x + static_cast<float>(static_cast<double>(before) * scale);
    if (x1 - x0 < 0.5F) continue;
    const BlockChange* change = ChangeOf(input, block);
    const std::string title = change != nullptr ? change->title : presenters::BlockTitle(*input.view, block);
    const ImRect box(x0, at.y, std::max(x0 + 1, x1 - (x1 - x0 > Px(4) ? Px(1) : 0)), at.y + size.y);
    DrawBlock(block, change, title, box);
    const std::string shape(input.view->name(block.shape));
    if (ImGui::IsItemHovered() && box.Contains(mouse))
      Tooltip(title + (shape.empty() ? "" : " · " + shape) + " · " + FormatExactBytes(block.rounded_bytes));
  }
}

const char* WordOf(Change change) {
  switch (change) {
    case Change::kComes:
      return "comes";
    case Change::kPasses:
      return "comes and goes";
    case Change::kBecomes:
      return "becomes";
    case Change::kGoes:
      return "goes";
  }
  return "";
}

Color ColorOf(Change change) {
  return change == Change::kGoes      ? Colors().good
         : change == Change::kBecomes ? Colors().muted
                                      : Colors().accent;
}

void DrawChanges(const SlowMotionInput& input) {
  if (input.changes->empty()) {
    PutWrapped(MutedWords(), "No block comes or goes: it works in the memory that is there.");
    return;
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("changes", 3, kFlags)) return;
  // As wide as what stands in them: all else is the names' room.
  float words = 0;
  float sizes = 0;
  for (const BlockChange& change : *input.changes) {
    words = std::max(words, Measure(SmallMuted(), WordOf(change.change)).x);
    sizes = std::max(sizes, Measure(Numbers(), FormatBytes(change.bytes, input.unit)).x);
  }
  ImGui::TableSetupColumn("change", ImGuiTableColumnFlags_WidthFixed, words + Px(4));
  ImGui::TableSetupColumn("block", 0, 1);
  ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, sizes + Px(4));
  for (const BlockChange& change : *input.changes) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const float lower = Pixels(Words()) - Pixels(SmallMuted()) - Px(1);  // on one line with the words
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + lower);
    Put(Colored(SmallMuted(), ColorOf(change.change)), WordOf(change.change));
    ImGui::TableNextColumn();
    Swatch(Colors().Of(change.category));
    ImGui::SameLine(0, Px(6));
    const std::string text = change.title == change.role ? change.title : change.title + " · " + change.role;
    Put(Words(), Fitted(Words(), text, ImGui::GetContentRegionAvail().x));
    if (ImGui::IsItemHovered()) Tooltip(text);
    ImGui::TableNextColumn();
    PutRight(Numbers(), FormatBytes(change.bytes, input.unit));
    TellExactly(change.bytes);
  }
  ImGui::EndTable();
}

enum class Language : uint8_t { kPython, kCpp };

void DrawListing(const SlowMotionInput& input, Language language) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  Label(language == Language::kPython ? "Python" : "C++");
  ImGui::Dummy({0, Px(2)});
  const auto marked = [](const std::vector<size_t>& lines, size_t line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  for (size_t index = 0; index < input.code->size(); ++index) {
    const lessons::CodeLine& line = (*input.code)[index];
    const std::string& text = language == Language::kPython ? line.python : line.cpp;
    if (text.empty()) continue;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = Pixels(Numbers()) + Px(3);
    const bool runs = marked(input.place->lines, index);
    const bool forward = marked(input.place->forward, index);
    if (runs || forward) {
      ImDrawList* list = ImGui::GetWindowDrawList();
      list->AddRectFilled(at, {right, at.y + height}, U32(Colors().accent.WithAlpha(runs ? 0.25 : 0.1)),
                          Px(2));
      list->AddRectFilled(at, {at.x + Px(3), at.y + height}, U32(Colors().accent.WithAlpha(runs ? 1 : 0.5)));
    }
    const TextStyle style = runs || forward ? Numbers() : MutedNumbers();
    DrawText(ImGui::GetWindowDrawList(), {at.x + Px(8), at.y + Px(1)}, style,
             Fitted(style, text, right - at.x - Px(8)));
    ImGui::Dummy({right - at.x, height});
    const bool moved =
        runs && ImGui::GetStateStorage()->GetInt(ImGui::GetID("stop"), -1) != static_cast<int>(input.stop);
    if (moved && index == input.place->lines.front()) {
      ImGui::SetScrollHereY(0.5F);
      ImGui::GetStateStorage()->SetInt(ImGui::GetID("stop"), static_cast<int>(input.stop));
    }
    if (ImGui::IsItemHovered() && Measure(style, text).x > right - at.x - Px(8)) Tooltip(text);
  }
}

void DrawColumn(const char* id, float width, const std::function<void()>& draw) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(Px(6), 0));
  if (ImGui::BeginChild(id, {width, 0})) draw();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

// Of a program that is not ours there is no listing, but the lines that asked for memory.
void DrawStackAndChanges(const SlowMotionInput& input, float room, float gap) {
  if (!input.stack.empty() || !input.tells_lines) {
    DrawColumn("stack", (room - gap) / 2, [&] {
      Label("The lines that led here");
      input.tells_lines ? PutWrapped(MutedNumbers(), input.stack)
                        : PutWrapped(SmallMuted(), presenters::kHowToGetLines);
    });
    ImGui::SameLine(0, gap);
  }
  DrawColumn("blocks", 0, [&] {
    Label("What comes and goes");
    DrawChanges(input);
  });
}

void DrawCodeAndChanges(const SlowMotionInput& input, SlowMotionState& state) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float gap = Px(14);
  if (input.code->empty()) return DrawStackAndChanges(input, room, gap);
  const bool both = room > Px(900);
  const float column = both ? (room - 2 * gap) / 3 : (room - gap) / 2;
  for (const Language language : {Language::kPython, Language::kCpp}) {
    if (!both && state.cpp != (language == Language::kCpp)) continue;
    DrawColumn(language == Language::kPython ? "python" : "cpp", column,
               [&] { DrawListing(input, language); });
    ImGui::SameLine(0, gap);
  }
  DrawColumn("blocks", 0, [&] {
    Label("What comes and goes");
    DrawChanges(input);
    if (both) return;
    ImGui::Dummy({0, Px(6)});
    if (PlainButton(state.cpp ? "Show Python" : "Show C++")) state.cpp = !state.cpp;
  });
}

void DrawIdle(const SlowMotionInput& input, CommandQueue& queue) {
  PanelTitle("Slow motion", "");
  if (input.can_begin) {
    PutWrapped(
        MutedWords(),
        "Walks through one training step, operator by operator: the line of code that runs, the blocks that "
        "come and go, and what is alive. A run that is under way is held meanwhile.");
    ImGui::Dummy({0, Px(8)});
    if (PrimaryButton("Walk through a step (M)", {Px(220), 0})) queue.Push(ActionId::kSlowMotion);
  } else {
    EmptyReason(input.empty_reason);
  }
}

}  // namespace

void DrawSlowMotionPanel(const SlowMotionInput& input, SlowMotionState& state, CommandQueue& queue) {
  if (input.walk == nullptr || input.state == nullptr) return DrawIdle(input, queue);
  const OperatorStop& stop = StopOf(input);
  std::string aside = fmt::format(
      "operator {} of {} · step {}", FormatNumber(static_cast<int64_t>(input.stop) + 1),
      FormatNumber(static_cast<int64_t>(input.walk->stops.size())), FormatNumber(input.walk->step));
  if (stop.micro_batch > 0) aside += fmt::format(" · micro-batch {}", FormatNumber(stop.micro_batch));
  PanelTitle("Slow motion", aside + " · Space goes on, Esc leaves");
  DrawHead(input, queue);
  ImGui::Dummy({0, Px(2)});
  const float room = ImGui::GetContentRegionAvail().y;
  DrawStrip(input, std::clamp(room * kStripShare, Px(kStripHeight), Px(kMostStripHeight)), queue);
  ImGui::Dummy({0, Px(2)});
  DrawTower(input, std::clamp(room * kTowerShare, Px(kTowerHeight), Px(kMostTowerHeight)));
  ImGui::Dummy({0, Px(4)});
  DrawCodeAndChanges(input, state);
}

}  // namespace tidemark::gui
