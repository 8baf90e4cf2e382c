// The trainer's starts, one at a time: what was shown or started before has ended, and its GPU memory is
// free, before the next begins. Runs that are shown no more end here, beside the window, and are kept where
// nobody saved them. UI thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "app/gui/kept_runs.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

class StartQueue {
 public:
  using StartedRun = Result<std::shared_ptr<session::Run>>;
  struct Calls {
    std::function<session::LiveOptions()> options;                         // as they are when a start begins
    std::function<StartedRun(const session::LiveOptions& options)> start;  // on another thread
    // Of the start that was wanted last. None: the person has cancelled it.
    std::function<void(const session::LiveOptions& options, std::optional<StartedRun> run)> then;
    std::function<void(const KeptRun& kept)> kept;
  };

  // `jobs` end before this does. `folder`: where runs are kept that nobody saved.
  StartQueue(BackgroundJobs* jobs, std::filesystem::path folder, Calls calls)
      : jobs_(jobs), folder_(std::move(folder)), calls_(std::move(calls)) {}
  StartQueue(const StartQueue&) = delete;
  StartQueue& operator=(const StartQueue&) = delete;

  // A start is wanted after `before` has ended, in the place of any that was wanted until now.
  void Want(LeavingRun before);
  // Something else is shown, or nothing any more: no start is wanted. What waits for its end ends.
  void Unwant();
  bool is_wanted() const { return latest_.latest().wanted(); }
  // A process takes its time to end, and much memory to be given back.
  void End(LeavingRun leaving);

 private:
  struct Start {
    Request request;
    session::LiveOptions options;
    std::vector<KeptRun> kept;          // of what was shown before
    std::optional<StartedRun> outcome;  // none = it was given up before
    bool is_cancelled = false;          // by the person
  };
  void BeginIfFree();
  void Finish(Start& start);
  void LetGoOf(Start& start);

  BackgroundJobs* jobs_;
  std::filesystem::path folder_;
  Calls calls_;
  LatestRequest latest_;
  bool is_under_way_ = false;
  int ending_ = 0;                   // processes
  std::vector<LeavingRun> waiting_;  // ends before the next start begins
};

}  // namespace tidemark::gui
