// What a run's requests took of the allocator as it was, and with other settings: both curves over each
// other.
#pragma once

#include "profiler/advice/what_if.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

// As wide as the room. UI thread, inside a frame; O(columns).
void DrawWhatIfPlot(const advice::WhatIf& outcome, ByteUnit unit);

}  // namespace tidemark::gui
