#include "app/gui/panels/timeline/timeline.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/gui/panels/timeline/timeline_labels.h"
#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "app/gui/widgets/translation.h"
#include "app/presenters/allocations/blocks.h"
#include "app/presenters/allocations/layer_names.h"
#include "profiler/session/one_card.h"

namespace tidemark::gui {
namespace {

// A word at the end of the title's row that can be clicked; lit when it is on. Left out where it would reach
// into the title: its key does the same.
bool TitleWord(const char* label, bool on, const char* help, float left_end, float* right, float y) {
  const TextStyle style = on ? Colored({Faces().strong, kSmallTextSize, {}}, Colors().accent) : SmallMuted();
  const std::string_view shown = std::string_view(label).substr(0, std::string_view(label).find("###"));
  const float width = Measure(style, shown).x + Px(12);
  if (*right - width < left_end) return false;
  *right -= width;
  ImGui::SetCursorScreenPos({*right, y - Px(3)});
  const bool clicked = ImGui::InvisibleButton(label, {width, Px(kSmallTextSize) + Px(8)});
  if (ImGui::IsItemHovered()) {
    ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                              U32(Colors().raised), Px(4));
  }
  Tooltip(help);
  DrawText(ImGui::GetWindowDrawList(), {*right + Px(6), y}, style, shown);
  return clicked;
}

// Between words of different kinds.
void TitleRule(float left_end, float* right, float* ruled, float y) {
  if (*right - Px(12) < left_end || *right == *ruled) return;  // none of the words between two had room
  *right -= Px(6);
  ImGui::GetWindowDrawList()->AddLine({std::floor(*right), y}, {std::floor(*right), y + Px(kSmallTextSize)},
                                      U32(Colors().border), std::max(1.0F, std::floor(Px(1))));
  *right -= Px(6);
  *ruled = *right;
}

// Of a word that opens a list.
std::string WordOfList(std::string_view chosen) { return std::string(chosen) + "  " + icons::kDown; }

constexpr const char* kWhyByLine = "by line of code: what the memory holds is not told";

// What the stack is of.
presenters::StackBy ShownStack(const TimelineInput& input) {
  using presenters::StackBy;
  const bool lacks_ranks = input.stack.by == StackBy::kRank && !input.has_ranks;
  const bool is_unusable = lacks_ranks || !input.stack_error.empty();
  return is_unusable ? StackBy::kCategory : input.stack.by;
}

// The list that its key opens stands below this word: the others leave it its room.
float StackWordWidth(const TimelineInput& input) {
  if (!input.empty_reason.empty()) return 0;
  return Measure(SmallMuted(), WordOfList(std::string("by ") + NameOf(ShownStack(input)) + " …")).x + Px(16);
}

// A click lets choose something else.
void StackWord(const TimelineInput& input, TimelineState& state, float left_end, float* right, float y) {
  using presenters::StackBy;
  const StackBy by = ShownStack(input);
  const std::string word =
      WordOfList(std::string("by ") + NameOf(by) + (input.stack_pending ? " …" : "")) + "###stack";
  // Once the panel was given the focus, also where it had it: that would close the list.
  const bool by_key = state.chooses_stack == 1 && ImGui::IsWindowFocused();
  state.chooses_stack = std::max(0, state.chooses_stack - 1);
  if (TitleWord(word.c_str(), by != StackBy::kCategory,
                "What the stack is made of: categories, layers, operators, phases, streams, lines of code, "
                "ranks, or what a regular expression finds.",
                left_end, right, y) ||
      by_key) {
    ImGui::OpenPopup("stack by");
  }
  ImGui::SetNextWindowPos({*right, y + Px(kSmallTextSize + 8)}, ImGuiCond_Appearing);
  if (!ImGui::BeginPopup("stack by")) return;
  if (by_key) ImGui::SetNavCursorVisible(true);
  DrawStackChoice(input, state);
  ImGui::EndPopup();
}

// Of a run on several cards: a click lets choose one, which is then shown alone.
void CardWord(const ShownCards& cards, CommandQueue& queue, float left_end, float* right, float y) {
  if (cards.all.empty()) return;
  const auto title = [](std::optional<uint8_t> device) {
    return device ? session::TitleOfCard(*device) : std::string("all cards");
  };
  if (TitleWord((WordOfList(title(cards.alone)) + "###cards").c_str(), cards.alone.has_value(),
                "Which of the program's cards are shown: all of them, added up, or one alone, in all panels.",
                left_end, right, y)) {
    ImGui::OpenPopup("choose card");
  }
  if (!ImGui::BeginPopup("choose card")) return;
  const auto item = [&](std::optional<uint8_t> device) {
    if (Choice(title(device), device == cards.alone)) queue.Push(ShowCard{device});
  };
  item(std::nullopt);
  for (const uint8_t device : cards.all) item(device);
  ImGui::EndPopup();
}

// How high the axis reaches.
void HeightWords(const TimelineInput& input, TimelineState& state, float left_end, float* right, float y) {
  const presenters::TimelinePlot& plot = *input.plot;
  const bool has_lines = input.capacity.bytes > 0 || !plot.lines.empty() || !plot.textbook.empty() ||
                         !plot.phantom.empty() || HighestReserved(plot) > plot.highest_bytes;
  if (has_lines &&
      TitleWord(
          "up to the card###card", state.fit_lines,
          "The axis reaches up to all that is reserved, that theory, the driver and the card tell, and to "
          "all that the card has.",
          left_end, right, y)) {
    state.fit_lines = !state.fit_lines;
  }
  if (state.magnified <= 1) return;
  const std::string word =
      "× " + FormatDecimal(state.magnified, state.magnified < 10 ? 1 : 0) + "###magnified";
  if (TitleWord(word.c_str(), true,
                "The vertical axis is magnified (Ctrl + wheel). A click, or F, shows all of it again.",
                left_end, right, y)) {
    state.magnified = 1;
  }
}

void DrawSight(const TimelineInput& input, const TimelineState& state, float left_end, float right, float y) {
  const std::string text = SightInWords(state.axis, state.visible, input.whole);
  if (!text.empty() && Measure(SmallMuted(), text).x < right - Px(8) - left_end)
    DrawText(ImGui::GetWindowDrawList(), {right - Px(6), y}, SmallMuted(), text, Align::kRight);
}

void TitleRow(const TimelineInput& input, TimelineState& state, CommandQueue& queue) {
  using presenters::TimeAxis;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float right = at.x + ImGui::GetContentRegionAvail().x + Px(6);
  PanelTitle("Memory over time", "");
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const float y = at.y + Px(2);
  float ruled = right;  // where the row ends, or its latest rule
  const float title_end = at.x + Measure(TitleWords(), "Memory over time").x + Px(12);
  const float keys_end = title_end + StackWordWidth(input);  // of words that a key stands for
  if (TitleWord("follow", state.follow, "Keep the last steps in sight (L)", keys_end, &right, y))
    queue.Push(ActionId::kFollow);
  if (TitleWord("peak", false, "Go to the highest moment in sight (P)", keys_end, &right, y))
    queue.Push(ActionId::kGoToPeak);
  if (TitleWord("all", state.whole && !state.follow, "Show the whole run (F, or double-click)", keys_end,
                &right, y))
    queue.Push(ActionId::kFit);
  TitleRule(keys_end, &right, &ruled, y);
  const bool clock = state.axis == TimeAxis::kWallClock;
  if (TitleWord("wall clock", clock, "The axis counts time (X)", keys_end, &right, y) && !clock)
    queue.Push(ActionId::kSwitchAxis);
  if (TitleWord("events", !clock, "The axis counts events: every allocation gets the same room (X)", keys_end,
                &right, y) &&
      clock) {
    queue.Push(ActionId::kSwitchAxis);
  }
  if (input.empty_reason.empty()) TitleRule(keys_end, &right, &ruled, y);
  CardWord(input.cards, queue, title_end, &right, y);
  if (input.empty_reason.empty()) StackWord(input, state, title_end, &right, y);
  HeightWords(input, state, title_end, &right, y);
  if (input.empty_reason.empty()) DrawSight(input, state, title_end, right, y);
  ImGui::SetCursorScreenPos(after);
}

// The most of each category anywhere in it, in their order.
std::array<int64_t, events::kCategoryCount> MostOfCategories(const presenters::TimelinePlot& plot) {
  std::array<int64_t, events::kCategoryCount> most{};
  for (const presenters::PlotColumn& column : plot.columns) {
    for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], column.at_peak[i]);
  }
  return most;
}

