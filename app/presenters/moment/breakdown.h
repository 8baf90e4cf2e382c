// What was allocated at a moment by category, then every level from requested to the card: textbook, phantom
// and measurement side by side, in bytes. Pure functions, any thread. O(live blocks + chunks).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/moment/peak_moment.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct BreakdownRow {
  std::string title;
  std::optional<events::Category> category;  // none for the totals
  std::optional<int64_t> textbook_bytes;
  std::optional<int64_t> phantom_bytes;
  std::optional<int64_t> measured_bytes;
  std::optional<int64_t> difference_bytes;  // measured − phantom
  bool is_unsampled = false;  // the card was not asked while the process held what it holds at this moment
  std::optional<timeline::Series> level = {};   // of the totals
  std::optional<int64_t> requested_bytes = {};  // of what is measured, where it is told: blocks are larger
  // Where it is not sampled: what the card told nearest to the moment, and how long after it (below 0:
  // before), as `info` does; none where that is of the run before.
  std::optional<int64_t> told_bytes = {};
  int64_t away_ns = 0;
  std::optional<int64_t> at_moment_bytes = {};  // of what is measured at its highest, where that was another
};
// Values that do not exist are absent: what the textbook has no formula for, segments where nobody reports
// any, and blocks (View::tells_blocks). Requested and reserved are the highest of a complete step, all else
// is as it stood at its allocated peak.
struct Breakdown {
  std::string moment;                  // "at the peak of step 42", "no step is complete yet"
  std::vector<BreakdownRow> rows;      // categories in their order, without those that nobody knows bytes in
  std::vector<BreakdownRow> totals;    // requested, allocated, reserved; driver, process, card where measured
  std::string untold;                  // WhyUntold: nothing is measured of categories, nor below the driver
  std::optional<HigherMoment> higher;  // than the peak that is told
};
// As it stood at a moment; without one, what is known on paper. What the phantom predicts is its peak's, so
// it belongs beside a peak, or where memory ran out.
Breakdown MakeBreakdown(const timeline::View& view, const std::optional<textbook::Estimate>& textbook,
                        const std::optional<session::Prediction>& phantom,
                        const std::optional<PeakMoment>& moment);

// A category's part of what was allocated at that moment; nothing for totals.
std::optional<double> ShareOfAllocated(const Breakdown& breakdown, const BreakdownRow& row);

// Of a run whose settings were changed: why it has more allocated than is predicted for them; "" where it has
// not.
std::string WhyMoreIsAllocated(const Breakdown& breakdown);

}  // namespace tidemark::presenters
