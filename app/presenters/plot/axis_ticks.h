// The figures at a chart's axes: round, evenly spaced, and no more than there is room for. Pure. O(ticks).
#pragma once

#include <string>
#include <vector>

#include "app/presenters/plot/timeline_plot.h"
#include "profiler/base/format.h"

namespace tidemark::presenters {

// The least of 1, 2 and 5 times a power of ten of which `span` holds no more than `most` (at least one).
double RoundStep(double span, int most);
// The same of an axis of sizes, round in the unit that they are told in: "50 MiB" and not "47.7 MiB".
double RoundBytes(double span_bytes, int most, ByteUnit unit);

struct AxisTick {
  double position = 0;  // on the axis
  std::string text;     // "2,000", "1.25", "12:30"
};

struct AxisTicks {
  std::string unit;  // of all of them: "event"; "s", "ms", "µs" or "ns"; "min:s" and "h:min" of long runs
  std::vector<AxisTick> ticks;
};

// Of the timeline's horizontal axis: numbers of events, or time since the view's first event. What lies
// before its zero has none. `most` >= 1.
AxisTicks TicksOver(TimeAxis axis, const VisibleRange& visible, int most);

}  // namespace tidemark::presenters
