// Looks beside the window for what stands out in the run that is shown, again as it goes on. UI thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "app/gui/view/run_findings.h"

namespace tidemark::gui {

class FindingsWatch {
 public:
  // `jobs` end before this does.
  explicit FindingsWatch(BackgroundJobs* jobs) : jobs_(jobs) {}
  FindingsWatch(const FindingsWatch&) = delete;
  FindingsWatch& operator=(const FindingsWatch&) = delete;

  struct Subject {
    std::shared_ptr<const timeline::View> view;  // not empty
    ByteUnit unit = ByteUnit::kMegabytes;
    CardMemory card;

    bool operator==(const Subject&) const = default;
  };
  // Call as often as the window looks for news; looks where there are some, but at a run that goes on once a
  // second.
  void Look(const Subject& subject, bool goes_on);
  // Another run is shown, or another rank: what is found yet of the one before is nothing.
  void Forget();
  // Null: nobody has looked yet.
  const RunFindings* found() const { return found_ ? &*found_ : nullptr; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Looked {
    Subject subject;
    Clock::time_point at;
  };

  BackgroundJobs* jobs_;
  std::optional<Looked> looked_;  // what was looked into last; none of this run = nothing yet
  bool is_looking_ = false;
  LatestRequest latest_;
  std::optional<RunFindings> found_;
};

}  // namespace tidemark::gui
