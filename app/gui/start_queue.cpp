#include "app/gui/start_queue.h"

#include <utility>

namespace tidemark::gui {
namespace {

// And its process, where somebody else holds the run yet: it is being saved, say.
void EndRun(LeavingRun& leaving) {
  constexpr int kLongestMs = 10'000;
  if (leaving.run != nullptr && leaving.run.use_count() > 1 && leaving.run->can_stop()) {
    leaving.run->Stop();
    leaving.run->WaitUntilSettled(kLongestMs);
  }
  leaving.run.reset();
}

}  // namespace

void StartQueue::Want(LeavingRun before) {
  latest_.Begin();
  waiting_.push_back(std::move(before));
  BeginIfFree();
}

void StartQueue::Unwant() {
  latest_.Drop();
  if (is_under_way_) return;  // what waits goes with the start that is given up
  for (LeavingRun& leaving : std::exchange(waiting_, {})) End(std::move(leaving));
}

void StartQueue::BeginIfFree() {
  if (!is_wanted() || is_under_way_ || ending_ > 0) return;
  is_under_way_ = true;
  jobs_->Start(
      "Starting the trainer", JobEnd::kWritten, latest_.latest(),
      [this, options = calls_.options(), leaving = std::exchange(waiting_, {}),
       request = latest_.latest()](const BackgroundJobs::Progress& progress) mutable -> BackgroundJobs::Then {
        // Shared, so that what is let go is not held here any more.
        const auto start = std::make_shared<Start>(Start{request, options, {}, {}, false});
        for (LeavingRun& old : leaving) {
          start->kept.push_back(KeepRun(old, folder_));
          EndRun(old);
        }
        if (progress.goes_on()) start->outcome = calls_.start(options);
        start->is_cancelled = !progress.goes_on();
        return [this, start] { Finish(*start); };
      });
}

void StartQueue::Finish(Start& start) {
  is_under_way_ = false;
  const bool has_come = start.request.wanted() && !start.is_cancelled && start.outcome;
  if (has_come) {
    latest_.Drop();
    calls_.then(start.options, std::move(start.outcome));
  }
  // After a run that has come, whose log begins with it.
  for (const KeptRun& kept : start.kept) calls_.kept(kept);
  if (!has_come) LetGoOf(start);
}

// Nobody wants it any more: it was cancelled, something else is shown, or another start came after it.
void StartQueue::LetGoOf(Start& start) {
  LeavingRun unwanted;
  if (start.outcome && *start.outcome) unwanted.run = std::move(**start.outcome);
  const bool is_another_wanted = is_wanted() && !start.request.wanted();
  if (is_another_wanted) {
    waiting_.push_back(std::move(unwanted));
    return BeginIfFree();
  }
  End(std::move(unwanted));
  for (LeavingRun& leaving : std::exchange(waiting_, {})) End(std::move(leaving));
  if (!is_wanted()) return;
  latest_.Drop();
  calls_.then(start.options, std::nullopt);
}

void StartQueue::End(LeavingRun leaving) {
  if (leaving.run == nullptr) return;
  const bool is_process = leaving.run->can_stop();
  if (is_process) ++ending_;
  jobs_->Start(is_process ? "Ending the run before" : "",
               leaving.needs_keeping ? JobEnd::kKept : JobEnd::kWhenDone,
               [this, leaving = std::move(leaving),
                is_process](const BackgroundJobs::Progress&) mutable -> BackgroundJobs::Then {
                 const KeptRun kept = KeepRun(leaving, folder_);
                 EndRun(leaving);
                 return [this, kept, is_process] {
                   calls_.kept(kept);
                   if (is_process) --ending_;
                   BeginIfFree();
                 };
               });
}

}  // namespace tidemark::gui
