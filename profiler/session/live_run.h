// A run whose events come from a trainer process. The owner's thread puts commands into an outbox and reads
// the status; the ingest thread does everything else: it starts the process, moves events, reports and
// commands, and explains its end.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/transport/channel.h"
#include "profiler/session/event_intake.h"
#include "profiler/session/launch.h"
#include "profiler/session/run.h"
#include "profiler/session/trainer_process.h"

namespace tidemark::session {

class LiveRun final : public Run {
 public:
  static Result<std::unique_ptr<LiveRun>> Start(const LiveOptions& options);
  ~LiveRun() override;  // asks it to stop; one second later kills it

  std::shared_ptr<const timeline::View> view() const override;
  RunStatus status() const override;
  events::RunDescription description() const override;
  bool live() const override;
  bool has_file() const override { return has_file_ && status().recording_error.empty(); }

  bool Change(const networks::TrainingSettings& settings) override;
  bool SetMode(transport::RunMode mode) override;
  bool SetPace(double steps_per_second) override;
  bool Restart(const networks::TrainingSettings& settings) override;
  bool SetStepLimit(int64_t steps) override;
  void Stop() override;

  bool WaitUntilSettled(int timeout_ms) override;

  // Asks it to stop, and kills it if it has not by then. Any thread.
  void EndWithin(std::chrono::milliseconds grace);

 private:
  using Clock = std::chrono::steady_clock;

  LiveRun(const LiveOptions& options, transport::Channel channel, transport::RingReader ring,
          std::optional<trace::TideWriter> recording, events::RunDescription description);
  bool Enqueue(transport::Command command);
  bool IsLive() const TIDEMARK_REQUIRES(mutex_);

  // All of the following: the ingest thread.
  void Ingest(const Launch& launch, transport::Channel child_end, std::promise<Status> started);
  bool Turn();
  void Rest(bool busy);
  void SendCommands();
  void ReceiveReports();
  void ApplyReports();
  void Apply(const transport::Report& report) TIDEMARK_REQUIRES(mutex_);
  void PublishView();
  void UpdateCounters() TIDEMARK_REQUIRES(mutex_);
  void CloseChannel();
  void KillAfter(std::chrono::milliseconds grace);
  void Conclude();
  bool StopAsked() const;
  RunStatus EndStatus(RunStatus status) const;

  // The ingest thread's own.
  std::optional<transport::Channel> channel_;
  EventIntake intake_;
  std::optional<TrainerProcess> process_;
  std::string sending_;  // the command on its way; "" if there is none
  std::vector<transport::Report>
      reports_;  // received, and not to be seen before the events that came before them
  std::optional<transport::Report> ending_;  // Finished or Failed
  bool unpublished_ = false;
  bool told_asking_ = false;
  Clock::time_point published_at_{};
  Clock::time_point flushed_at_{};
  Clock::time_point busy_at_{};

  const bool has_file_;
  const UniqueFd wake_fd_;
  std::atomic<int64_t> kill_at_ns_{0};  // on Clock; 0 = never

  mutable Mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::shared_ptr<const timeline::View> view_ TIDEMARK_GUARDED_BY(mutex_);
  RunStatus status_ TIDEMARK_GUARDED_BY(mutex_);
  events::RunDescription description_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<transport::Command> outbox_ TIDEMARK_GUARDED_BY(mutex_);
  bool stop_asked_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool at_step_limit_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int64_t step_limit_ TIDEMARK_GUARDED_BY(mutex_) = 0;

  std::thread ingest_thread_;
};

}  // namespace tidemark::session
