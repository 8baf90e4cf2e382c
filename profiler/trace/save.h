// Writing what a timeline holds as a recording.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/events/event.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::trace {

// What a timeline knows of the time up to an event, that one included, as events: the names, the settings in
// force, what sources had lost and said of themselves, the segments and blocks that were alive, the levels,
// the phase and the step under way; then the event itself, where that is not told by these. What is of no
// source is from Source::kSession. O(names + alive); where something was lost O(events).
std::vector<events::Event> PrologueOf(const timeline::View& view, timeline::EventIndex until);
// Up to its first, of one that had to let its oldest events go.
std::vector<events::Event> PrologueOf(const timeline::View& view);

// Of a view the events in [begin, end).
struct Part {
  timeline::EventIndex begin = 0;
  timeline::EventIndex end = 0;
};
inline Part AllOf(const timeline::View& view) { return {view.first(), view.end()}; }

// Calls `accept` for batches of what tells a part of a view: PrologueOf its first event, where anything came
// before that, or the part begins there; its events; and the kernels, memory copies and memsets that began in
// its time. Ends with the first error of `accept`; `progress` (0..1) may return false to end it, which is an
// error, too.
Status TellPart(const timeline::View& view, const Part& part,
                const std::function<Status(std::span<const events::Event>)>& accept,
                const Progress& progress = {});

// Only that part, and as the description says.
Status SavePart(const timeline::View& view, const Part& part, const events::RunDescription& description,
                const std::filesystem::path& file, const Progress& progress = {});

// The same, of a recording that takes the place of the one before it, for who holds its `lock`: it is taken
// where he does not yet, and then the file is being recorded until he lets go of it. Errors: another records.
Status SavePart(const timeline::View& view, const Part& part, const events::RunDescription& description,
                const std::filesystem::path& file, UniqueFd& lock);

// The file reads back as the same events. If the timeline had to let its oldest events go, the file begins
// with PrologueOf(view), then the events go on from the second one that the view holds, and a note tells how
// many are missing. Leaves an existing
// file as it was unless all went well. `progress` (0..1) may return false to cancel, which is an error.
Status SaveTide(const timeline::View& view, const events::RunDescription& description,
                const std::filesystem::path& file, const Progress& progress = {});

}  // namespace tidemark::trace