int64_t MostOfGroup(const presenters::TimelinePlot& plot, size_t group) {
  int64_t most = 0;
  for (size_t i = group; i < plot.grouped.size(); i += plot.groups.size())
    most = std::max(most, plot.grouped[i]);
  return most;
}

constexpr float kLegendRow = 22;
constexpr float kBeforeCompared = 17;  // its line

// The second run's name; "" where there is none.
std::string ComparedWords(const TimelineInput& input) {
  if (input.compared.empty()) return "";
  return input.compared + (input.plot->compared.empty() ? " has nothing like this" : "");
}

float ComparedWidth(const std::string& words) {
  return words.empty() ? 0 : Px(kBeforeCompared) + Measure(SmallMuted(), words).x;
}

void DrawComparedItem(ImVec2 at, float width, const std::string& words) {
  if (words.empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float row = Px(kLegendRow);
  const float middle = at.y + row / 2;
  list->AddRectFilled({at.x, middle - Px(1)}, {at.x + Px(10), middle + Px(1)}, U32(Colors().compared));
  const std::string shown = FittedEnds(SmallMuted(), words, width - Px(kBeforeCompared));
  DrawText(list, {at.x + Px(kBeforeCompared), middle - Px(kSmallTextSize) / 2 - Px(1)}, SmallMuted(), shown);
  if (shown != words) TooltipOver(at, at + ImVec2(width, row), words);
}

// One entry of the legend.
struct LegendItem {
  std::string name;
  int64_t bytes = 0;  // at most, in sight
  Color color;
  bool hidden = false;
  bool lit = false;                 // it is what is selected
  bool is_subject = false;          // of a lesson's page
  presenters::Selection selection;  // by a click on its name
  int category = -1;                // that a click on its square hides; -1 = none
  std::optional<int64_t> rank;      // that a click on its name shows
  std::string help;                 // of a name that does not say enough
};

std::string HelpOfGroup(const std::string& group) {
  if (group == presenters::kOtherGroups || group.starts_with(std::string(presenters::kOtherGroups) + " ")) {
    return "All that is in no other group: those that are largest at the run's peak, at the last step's and "
           "at its end have a colour of their own.";
  }
  if (group.ends_with('*')) return "All layers whose names begin so.";
  if (presenters::IsOfNeighbours(group)) return "All layers of the modules with these numbers.";
  if (group.starts_with(presenters::kNoLayer)) return "No layer holds it: nobody told one.";
  return group == presenters::kNoLine ? "No line of code was told for these." : "";
}

std::vector<LegendItem> LegendItems(const TimelineInput& input, const TimelineState& state) {
  std::vector<LegendItem> items;
  const presenters::TimelinePlot& plot = *input.plot;
  for (size_t group = 0; group < plot.groups.size(); ++group) {
    items.push_back({plot.groups[group], MostOfGroup(plot, group), ColorOfGroup(input, group), false,
                     input.lit_group == group, false, SelectionOfGroup(input, group), -1,
                     RankOfGroup(plot, group), HelpOfGroup(plot.groups[group])});
  }
  if (!items.empty()) return items;
  const auto in_sight = MostOfCategories(plot);
  const auto in_run = MostOfCategories(*input.overview);
  for (size_t i = 0; i < in_sight.size(); ++i) {
    if (std::max(in_sight[i], in_run[i]) <= 0) continue;
    const auto category = static_cast<events::Category>(i);
    const bool lit = input.selected != nullptr && input.selected->category == category;
    items.push_back({std::string(events::NameOf(category)), in_sight[i], Colors().categories[i],
                     timeline::Contains(state.hidden_categories, i), lit,
                     timeline::Contains(input.subject, i), presenters::CategorySelected(category),
                     static_cast<int>(i), std::nullopt, ""});
    if (!timeline::Contains(input.untold, i)) continue;
    LegendItem& item = items.back();
    item.hidden = true;
    item.lit = false;
    item.category = -1;
    item.selection = presenters::Selection();
    item.help = kAskedFirst;
  }
  return items;
}

void DrawLegendItem(const LegendItem& item, ImVec2 at, float width, TimelineState& state, CommandQueue& queue,
                    ImGuiButtonFlags flags = ImGuiButtonFlags_None) {
  const float row = Px(kLegendRow);
  const float square_width = item.category < 0 ? 0 : Px(15);
  if (item.category >= 0) {
    ImGui::SetCursorScreenPos(at);
    if (ImGui::InvisibleButton(("hide " + item.name).c_str(), {square_width, row}, flags))
      state.hidden_categories ^= timeline::CategorySet{1} << item.category;
    Tooltip(item.hidden ? "Click to show it again." : "Click to leave it out of the stack.");
  }
  ImGui::SetCursorScreenPos({at.x + square_width, at.y});
  if (ImGui::InvisibleButton(("legend " + item.name).c_str(), {width - square_width, row}, flags)) {
    if (item.selection.any()) queue.Push(Select{item.selection});
    if (item.rank) queue.Push(OpenRank{*item.rank});
  }
  const bool hovered = ImGui::IsItemHovered();
  Tooltip(item.help);
  if (item.rank) Tooltip("Click to show this rank.");
  if (item.selection.any()) Tooltip("Click to light it up in every panel; click again to stop.");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = at.y + (row - Px(10)) / 2;
  const ImRect square(at.x, top, at.x + Px(10), top + Px(10));
  if (item.hidden) {
    list->AddRect(square.Min, square.Max, U32(item.color), Px(2), Px(1.5F));
  } else {
    list->AddRectFilled(square.Min, square.Max, U32(item.color), Px(2));
  }
  const Color quiet = item.hidden ? Colors().muted.WithAlpha(0.5) : Colors().muted;
  const TextStyle style = Colored(SmallMuted(), hovered || item.lit ? Colors().text : quiet);
  const ImVec2 name_at(at.x + Px(17), at.y + (row - Px(kSmallTextSize)) / 2 - Px(1));
  DrawText(list, name_at, style, item.name);
  MarkTerms(name_at, style, item.name);
}

constexpr float kBetweenItems = 20;

float WidthOfItem(const LegendItem& item) { return Px(17) + Measure(SmallMuted(), item.name).x; }

// Returns the legend's height: it wraps when the panel is narrow. Draws where there is a queue.
float DrawLegend(const TimelineInput& input, TimelineState& state, ImVec2 at, float width,
                 CommandQueue* queue) {
  float x = at.x;
  float y = at.y;
  const float row = Px(kLegendRow);
  const auto place = [&](float item_width) {
    if (x + item_width > at.x + width && x > at.x) {
      x = at.x;
      y += row;
    }
  };
  for (const LegendItem& item : LegendItems(input, state)) {
    place(WidthOfItem(item));
    if (queue != nullptr) DrawLegendItem(item, {x, y}, WidthOfItem(item) + Px(12), state, *queue);
    x += WidthOfItem(item) + Px(kBetweenItems);
  }
  if (const std::string compared = ComparedWords(input); !compared.empty()) {
    const float item_width = std::min(ComparedWidth(compared), width);
    place(item_width);
    if (queue != nullptr) DrawComparedItem({x, y}, item_width, compared);
  }
  return y + row - at.y;
}

// As many as have room: what a lesson's page is about first, what is hidden last, else those with most bytes
// in sight; in the order of the stack.
std::set<const LegendItem*> FirstOfLegend(const std::vector<LegendItem>& items, float room) {
  std::vector<const LegendItem*> first;
  for (const LegendItem& item : items) {
    if (item.bytes > 0 || item.is_subject) first.push_back(&item);
  }
  std::ranges::stable_sort(first, std::greater(), [](const LegendItem* item) {
    return std::tuple(item->is_subject, !item->hidden, item->bytes);
  });
  std::set<const LegendItem*> shown;
  for (const LegendItem* item : first) {
    room -= WidthOfItem(*item) + Px(kBetweenItems);
    if (room < 0) break;
    shown.insert(item);
  }
  return shown;
}

// "+3": the mouse names those that have no room, a click lists them.
void DrawRestOfLegend(const std::vector<const LegendItem*>& rest, ImVec2 at, TimelineState& state,
                      CommandQueue& queue) {
  constexpr const char* kList = "rest of the legend";
  if (rest.empty()) return;
  const std::string count = "+" + std::to_string(rest.size());
  const float row = Px(kLegendRow);
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton("legend's rest", {Measure(SmallMuted(), count).x, row})) ImGui::OpenPopup(kList);
  std::vector<std::string> names;
  for (const LegendItem* item : rest)
    names.push_back(item->name + (item->bytes > 0 ? "" : " (not in sight)"));
  Tooltip(fmt::format("{}\nClick to list them.", fmt::join(names, ", ")));
  const TextStyle style = ImGui::IsItemHovered() ? Colored(SmallMuted(), Colors().text) : SmallMuted();
  DrawText(ImGui::GetWindowDrawList(), {at.x, at.y + (row - Px(kSmallTextSize)) / 2 - Px(1)}, style, count);
  if (!ImGui::BeginPopup(kList)) return;
  for (const LegendItem* item : rest)
    DrawLegendItem(*item, ImGui::GetCursorScreenPos(), WidthOfItem(*item) + Px(12), state, queue,
                   ImGuiButtonFlags_EnableNav);  // the list has the keys while it is open
  ImGui::EndPopup();
}

