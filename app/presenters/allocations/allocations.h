// The table of allocations: those alive at a moment, or those born in a stretch of the run; filtered, sorted,
// and as CSV. Pure functions. O(n log n) for the n allocations looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/presenters/allocations/allocation_filter.h"
#include "app/presenters/allocations/selection.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct Allocation {
  timeline::LiveBlock block;  // what it turned out to hold: its category and name at its end
  std::optional<events::EventIndex> freed;
  int64_t life_ns = 0;                         // until its end, or until the view's
  events::Phase phase = events::Phase::kIdle;  // that it was born in
  uint8_t recompute = 0;
};

// What events tell of allocations, completed by their ends. One view, one thread. O(live) to make, each O(1).
class AllocationsOf {
 public:
  explicit AllocationsOf(const timeline::View& view);

  Allocation Born(const events::Event& birth, events::EventIndex index) const;
  Allocation Of(const timeline::LiveBlock& block) const;

 private:
  const timeline::View& view_;
  // By birth: it has no free to say what it held.
  std::unordered_map<events::EventIndex, timeline::LiveBlock> alive_at_end_;
};

// What words of a filter are looked for in, in lower case.
std::string SearchableText(const timeline::View& view, const Allocation& allocation);

// Asks of one allocation after another whether a filter fits it; what they have in common is read once. One
// thread. O(1) for what is like one before.
class AllocationMatcher {
 public:
  AllocationMatcher(const timeline::View& view, AllocationFilter filter);

  bool Fits(const Allocation& allocation);

 private:
  const timeline::View& view_;
  const AllocationFilter filter_;
  // By name, shape, layer, operator and the rest that has words.
  std::map<std::array<uint32_t, 5>, bool> words_fit_;
};

enum class AllocationColumn : uint8_t {
  kTensor,
  kShape,  // its type and its sizes
  kCategory,
  kBytes,
  kBlock,  // rounded bytes
  kLayer,
  kOperator,
  kPhase,
  kBorn,
  kLife,
  kAddress,
};
inline constexpr int kAllocationColumnCount = 11;

// Who filters by birth or by a moment means that instead of range or moment.
struct AllocationQuery {
  bool born_in_range = false;  // else: alive at `moment`
  events::EventIndex moment = 0;
  events::EventIndex first = 0;
  events::EventIndex end = 0;  // of the range; one past the last
  AllocationFilter filter;
  Selection only;  // where anything is selected, nothing else
  AllocationColumn sort = AllocationColumn::kBytes;
  bool descending = true;

  bool operator==(const AllocationQuery&) const = default;
};

// More events than this are not looked through for one table: the newest are.
inline constexpr uint64_t kMostEventsLookedAt = 200'000;

struct AllocationTable {
  std::vector<Allocation> rows;
  int64_t bytes = 0;             // requested, of all rows
  size_t considered = 0;         // before the filter
  uint64_t events_left_out = 0;  // at the range's beginning
  bool scope_of_filter = false;  // it says when
  bool tells_shapes = false;     // of any row
};
// What is looked at for one. O(1).
timeline::View::StateEffort EffortOfTable(const timeline::View& view, const AllocationQuery& query);
// Nothing where `progress` ended it.
std::optional<AllocationTable> MakeAllocationTable(const timeline::View& view, const AllocationQuery& query,
                                                   const Progress& progress = {});

// A table as RFC 4180 has it, with a header.
std::string AllocationsAsCsv(const timeline::View& view, const std::vector<Allocation>& rows);

}  // namespace tidemark::presenters
