// A run whose events come from a program of the user's, on the phantom: somebody else starts the program with
// an entry in its environment, and the first of its processes that uses CUDA asks for the ring
// (profiler/capture/transport/listener.h). It takes no commands but Stop().
//
// view(), status() and description() from any thread, the rest from the owner's; the ingest thread does the
// work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/base/unique_fd.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/event_intake.h"
#include "profiler/session/run.h"

namespace tidemark::session {

struct ProgramOptions {
  events::RunDescription description;              // its process is filled in once it is known
  std::optional<std::filesystem::path> recording;  // .tide file to write while it runs
  std::function<void()> stop;  // asks it to end; any thread. None = only who started it can
  size_t budget_events = timeline::kDefaultBudgetEvents;
  size_t ring_events = transport::kDefaultRingCapacity;
};

class ProgramRun final : public Run {
 public:
  // Errors: the recording cannot be created.
  static Result<std::unique_ptr<ProgramRun>> Start(const ProgramOptions& options);
  ~ProgramRun() override;

  // "NAME=value", for the program's environment.
  const std::string& environment_entry() const { return environment_entry_; }
  // The program has ended with this exit code (128 + N if signal N ended it): what it left is taken, and the
  // recording closed, with these notes (events/run_description.h). Once.
  void End(int exit_code, std::vector<std::string> notes = {});
  // Of its processes, those that used CUDA while another was recorded already.
  int unrecorded_processes() const { return unrecorded_; }

  std::shared_ptr<const timeline::View> view() const override;
  RunStatus status() const override;
  events::RunDescription description() const override;
  bool live() const override { return false; }
  bool can_stop() const override;

  bool Change(const networks::TrainingSettings&) override { return false; }
  bool SetMode(transport::RunMode) override { return false; }
  bool SetPace(double) override { return false; }
  bool Restart(const networks::TrainingSettings&) override { return false; }
  bool SetStepLimit(int64_t) override { return false; }
  void Stop() override;

  bool WaitUntilSettled(int timeout_ms) override;
  Status Save(const std::filesystem::path& file) const override;

 private:
  ProgramRun(const ProgramOptions& options, transport::Listener listener, transport::RingReader ring,
             std::optional<trace::TideWriter> recording);

  // All of the following: the ingest thread.
  void Ingest();
  void Rest(bool busy);
  void AnswerCallers();
  void Publish();
  void Conclude();

  const transport::Listener listener_;
  const std::string environment_entry_;
  const std::function<void()> stop_;
  EventIntake intake_;
  const UniqueFd wake_fd_;
  std::atomic<bool> ended_{false};
  std::atomic<int> exit_code_{0};
  std::vector<std::string> notes_;  // the ingest thread's, once ended_
  std::atomic<int> unrecorded_{0};
  bool answered_ = false;  // the ingest thread's
  bool unpublished_ = false;

  mutable Mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::shared_ptr<const timeline::View> view_ TIDEMARK_GUARDED_BY(mutex_);
  RunStatus status_ TIDEMARK_GUARDED_BY(mutex_);
  events::RunDescription description_ TIDEMARK_GUARDED_BY(mutex_);

  std::thread ingest_thread_;
};

}  // namespace tidemark::session
