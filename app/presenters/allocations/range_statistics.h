// What happened in a stretch of a run: how much was allocated and freed, where it was highest, what was born
// and freed within it, and how large requests were. Pure functions, any thread. O(events in the stretch)
// time; memory O(blocks that are alive at once).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "profiler/base/format.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct CountAndBytes {
  uint64_t count = 0;
  int64_t bytes = 0;

  bool operator==(const CountAndBytes&) const = default;
};

// Requests of 2^k bytes and more, less than 2^(k + 1); the first also has those of 0 bytes, the last all
// larger ones: half a petabyte is the most that a size can be written as (ParseBytes).
inline constexpr size_t kSizeBins = 50;
size_t SizeBinOf(int64_t bytes);
// Where one begins: "64 KiB", or "65.5 kB".
std::string SizeBinTitle(size_t bin, ByteUnit unit);
// What the table of allocations is to be asked for one: ">=64KiB <128KiB".
std::string FilterOfSizeBin(size_t bin);

// After so many other allocations at the most what is freed again was short-lived: memray's default for its
// temporary allocations (`--temporary-allocation-threshold`).
inline constexpr uint64_t kShortLived = 1;

struct RangeStatistics {
  events::EventIndex first = 0;
  events::EventIndex end = 0;  // one past the last
  // As kAllocated counts them, in blocks: what was allocated less what was freed is by how much it grew.
  CountAndBytes allocated;
  CountAndBytes freed;
  int64_t net_bytes = 0;
  timeline::View::Peak peak;  // of kAllocated, as timeline::HighestMoment
  CountAndBytes temporary;    // blocks, born and gone within the stretch
  CountAndBytes short_lived;  // of these
  // The largest request, the first of them; none without any.
  std::optional<timeline::LiveBlock> largest;
  std::array<CountAndBytes, kSizeBins> sizes;  // requests, by the bytes that were asked for
};

// Of [first, end), as far as the view holds it. Reports 0..1; nothing if that said that nobody waits any
// more.
std::optional<RangeStatistics> MakeRangeStatistics(const timeline::View& view, events::EventIndex first,
                                                   events::EventIndex end, const Progress& progress);

}  // namespace tidemark::presenters