// In one row, where there is no room for all of it: what comes first, and the second run.
void DrawShortLegend(const TimelineInput& input, TimelineState& state, const ImRect& place,
                     CommandQueue& queue) {
  const std::vector<LegendItem> items = LegendItems(input, state);
  const std::string compared = ComparedWords(input);
  const float least_compared = std::min(ComparedWidth(compared), place.GetWidth() / 2);
  const float count_width = Px(24);
  const std::set<const LegendItem*> shown =
      FirstOfLegend(items, place.GetWidth() - least_compared - count_width);
  float x = place.Min.x;
  std::vector<const LegendItem*> rest;
  for (const LegendItem& item : items) {
    if (!shown.contains(&item)) {
      rest.push_back(&item);
      continue;
    }
    DrawLegendItem(item, {x, place.Min.y}, WidthOfItem(item) + Px(12), state, queue);
    x += WidthOfItem(item) + Px(kBetweenItems);
  }
  DrawRestOfLegend(rest, {x, place.Min.y}, state, queue);
  if (!rest.empty()) x += count_width;
  const float compared_width = std::min(ComparedWidth(compared), std::max(least_compared, place.Max.x - x));
  DrawComparedItem({place.Max.x - compared_width, place.Min.y}, compared_width, compared);
}

TimelineGeometry LayOut(const TimelineInput& input, TimelineState& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImRect all(at, at + room);
  const float left = all.Min.x + Px(52);
  const float legend = DrawLegend(input, state, {left, 0}, all.Max.x - left, nullptr);
  TimelineGeometry geometry;
  geometry.visible = state.visible;
  // The curve comes first: where there is little room, what lies under it goes, the least needed first. What
  // its colours mean has a row all the same, unless that leaves next to nothing of it.
  const float top = all.Min.y + Px(20);
  const float strips = Px(18 + 4 + 18 + 6);
  const bool has_strips = all.Max.y - top >= Px(24) + strips;
  float left_over = all.Max.y - top - Px(70) - strips;
  float bottom = all.Max.y;
  const auto take = [&](float height, float gap, bool has_room) {
    if (!has_room) return ImRect(left, bottom, left, bottom);
    const ImRect rect(left, bottom - height, all.Max.x, bottom);
    bottom -= height + gap;
    return rect;
  };
  const auto take_if_left = [&](float height, float gap) {
    const bool has_room = left_over >= height + gap;
    if (has_room) left_over -= height + gap;
    return take(height, gap, has_room);
  };
  const bool has_legend = left_over >= Px(kLegendRow + 2);
  if (has_legend) left_over -= Px(kLegendRow + 2);
  left_over -= Px(12);  // more for the curve, and again below
  const bool has_axis = left_over >= Px(17);
  if (has_axis) left_over -= Px(17);
  left_over -= Px(28);
  geometry.overview = take_if_left(Px(26), Px(8));
  const float further_rows = legend - Px(kLegendRow);
  geometry.legend_has_all = further_rows <= 0 || left_over >= further_rows;
  if (geometry.legend_has_all) left_over -= further_rows;
  geometry.legend = take(geometry.legend_has_all ? legend : Px(kLegendRow), Px(2), has_legend);
  geometry.steps = take(Px(18), Px(4), has_strips);
  const bool has_lane = input.lane != nullptr && !input.lane->columns.empty();
  if (has_lane) geometry.lane = take_if_left(Px(18), Px(4));
  if (!input.view->graph_replays().empty()) geometry.replays = take_if_left(Px(18), Px(4));
  if (!input.layers->empty()) geometry.layers = take_if_left(Px(18), Px(4));
  geometry.phases = take(Px(18), has_axis ? Px(2) : Px(6), has_strips);
  geometry.axis = take(Px(15), Px(6), has_axis);
  geometry.plot = ImRect(left, top, all.Max.x, std::max(bottom, top + Px(10)));
  geometry.plot.Min.x = std::floor(geometry.plot.Min.x);
  geometry.plot.Max.x = std::floor(geometry.plot.Max.x);
  return geometry;
}

