// Ctrl+F: everything that can be found in the run by typing, and the way there. Ctrl+B: the moment that is
// shown gets a name. UI thread, inside a frame.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/background/lookup.h"
#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/search.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

// What was typed last, in the run as it was then.
struct SearchQuestion {
  std::string text;
  std::shared_ptr<const timeline::View> view;  // none before the first run
  std::vector<presenters::NamedMoment> bookmarks;
  ByteUnit unit = ByteUnit::kMegabytes;

  bool operator==(const SearchQuestion&) const = default;
};

struct SearchState {
  bool open = false;   // asked for, until it is closed in whatever way
  bool shown = false;  // its popup has been opened
  bool focus = false;
  bool entered = false;  // goes to the selected hit as soon as it is known
  int selected = 0;
  std::array<char, 160> text{};
  SearchQuestion asked;
  using Found = Lookup<SearchQuestion, std::vector<presenters::SearchHit>>;
  Found found{Overtaken::kIsGivenUp};

  // Another run: what was typed is looked for in that. Returns what looks through the one before, which ends
  // it and waits for it when it goes.
  std::shared_ptr<void> BeginAnew() {
    asked = {};
    focus = true;
    return std::make_shared<Found>(std::exchange(found, Found{Overtaken::kIsGivenUp}));
  }
};

struct SearchInput {
  std::shared_ptr<const timeline::View> view;  // none before the first run
  const std::vector<presenters::NamedMoment>* bookmarks = nullptr;
  ByteUnit unit = ByteUnit::kMegabytes;
};

void DrawSearch(const SearchInput& input, SearchState& state, CommandQueue& queue);

struct BookmarkState {
  bool open = false;
  bool shown = false;
  std::weak_ptr<const session::Run> of;  // the process in which it is set
  int64_t time_ns = 0;
  std::string moment;  // "step 5 · event 1,234"
  std::array<char, trace::kMostBookmarkBytes> text{};
};

void DrawBookmarkWindow(BookmarkState& state, CommandQueue& queue);

}  // namespace tidemark::gui
