// Which layer holds a block: one answer for all that tells of layers. Pure, any thread. O(length of its
// name).
#pragma once

#include <string_view>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// Whether it is a parameter's, its gradient's or what an optimizer keeps for it.
bool IsOfParameter(events::Category category);

// The layer that it belongs to: that in which it was allocated; of what was allocated before any layer ran,
// such as parameters, or after them all, such as an optimizer's state, that whose parameter its name tells of
// ("conv1.weight exp_avg" is conv1's). "" where neither is told.
std::string_view LayerOf(const View& view, const LiveBlock& block);

}  // namespace tidemark::timeline
