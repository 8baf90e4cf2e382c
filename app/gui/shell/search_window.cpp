#include "app/gui/shell/search_window.h"

#include <imgui.h>

#include <algorithm>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/text.h"

namespace tidemark::gui {
namespace {

using presenters::SearchHit;

constexpr float kHitHeight = 30;
constexpr float kMostListHeight = 480;

const char* IconOf(SearchHit::Kind kind) {
  switch (kind) {
    case SearchHit::Kind::kBookmark:
      return icons::kBookmark;
    case SearchHit::Kind::kStep:
      return icons::kStep;
    case SearchHit::Kind::kEvent:
      return icons::kPin;
    case SearchHit::Kind::kMarker:
      return icons::kInfo;
    case SearchHit::Kind::kCategory:
      return icons::kChart;
    case SearchHit::Kind::kLayer:
      return icons::kLayers;
    case SearchHit::Kind::kOperator:
      return icons::kOperator;
    case SearchHit::Kind::kAllocation:
      break;
  }
  return icons::kTable;
}

bool DrawHit(const SearchHit& hit, int index, bool selected, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(index);
  const bool clicked =
      ImGui::Selectable("##hit", selected, ImGuiSelectableFlags_NoAutoClosePopups, {width, Px(kHitHeight)});
  ImGui::PopID();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = at.y + (Px(kHitHeight) - Px(kTextSize)) / 2 - Px(1);
  DrawText(list, {at.x + Px(20), y}, MutedWords(), IconOf(hit.kind), Align::kCenter);
  const float detail = std::min(Measure(SmallMuted(), hit.detail).x, width * 0.5F);
  const float room = width - Px(42) - detail - Px(24);
  DrawText(list, {at.x + Px(42), y}, Words(), Fitted(Words(), hit.title, room));
  DrawText(list, {at.x + width - Px(8), y + Px(1)}, SmallMuted(),
           Fitted(SmallMuted(), hit.detail, detail + 1), Align::kRight);
  return clicked;
}

std::string NothingFound(const SearchState& state) {
  if (state.text.front() == 0)
    return "Type a name, a number of a step or an event, an address (0x7f00…) or a size (>1MB). Ctrl+B gives "
           "a "
           "moment a name, which is then listed here.";
  return "Nothing is called that. Names and allocations are looked for among the newest " +
         FormatNumber(static_cast<int64_t>(presenters::kMostEventsSearched)) + " events.";
}

// Returns the hit that was chosen; -1 = none.
int DrawHits(SearchState& state) {
  const int count = static_cast<int>(state.hits.size());
  int chosen = -1;
  const bool moves = ImGui::IsKeyPressed(ImGuiKey_DownArrow) || ImGui::IsKeyPressed(ImGuiKey_UpArrow);
  const float height =
      count == 0 ? Px(56) : std::min(Px(kHitHeight) * static_cast<float>(count), Px(kMostListHeight));
  if (ImGui::BeginChild("hits", {0, height + Px(8)})) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    for (int i = 0; i < count; ++i) {
      if (DrawHit(state.hits[static_cast<size_t>(i)], i, i == state.selected,
                  ImGui::GetContentRegionAvail().x))
        chosen = i;
      if (moves && i == state.selected) ImGui::SetScrollHereY();
    }
    ImGui::PopStyleVar();
    if (count == 0) PutWrapped(MutedWords(), NothingFound(state));
  }
  ImGui::EndChild();
  return chosen;
}

bool BeginTopPopup(const char* id, float design_width, bool* shown) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(Px(design_width), viewport->Size.x - Px(40));
  if (!*shown) ImGui::OpenPopup(id);
  *shown = true;
  ImGui::SetNextWindowPos({viewport->GetCenter().x - width / 2, viewport->Pos.y + Px(60)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(12), Px(12)));
  const bool open = ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove);
  ImGui::PopStyleVar();
  return open;
}

}  // namespace

void DrawSearch(const SearchInput& input, SearchState& state, CommandQueue& queue) {
  if (!state.open) return;
  const bool begins = !state.shown;
  if (begins) {
    state = {};
    state.open = state.focus = true;
  }
  if (BeginTopPopup("search", 640, &state.shown)) {
    if (state.focus) ImGui::SetKeyboardFocusHere();
    state.focus = false;
    ImGui::SetNextItemWidth(-1);
    const bool entered =
        ImGui::InputTextWithHint("##find", "Find layers, operators, steps, allocations, bookmarks…",
                                 state.text.data(), state.text.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    if (begins || ImGui::IsItemEdited()) {
      state.hits = input.view == nullptr
                       ? std::vector<SearchHit>()
                       : presenters::Search(*input.view, state.text.data(), *input.bookmarks, input.unit);
      state.selected = 0;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++state.selected;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --state.selected;
    state.selected = std::clamp(state.selected, 0, std::max(0, static_cast<int>(state.hits.size()) - 1));
    int chosen = DrawHits(state);
    if (entered && !state.hits.empty()) chosen = state.selected;
    if (chosen >= 0) {
      const SearchHit& hit = state.hits[static_cast<size_t>(chosen)];
      queue.Push(GoToMoment{hit.moment, hit.selection});
    }
    if (chosen >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("search");
}

void DrawBookmarkWindow(BookmarkState& state, CommandQueue& queue) {
  if (!state.open) return;
  const bool begins = !state.shown;
  if (BeginTopPopup("bookmark", 480, &state.shown)) {
    Put(StrongWords(), "Bookmark at " + state.moment);
    if (begins) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    const bool entered = ImGui::InputTextWithHint("##bookmark", "What happens here?", state.text.data(),
                                                  state.text.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    PutWrapped(SmallMuted(),
               "Enter keeps it, also beside a recording; an empty one is taken away. Ctrl+F lists all.");
    if (entered) queue.Push(KeepBookmark{state.time_ns, state.text.data()});
    if (entered || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("bookmark");
}

}  // namespace tidemark::gui
