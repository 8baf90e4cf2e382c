// Runs a sweep over an option of a person's program beside the window, one at a time. UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "app/gui/background/program_sweep.h"
#include "profiler/base/result.h"
#include "profiler/session/program_order.h"

namespace tidemark::gui {

class SweepRunner {
 public:
  // How a sweep has ended.
  struct End {
    bool is_cancelled = false;                                       // by the person
    bool has_points = false;                                         // else nothing of it is shown
    std::string error;                                               // why it could not go on; "" = it could
    session::ProgramField faulty = session::ProgramField::kCommand;  // that it is about
  };

  // `jobs` end before this does. `run`: none = no sweeps can be started.
  SweepRunner(BackgroundJobs* jobs, session::SweepProgram run) : jobs_(jobs), run_(std::move(run)) {}
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Takes the place of the one that is shown, and ends it where it goes on. False where none can be started.
  bool Begin(const session::SweepOrder& order, const phantom::Card& card,
             const std::function<void(const End&)>& then);
  // Takes the points that have come. True if there is anything new.
  bool Poll();
  // Nothing of it is shown any more.
  void Close();
  // None = there is none to show.
  const ProgramSweep* shown() const { return shown_ ? &*shown_ : nullptr; }

 private:
  End Finish(const Result<std::vector<std::string>>& notes, bool is_cancelled);

  BackgroundJobs* jobs_;
  session::SweepProgram run_;
  std::optional<ProgramSweep> shown_;
  std::shared_ptr<SweepInbox> inbox_;  // while it goes on
  LatestRequest latest_;
};

}  // namespace tidemark::gui
