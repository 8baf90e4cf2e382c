// Writing what a timeline holds as a recording.
#pragma once

#include <filesystem>
#include <functional>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::trace {

// The file reads back as the same events. If the timeline had to let its oldest events go, the file begins
// with what is still known of them: how many there were (kLoss), the names, the settings in force, the
// segments and blocks that were alive and the phase, all from Source::kSession; then the events go on from
// the second one that the view holds. Leaves an existing file as it was unless all went well. `progress`
// (0..1) may return false to cancel, which is an error.
Status SaveTide(const timeline::View& view, const events::RunDescription& description,
                const std::filesystem::path& file, const std::function<bool(double)>& progress = {});

}  // namespace tidemark::trace
