// Ctrl+F: everything that can be found in the run by typing, and the way there. Ctrl+B: the moment that is
// shown gets a name. UI thread, inside a frame.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/gui/commands.h"
#include "app/presenters/search.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

struct SearchState {
  bool open = false;   // asked for, until it is closed in whatever way
  bool shown = false;  // its popup has been opened
  bool focus = false;
  int selected = 0;
  std::array<char, 160> text{};
  std::vector<presenters::SearchHit> hits;  // for what was typed last
};

struct SearchInput {
  const timeline::View* view = nullptr;  // none before the first run
  const std::vector<presenters::NamedMoment>* bookmarks = nullptr;
  ByteUnit unit = ByteUnit::kMegabytes;
};

void DrawSearch(const SearchInput& input, SearchState& state, CommandQueue& queue);

struct BookmarkState {
  bool open = false;
  bool shown = false;
  int64_t time_ns = 0;
  std::string moment;  // "step 5 · event 1,234"
  std::array<char, trace::kMostBookmarkBytes> text{};
};

void DrawBookmarkWindow(BookmarkState& state, CommandQueue& queue);

}  // namespace tidemark::gui
