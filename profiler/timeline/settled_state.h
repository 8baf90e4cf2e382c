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

// Until when what a block proves to be counts at a moment: the end of its step, or between steps the
// beginning of the next; the view's end where there is none. Of runs without steps a million events at most,
// so that a moment that is dragged through one is shown at once. O(log steps).
EventIndex SettledBy(const View& view, EventIndex index);

}  // namespace tidemark::timeline
