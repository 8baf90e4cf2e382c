#include "app/gui/shell/search_window.h"

#include <imgui.h>

#include <algorithm>

#include "app/gui/shell/pick_list.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/text.h"

namespace tidemark::gui {
namespace {

using presenters::SearchHit;

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

std::string NothingFound(const SearchState& state) {
  if (state.text.front() == 0)
    return "Type a name, a number of a step or an event, an address (0x7f00…) or a size (>1MB). Ctrl+B gives "
           "a moment a name, which is then listed here.";
  return "Nothing is called that. Names and allocations are looked for among the newest " +
         FormatNumber(static_cast<int64_t>(presenters::kMostEventsSearched)) + " events.";
}

}  // namespace

void DrawSearch(const SearchInput& input, SearchState& state, CommandQueue& queue) {
  if (!state.open) return;
  if (!state.shown) {
    state = {};
    state.open = state.focus = true;
  }
  if (BeginTopPopup("search", 640, &state.shown)) {
    const bool waited = state.focus;
    ImGui::SetNextItemWidth(-1);
    const bool entered = FirstTextField("##find", "Find layers, operators, steps, allocations, bookmarks…",
                                        state.text, &state.focus);
    if (waited || ImGui::IsItemEdited()) {
      state.hits = input.view == nullptr
                       ? std::vector<SearchHit>()
                       : presenters::Search(*input.view, state.text.data(), *input.bookmarks, input.unit);
      state.selected = 0;
    }
    std::vector<PickRow> rows;
    for (const SearchHit& hit : state.hits)
      rows.push_back({IconOf(hit.kind), hit.title, hit.detail, "", true});
    const int chosen = DrawPickList(rows, entered, NothingFound(state), &state.selected);
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
    const bool entered = TextField("##bookmark", "What happens here?", state.text);
    PutWrapped(SmallMuted(),
               "Enter keeps it, also beside a recording; an empty one is taken away. Ctrl+F lists all.");
    if (entered) queue.Push(KeepBookmark{state.time_ns, state.text.data()});
    if (entered || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("bookmark");
}

}  // namespace tidemark::gui