void DrawCrosshair(ImDrawList* list, const TimelineGeometry& geometry, const TimelineState& state) {
  if (!state.hover) return;
  const ImU32 color = U32(Colors().text.WithAlpha(0.35));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  list->AddLine({std::round(mouse.x), geometry.plot.Min.y}, {std::round(mouse.x), geometry.phases.Max.y},
                color);
  list->AddLine({geometry.plot.Min.x, std::round(mouse.y)}, {geometry.plot.Max.x, std::round(mouse.y)},
                color);
}

void DrawPin(ImDrawList* list, const TimelineGeometry& geometry, double position) {
  const float x = std::round(geometry.X(position));
  if (x < geometry.plot.Min.x || x > geometry.plot.Max.x) return;
  list->AddLine({x, geometry.plot.Min.y}, {x, geometry.phases.Max.y}, U32(Colors().accent), Px(1.5F));
  list->AddTriangleFilled({x - Px(6), geometry.plot.Min.y - Px(8)}, {x + Px(6), geometry.plot.Min.y - Px(8)},
                          {x, geometry.plot.Min.y}, U32(Colors().accent));
}

// Returns where its labels are.
TimelineLabels DrawChart(const TimelineInput& input, const TimelineGeometry& geometry,
                         const TimelineState& state) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  TimelineLabels labels;
  labels.plot = input.plot;
  if (input.goes_on && (state.follow || state.whole)) labels.moving_stack.emplace(geometry, *input.plot);
  NoteLines(input, geometry, state, &labels);
  DrawGrid(list, geometry);
  DrawHorizontalAxis(list, geometry, state.ticks);
  list->PushClipRect(geometry.plot.Min, geometry.plot.Max + ImVec2(0, 1), true);
  const timeline::CategorySet categories = ShownIn(input, state);
  const bool shows_all = categories == timeline::kAllCategories;
  DrawStack(list, geometry, input, categories);
  if (shows_all && input.plot->groups.empty()) DrawBlocks(list, geometry, input);
  list->PopClipRect();
  list->PushClipRect(geometry.plot.Min - ImVec2(0, Px(8)), {geometry.plot.Max.x, geometry.steps.Max.y}, true);
  list->ChannelsSplit(2);
  // The levels are those of one rank.
  const bool whole_stack = shows_all && input.plot->group_ranks.empty();
  if (whole_stack && input.plot->groups.empty()) {
    DrawSelected(list, geometry, input);
    DrawHighlight(list, geometry, input.highlight);
  }
  DrawMarkers(list, geometry, input, &labels);
  if (whole_stack) {
    AboveAxis above;
    DrawReserved(list, geometry, *input.plot, input.unit, &labels, &above);
    DrawCompared(list, geometry, input, &labels);
    DrawLevels(list, geometry, *input.plot, input.unit, &labels, &above);
    DrawLines(list, geometry, input, &labels, &above);
    DrawAbove(list, geometry, above, input.unit, &labels);
  }
  if (input.selected != nullptr && input.selected->selection.any()) {
    DrawLabel(list, geometry, {geometry.plot.Min.x + Px(6), geometry.plot.Max.y},
              "selected: " + input.selected->title + " (Esc)", Colors().accent, "selected", &labels);
  }
  const std::vector<std::string>& groups = input.plot->groups;
  if (groups.size() == 2 && groups.front() == presenters::kNoLine) {  // and none other
    DrawLabel(list, geometry, geometry.plot.Min + ImVec2(Px(6), Px(kSmallTextSize + 9)),
              presenters::kHowToGetLines, Colors().text, "", &labels);
  }
  if (!state.stack && input.stack.by == presenters::StackBy::kLine) {
    DrawLabel(list, geometry, geometry.plot.Min + ImVec2(Px(6), Px(kSmallTextSize + 9)), kWhyByLine,
              Colors().text, "", &labels);
  }
  if (const auto cursors = PositionsOfCursors(input, state))
    DrawMeasure(list, geometry, *cursors, input.measured, &labels);
  if (input.pinned) DrawPin(list, geometry, *input.pinned);
  DrawCrosshair(list, geometry, state);
  list->ChannelsMerge();
  list->PopClipRect();
  if (geometry.phases.GetWidth() > 0) {
    DrawPhases(list, geometry, *input.plot);
    DrawSteps(list, geometry, *input.plot);
  }
  DrawReplays(list, geometry, input);
  DrawLane(list, geometry, input);
  return labels;
}

}  // namespace

