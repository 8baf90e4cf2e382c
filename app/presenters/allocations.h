// The table of allocations: those alive at a moment, or those born in a stretch of the run; filtered, sorted,
// and as CSV. Pure functions. O(n log n) for the n allocations looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/allocation_filter.h"
#include "app/presenters/selection.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct Allocation {
  timeline::LiveBlock block;  // what it turned out to hold: its category and name at its end
  std::optional<events::EventIndex> freed;
  int64_t life_ns = 0;                         // until its end, or until the view's
  events::Phase phase = events::Phase::kIdle;  // that it was born in
  uint8_t recompute = 0;
};

enum class AllocationColumn : uint8_t {
  kTensor,
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
inline constexpr int kAllocationColumnCount = 10;

struct AllocationQuery {
  bool born_in_range = false;  // else: alive at `moment`
  events::EventIndex moment = 0;
  events::EventIndex first = 0;
  events::EventIndex end = 0;  // of the range; one past the last
  AllocationFilter filter;
  Selection only;  // where anything is selected, nothing else
  AllocationColumn sort = AllocationColumn::kBytes;
  bool descending = true;
};

// More events than this are not looked through for one table: the newest are.
inline constexpr uint64_t kMostEventsLookedAt = 200'000;

struct AllocationTable {
  std::vector<Allocation> rows;
  int64_t bytes = 0;             // requested, of all rows
  size_t considered = 0;         // before the filter
  uint64_t events_left_out = 0;  // at the range's beginning
};
AllocationTable MakeAllocationTable(const timeline::View& view, const AllocationQuery& query);

// With a header; fields that hold a comma or a quote are quoted (RFC 4180).
std::string AllocationsAsCsv(const timeline::View& view, const std::vector<Allocation>& rows);

}  // namespace tidemark::presenters
