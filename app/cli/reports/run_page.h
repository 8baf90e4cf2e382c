// A run as one page for people: for a pull request (Markdown) or a lesson (HTML, one file that needs nothing
// else, with the curve as a picture): settings and machine, the way from the textbook to what is reserved,
// levels, categories, layers. Pure functions: the same run gives the same page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/presenters/moment/bridge.h"
#include "app/presenters/picture/picture.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::cli {

struct PageRow {
  std::string title;
  int64_t bytes = 0;
  double share = 0;   // of what is allocated; 0 = not to be told
  int category = -1;  // whose colour stands before it; -1 = none
};
struct RunPage {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;
  std::string moment;                      // "at the peak of step 3"
  std::vector<PageRow> levels;             // from tensors to the card, with what lies between
  bool tells_card = false;                 // what the card itself reports is among them
  std::vector<PageRow> categories;         // largest first
  std::vector<PageRow> layers;             // largest first; the smallest as one
  std::vector<PageRow> lines;              // of code, largest first; empty where no stacks are told
  std::vector<std::string> out_of_memory;  // a sentence of each time
  std::vector<PageRow> owners;             // the largest, when it ran out last
  presenters::Bridge bridge;               // without steps where the textbook knows nothing of the run,
  std::string why_no_bridge;               // and then a sentence
  std::vector<presenters::CurveColumn> curve;
  std::vector<std::string> findings;  // each with what to do
  std::vector<std::string> notes;
  std::vector<std::string> bookmarks;  // "the second peak (step 3, event 1,234)"
};

// Without facts, bridge, bookmarks and what became of an out of memory. O(columns · log events + blocks alive
// at the peak).
RunPage MakeRunPage(const timeline::View& view, const events::RunDescription& description);

// What a person named, as the page tells it.
std::vector<std::string> BookmarkRows(const timeline::View& view,
                                      const std::vector<trace::Bookmark>& bookmarks);

std::string MarkdownOf(const RunPage& page);
std::string HtmlOf(const RunPage& page);

}  // namespace tidemark::cli
