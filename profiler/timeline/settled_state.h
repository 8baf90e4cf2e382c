// What was alive at a moment, by what it proved to be. Much is categorised only when somebody learns what it
// is for: an optimizer's state when its step is over, a gradient when it is accumulated, a workspace when a
// library is called with it. Pure functions, any thread. However far `until` lies behind `index`: as two
// states, and an event for each block that is freed in between.
#pragma once

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// As View::StateAt, but blocks that were temporary or unknown at `index` have, and count in, the category
// that they had when they were freed, or before event `until` if they outlive it. A temporary one that is
// saved for backward later stays so; so does one whose end the view does not know: its free was lost, or its
// birth let go.
State SettledStateAt(const View& view, EventIndex index, EventIndex until);
View::StateEffort EffortOfSettledState(const View& view, EventIndex index, EventIndex until);  // O(1)

// Until when what a block proves to be counts at a moment: the end of its step, or between steps the
// beginning of the next; the view's end where there is none. O(log steps).
EventIndex SettledBy(const View& view, EventIndex index);

}  // namespace tidemark::timeline
