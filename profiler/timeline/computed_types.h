// In which type of number each layer's operators computed where autocast chose: what the dispatcher was given
// in the end, not what its lists promise. Pure; O(events of the step).
#pragma once

#include <map>
#include <string>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// Of one step's forward, by layer: "float16", or, where its operators differ, "float16: linear; float32:
// layer_norm". Layers of whose operators nobody told are not there, nor what
// the view has let go of.
std::map<std::string, std::string> ComputedTypes(const View& view, const Step& step);

}  // namespace tidemark::timeline
