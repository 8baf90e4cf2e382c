// What was alive at a moment, by what it proved to be. Much is categorised only when somebody learns what it
// is for: an optimizer's state when its step is over, a gradient when it is accumulated, a workspace when a
// library is called with it. Pure function, any thread. O(chunk + live + events from `index` to `until`).
#pragma once

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// As View::StateAt, but blocks that were temporary or unknown at `index` have, and count in, the last
// category that they got before they were freed, or before event `until`. A temporary one that is saved for
// backward later stays so.
State SettledStateAt(const View& view, EventIndex index, EventIndex until);

}  // namespace tidemark::timeline
