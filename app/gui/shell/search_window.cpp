#include "app/gui/shell/search_window.h"

#include <imgui.h>

#include <chrono>
#include <optional>
#include <utility>

#include "app/gui/shell/pick_list.h"
#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/text.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
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
    case SearchHit::Kind::kReplay:
      return icons::kRestart;
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
  if (state.found.pending()) return "Looking through the run…";
  if (state.found.question() != state.asked) return "The search was stopped. Type on to begin another.";
  const bool let_go = state.asked.view != nullptr && state.asked.view->first() > 0;
  return let_go ? "Nothing is called that in what is kept of the run; its oldest events have been let go."
                : "Nothing in this run is called that.";
}

void Look(SearchState& state) {
  const bool fits = state.asked.view == nullptr || state.asked.text.empty() ||
                    state.asked.view->end() - state.asked.view->first() <= kMostLookedAtInAFrame;
  const bool fresh = state.found.Ask(
      state.asked, fits,
      [](const SearchQuestion& asked, const auto& progress) -> std::optional<std::vector<SearchHit>> {
        if (asked.view == nullptr) return std::vector<SearchHit>();
        return presenters::Search(*asked.view, asked.text, asked.bookmarks, asked.unit, progress);
      });
  if (fresh) state.selected = 0;
}

}  // namespace

void DrawSearch(const SearchInput& input, SearchState& state, CommandQueue& queue) {
  if (!state.open) return;
  if (!state.shown) state.focus = true;
  if (BeginTopPopup("search", 640, &state.shown)) {
    const bool waited = state.focus;
    ImGui::SetNextItemWidth(-1);
    const bool entered = FirstTextField("##find", "Find layers, operators, steps, allocations, bookmarks…",
                                        state.text, &state.focus);
    const bool edited = ImGui::IsItemEdited();
    state.entered = entered || (state.entered && !edited);
    if (waited || edited) state.asked = {state.text.data(), input.view, *input.bookmarks, input.unit};
    Look(state);
    if (const auto line = state.found.Line("Looking through the run", 300ms)) DrawProgress(*line, Px(500));
    static const std::vector<SearchHit> kNone;
    const bool answered = state.found.question() == state.asked;
    const std::vector<SearchHit>& hits = answered ? *state.found.answer() : kNone;
    std::vector<PickRow> rows;
    for (const SearchHit& hit : hits) rows.push_back({IconOf(hit.kind), hit.title, hit.detail, "", true});
    const int chosen = DrawPickList(rows, answered && state.entered, NothingFound(state), &state.selected);
    if (answered) state.entered = false;
    if (chosen >= 0) {
      const SearchHit& hit = hits[static_cast<size_t>(chosen)];
      queue.Push(GoToMoment{hit.moment, hit.selection});
    }
    if (chosen >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("search");
  if (!state.open) state = {};  // a search that goes on stops, and holds the run no longer
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
    if (entered) queue.Push(KeepBookmark{state.of, state.time_ns, state.text.data()});
    if (entered || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("bookmark");
}

}  // namespace tidemark::gui
