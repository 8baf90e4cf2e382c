// Two sequences beside each other: what agrees in order, and the gaps where one has what the other lacks.
// After a gap they count as being at the same place again where a run of values agrees, at the least number
// of values passed over; as in tests/phantom/compare_snapshots.py, but however long a gap is. With the
// sequences exchanged it is the same alignment, mirrored. Pure functions. O(n log n) time; O(n) memory from
// the first gap on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/base/progress.h"

namespace tidemark::presenters {

// From `a` and `b` on, so many values have no counterpart.
struct AlignmentGap {
  size_t a = 0;
  size_t b = 0;
  size_t only_a = 0;
  size_t only_b = 0;

  bool operator==(const AlignmentGap&) const = default;
};

struct Alignment {
  size_t agreed = 0;
  std::vector<AlignmentGap> gaps;  // ascending, never both sides empty
};

// `same_after_gap`: so many values have to agree before a gap is over; fewer where both sequences end with
// them. Where `progress` returns false nobody waits for the alignment, which is not whole.
Alignment Align(std::span<const int64_t> a, std::span<const int64_t> b, size_t same_after_gap,
                const Progress& progress = {});

}  // namespace tidemark::presenters
