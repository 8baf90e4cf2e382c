#include "app/presenters/moment/moment_title.h"

#include "profiler/base/format.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {

std::string StepTitle(const timeline::View& view, events::EventIndex index) {
  const timeline::Step* latest = timeline::LatestStepAt(view, index);
  if (latest == nullptr) return view.steps().empty() || view.first() > 0 ? "" : "before the first step";
  return (index <= latest->end ? "step " : "after step ") + FormatNumber(latest->number);
}

std::string MomentTitle(const timeline::View& view, events::EventIndex index) {
  const std::string step = StepTitle(view, index);
  return (step.empty() ? "" : step + " · ") + "event " + FormatNumber(static_cast<int64_t>(index));
}

}  // namespace tidemark::presenters
