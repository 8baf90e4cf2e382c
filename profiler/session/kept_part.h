// Which part of a program's run is recorded, where that is not all of it, and where it lies among the run's
// events. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "profiler/events/joined_steps.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"
#include "profiler/trace/save.h"

namespace tidemark::session {

// Its end: so many steps, and what came after them, such as a step that memory ended; or, where `steps` is 0,
// what makes a recording of so many bytes, about.
struct LastOfRun {
  int64_t steps = 0;
  int64_t bytes = 0;
};
// From the beginning of one step to the end of another.
struct StepsOfRun {
  int64_t first = 0;
  int64_t last = 0;
};
struct AllOfRun {};
using KeptPart = std::variant<AllOfRun, LastOfRun, StepsOfRun>;

// Once so many steps have ended, the first ones are what they were told as (events/joined_steps.h).
inline constexpr int64_t kStepsUntilSettled = events::kMostJoinedSteps + 2;

// What a timeline has to have room for (timeline::Builder).
size_t BudgetEventsFor(const KeptPart& kept);

// Begins where a step does, if there is one to begin with, else where the view does; ends with it.
trace::Part LastPartOf(const timeline::View& view, const LastOfRun& last);
// None where none of these steps has begun. Ends with the view where the last of them has not ended.
std::optional<trace::Part> StepsPartOf(const timeline::View& view, const StepsOfRun& steps);
// The view of a part alone.
std::shared_ptr<const timeline::View> ViewOf(const timeline::View& view, const trace::Part& part);

// A note (events/run_description.h) that tells of a view which part of the run is kept, and what was larger
// before it; "" where it is all of it.
std::string NoteOfPart(const timeline::View& view, const trace::Part& part, const KeptPart& asked);
// Whether one is there.
bool HoldsPart(const std::vector<std::string>& notes);
// Why none of the steps that were asked for is there. `steps_done`: by the run.
std::string WhyNoStepOf(const StepsOfRun& asked, int64_t steps_done);

}  // namespace tidemark::session
