// Puts what a run asked PyTorch's allocator for to it again beside the window: with other settings, on
// another card, after another run. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "app/gui/background/trials.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

// The allocator that a run had; fails with a sentence where it cannot be had here.
using AllocatorOfRun = std::function<Result<session::AllocatorOf>(const events::RunDescription&)>;

// The run that is tried.
struct TriedRun {
  std::shared_ptr<const timeline::View> view;  // not empty
  advice::AllocatorSetup own;
  events::RunDescription description;
};

class TrialRuns {
 public:
  // `jobs` end before this does; so do `cards` not. `allocator_of`: none = that of the LibTorch beside us.
  TrialRuns(BackgroundJobs* jobs, AllocatorOfRun allocator_of, const std::vector<phantom::Card>* cards)
      : jobs_(jobs), allocator_of_(std::move(allocator_of)), cards_(cards) {}
  TrialRuns(const TrialRuns&) = delete;
  TrialRuns& operator=(const TrialRuns&) = delete;

  const Trials& found() const { return found_; }
  // One at a time: nothing happens while another goes on. `then` runs where there is an outcome.
  void TryAll(const TriedRun& run, const std::function<void()>& then);
  void TryOther(const TriedRun& run, const OtherSetup& wanted, const std::function<void()>& then);
  // Another run is shown, or another rank: outcomes that come yet are of the one before.
  void Forget();

 private:
  std::optional<session::AllocatorOf> Begin(const TriedRun& run);
  void KeepOnlyOf(timeline::EventIndex end);

  BackgroundJobs* jobs_;
  AllocatorOfRun allocator_of_;
  const std::vector<phantom::Card>* cards_;
  Trials found_;
  LatestRequest latest_;
};

}  // namespace tidemark::gui
