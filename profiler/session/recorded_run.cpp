#include "profiler/session/recorded_run.h"

#include <span>

#include "profiler/session/shortage.h"
#include "profiler/trace/importers/import.h"

namespace tidemark::session {

namespace {

// One under way is not done. Of a run that is too long to be kept whole, its own number tells how many there
// were.
int64_t StepsDone(const timeline::View& view) {
  int64_t complete = 0;
  int64_t last = -1;
  for (const timeline::Step& step : view.steps()) {
    if (!step.complete) continue;
    ++complete;
    last = step.number;
  }
  return view.first() == 0 ? complete : last + 1;
}

}  // namespace

Result<std::unique_ptr<Run>> RecordedRun::Open(const std::filesystem::path& file,
                                               const std::function<bool(double)>& progress) {
  timeline::Builder builder;
  const Result<trace::TideSummary> summary = trace::Import(
      file, [&](std::span<const events::Event> events) { builder.Append(events); }, progress);
  if (!summary) return summary.error();
  std::unique_ptr<RecordedRun> run(new RecordedRun());
  run->view_ = builder.Publish();
  run->description_ = summary->description;
  run->bookmarks_ = summary->bookmarks;
  run->status_.state = RunState::kFinished;
  run->status_.sentence = summary->warning;
  run->status_.cut_off = !summary->complete;
  run->status_.captured = summary->events;
  run->status_.lost = run->view_->health().lost;
  run->status_.steps_done = StepsDone(*run->view_);
  run->status_.out_of_memory = !WentOnAfterFailures(*run->view_);
  return std::unique_ptr<Run>(std::move(run));
}

}  // namespace tidemark::session
