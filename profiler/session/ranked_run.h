// Several ranks that train one model on this machine, as one run: a trainer process for each, of which rank 0
// takes the commands and tells the others (profiler/training/distributed). What is shown is rank 0; the
// others are in ranks().
//
// No rank outlives another: where one ends, all do, and the status says which one was the reason. Commands
// and status from the owner's thread, as of any run; a thread of its own watches for ends.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "profiler/session/live_run.h"

namespace tidemark::session {

class RankedRun final : public Run {
 public:
  // As many as the settings' ranks. Recordings get each rank's number into their names: run.rank0.tide.
  static Result<std::unique_ptr<Run>> Start(const LiveOptions& options);

  std::shared_ptr<const timeline::View> view() const override { return leader().view(); }
  RunStatus status() const override;
  events::RunDescription description() const override { return leader().description(); }
  bool live() const override { return leader().live(); }
  bool has_file() const override { return leader().has_file(); }
  std::vector<const Run*> ranks() const override;

  // How many there are is settled: of other settings nothing is changed.
  bool Change(const networks::TrainingSettings& settings) override;
  bool Restart(const networks::TrainingSettings& settings) override;
  bool SetMode(transport::RunMode mode) override { return leader().SetMode(mode); }
  bool SetPace(double steps_per_second) override { return leader().SetPace(steps_per_second); }
  bool SetStepLimit(int64_t steps) override { return leader().SetStepLimit(steps); }
  void Stop() override { leader().Stop(); }

  bool WaitUntilSettled(int timeout_ms) override;

 private:
  explicit RankedRun(std::vector<std::unique_ptr<LiveRun>> ranks);
  LiveRun& leader() const { return *ranks_.front(); }
  bool AnyEnded() const;
  bool AllEnded() const;
  size_t FindReason() const;
  void WatchForEnds(const std::stop_token& stop);

  static constexpr size_t kNone = static_cast<size_t>(-1);
  const std::vector<std::unique_ptr<LiveRun>> ranks_;
  std::atomic<size_t> reason_{kNone};  // the rank that was the reason for the end of all, once that is found
  std::atomic<bool> reason_found_{false};
  std::jthread watcher_;  // stops before the ranks go
};

}  // namespace tidemark::session