void DrawTimelinePanel(const TimelineInput& input, TimelineState& state, CommandQueue& queue) {
  TitleRow(input, state, queue);
  if (!input.empty_reason.empty()) {
    EmptyReason(input.empty_reason);
    return;
  }
  TimelineGeometry geometry = LayOut(input, state);
  state.columns = std::max(16, static_cast<int>(geometry.plot.GetWidth()));
  state.rows = std::max(16, static_cast<int>(geometry.plot.GetHeight()));
  state.overview_columns = std::max(16, static_cast<int>(geometry.overview.GetWidth() / 2));
  ChooseVerticalAxis(input, state, &geometry);
  state.ticks = HorizontalTicks(geometry, state.axis);
  HandlePlotInput(input, geometry, state, queue);
  const TimelineLabels labels = DrawChart(input, geometry, state);
  DrawLayers(ImGui::GetWindowDrawList(), geometry, input, queue);
  const ImRect& legend = geometry.legend;
  if (legend.GetWidth() > 0) {
    if (geometry.legend_has_all) {
      DrawLegend(input, state, legend.Min, legend.GetWidth(), &queue);
    } else {
      DrawShortLegend(input, state, legend, queue);
    }
  }
  if (geometry.overview.GetWidth() > 0) {
    HandleOverviewInput(input, geometry, state);
    DrawOverview(ImGui::GetWindowDrawList(), geometry, input);
  }
  const float lowest = std::min(geometry.plot.Max.y, labels.measured_top) - Px(4);
  DrawHoverTooltip(input, state, labels.explained, lowest);
}

}  // namespace tidemark::gui
