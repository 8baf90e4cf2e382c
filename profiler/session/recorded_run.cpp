#include "profiler/session/recorded_run.h"

#include <span>

#include "profiler/trace/importers/import.h"
#include "profiler/trace/save.h"

namespace tidemark::session {

Result<std::unique_ptr<Run>> RecordedRun::Open(const std::filesystem::path& file,
                                               const std::function<bool(double)>& progress) {
  timeline::Builder builder;
  const Result<trace::TideSummary> summary = trace::Import(
      file, [&](std::span<const events::Event> events) { builder.Append(events); }, progress);
  if (!summary) return summary.error();
  std::unique_ptr<RecordedRun> run(new RecordedRun());
  run->view_ = builder.Publish();
  run->description_ = summary->description;
  run->status_.state = RunState::kFinished;
  run->status_.sentence = summary->warning;
  run->status_.captured = summary->events;
  run->status_.lost = run->view_->health().lost;
  const auto& steps = run->view_->steps();
  for (size_t i = steps.size(); i > 0 && run->status_.steps_done == 0; --i) {
    if (steps[i - 1].complete) run->status_.steps_done = steps[i - 1].number + 1;
  }
  run->status_.out_of_memory = !run->view_->out_of_memory().empty();
  return std::unique_ptr<Run>(std::move(run));
}

Status RecordedRun::Save(const std::filesystem::path& file) const {
  return trace::SaveTide(*view_, description_, file);
}

}  // namespace tidemark::session
