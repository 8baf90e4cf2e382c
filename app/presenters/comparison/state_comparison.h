// Two runs at a moment each, their peaks above all: by level, category, layer and line of code, and what is
// alive in only one of them. Pure functions, any thread. O(chunks + log events) for the levels, O(live · log
// live) for the states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/allocations/selection.h"
#include "app/presenters/comparison/stream_comparison.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// A side that knows nothing of it has none.
struct ComparedBytes {
  std::string title;  // "reserved", "activation", "conv1"
  std::optional<events::Category> category;
  std::optional<int64_t> a;
  std::optional<int64_t> b;
  Selection selection = {};  // what it is of; nothing of levels, of streams and of what no layer owns
  std::optional<timeline::Series> level = {};

  std::optional<int64_t> Difference() const;  // b − a, saturated
  std::optional<double> Percent() const;      // of a; nothing where a is 0
};

// requested, allocated, reserved, driver, process, card: each one's own highest value in the ranges. A level
// that neither tells of is left out, unless its source says of itself that it is live.
std::vector<ComparedBytes> CompareLevels(const timeline::View& a, const std::vector<EventRange>& in_a,
                                         const timeline::View& b, const std::vector<EventRange>& in_b);

// Allocations that are alike (what they hold, who made them, their size) and of which one run has more.
struct OneSidedBlocks {
  std::string title;  // as BlockTitle
  std::string layer;
  events::Category category = events::Category::kUnknown;
  int64_t bytes = 0;  // of one, as compared
  int64_t in_a = 0;   // how many
  int64_t in_b = 0;
  std::optional<events::EventIndex> first_in_a;  // when the first of them was born
  std::optional<events::EventIndex> first_in_b;

  int64_t Difference() const;  // of all of them, b − a; saturated
};

struct StateComparison {
  std::vector<ComparedBytes> categories;  // in their order, without those that hold nothing on both sides
  std::vector<ComparedBytes> layers;      // the largest difference first; empty unless both know layers
  std::vector<ComparedBytes> lines;    // likewise, of code; only where one of them does not tell categories
  std::vector<OneSidedBlocks> blocks;  // the same
  // In their order: a stream's number means nothing in another process. Empty unless one uses several.
  std::vector<ComparedBytes> streams;
};

// A run at a moment.
struct Moment {
  const timeline::View* view = nullptr;
  timeline::State state;
};
// As it proved to be until its step ends; see SettledStateAt. Of an empty view nothing.
Moment MomentAt(const timeline::View& view, events::EventIndex index);
// Where View::peak_level() is highest in the ranges, of which there is one; and the run then, of none, or of
// an empty view, nothing.
events::EventIndex PeakIn(const timeline::View& view, const std::vector<EventRange>& ranges);
Moment PeakMomentIn(const timeline::View& view, const std::vector<EventRange>& ranges);

struct TwoMoments {
  Moment a;
  Moment b;
};

StateComparison CompareStates(const Moment& a, const Moment& b, bool by_requested);

}  // namespace tidemark::presenters
