// Writing what a timeline holds as a recording.
#pragma once

#include <filesystem>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/events/event.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::trace {

// What a timeline that had to let its oldest events go still knows of the time before its second event, as
// events: the names, the settings in force, what sources had lost and said of themselves, the segments and
// blocks that were alive, the levels, the phase and the step under way; then the first event itself, where
// that is not told by these. What is of no source is from Source::kSession. O(names + alive).
std::vector<events::Event> PrologueOf(const timeline::View& view);

// The file reads back as the same events. If the timeline had to let its oldest events go, the file begins
// with PrologueOf(view), then the events go on from the second one that the view holds, and a note tells how
// many are missing. Leaves an existing
// file as it was unless all went well. `progress` (0..1) may return false to cancel, which is an error.
Status SaveTide(const timeline::View& view, const events::RunDescription& description,
                const std::filesystem::path& file, const Progress& progress = {});

}  // namespace tidemark::trace
