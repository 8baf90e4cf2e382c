// A run whose events come from one process of a user's program, which somebody else started
// (program_recorder.h). It takes no commands but Stop().
//
// What Run promises is for any thread. The rest is the recorder's: its ingest thread does the work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/process_end.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/event_intake.h"
#include "profiler/session/run.h"

namespace tidemark::session {

// The state and the sentence of a program that ended with this exit code (128 + N if signal N ended it), and
// why where it failed by itself: `error_output`, the last lines that it wrote to standard error.
RunStatus EndOfProgram(int exit_code, const std::string& error_output = {});

class ProgramRun final : public WatchedRun {
 public:
  // `stop` asks the program to end, from any thread; none = only who started it can.
  ProgramRun(events::RunDescription description, std::function<void()> stop);

  std::shared_ptr<const timeline::View> view() const override;
  RunStatus status() const override;
  events::RunDescription description() const override;
  bool can_stop() const override;
  bool has_file() const override { return recording().has_value() && status().recording_error.empty(); }
  std::optional<std::filesystem::path> recording() const override;

  void Stop() override;

  // Until the program has ended, of which this process is a part.
  bool WaitUntilSettled(int timeout_ms) override;

  // When the process ended before what had started it, as is seen where the kernel tells (CLOCK_REALTIME); 0
  // if it did not.
  int64_t own_end_ns() const;
  // It did, and is known to have ended badly.
  bool failed_itself() const;

  // --- the recorder's ---

  // Makes the ring, before HandOver.
  Status Open(size_t ring_events, size_t budget_events);
  // After Open. Errors: the file cannot be created.
  Status RecordTo(const std::filesystem::path& file, const KeptPart& kept = {});
  // Hands the ring to the process that asked for it, which is called this from now on.
  Status HandOver(const transport::Listener::Caller& caller, std::string title,
                  std::optional<int32_t> rank = {});  // none = no launcher told it
  // The process was not recorded, and why.
  void Decline(const transport::Listener::Caller& caller, std::string title, std::string why);
  // Whether there was anything in the ring.
  bool Take();
  // Makes what was taken since the last time visible.
  // Whether there was any.
  bool Publish();
  void Flush();
  // Readable when this process alone has ended, which is not the program's own end: EndItself then. -1 where
  // there is nothing to wait for.
  int end_fd() const { return process_end_ ? process_end_->fd() : -1; }
  // Takes what the process left, closes its recording, and tells how it ended, as far as that is known;
  // publishes. Holds no descriptor from then on.
  void EndItself();
  // The program has ended with this exit code (128 + N if signal N ended it): takes what it left, closes the
  // recording with these notes (events/run_description.h) beside those of its start, publishes. A process
  // that had ended before has its own end; of one that runs on is taken what is there, and that it does is
  // told.
  void Conclude(int exit_code, const std::vector<std::string>& notes, const std::string& error_output = {});
  // After Conclude: whether all of what it told tells of no memory, and not only what is kept of it.
  bool held_nothing() const { return held_nothing_; }
  // After Conclude, where there is nothing in it that anybody wants. False, and the status says why, where
  // the file stays.
  bool RemoveRecording();

 private:
  void Call(const transport::Listener::Caller& caller, std::string title);
  Status FollowEndOf(pid_t process);
  void TakeTheRest(bool producer_dead);
  void DescribeCard();
  std::optional<RunStatus> OwnEnd() const;
  // What the run says of its end, from here on.
  void Settle(const RunStatus& end, const std::vector<std::string>& notes);
  // Nothing comes any more: the recording is closed, and what was held for it given back.
  void EndIntake(events::RunDescription& described);
  // What was told since then goes into the closed recording, once: its end is the program's.
  void DescribeClosed(const events::RunDescription& described);

  const std::function<void()> stop_;
  // The ingest thread's, all five.
  std::optional<EventIntake> intake_;  // until the process has ended
  bool has_news_ = false;
  bool held_nothing_ = false;              // once the process has ended
  std::optional<uint64_t> closed_bytes_;   // of a recording that was closed whole
  std::optional<ProcessEnd> process_end_;  // while the process runs, if somebody else than we started it

  mutable Mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::shared_ptr<const timeline::View> view_ TIDEMARK_GUARDED_BY(mutex_);
  RunStatus status_ TIDEMARK_GUARDED_BY(mutex_);
  int64_t own_end_ns_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::optional<RunStatus> own_end_ TIDEMARK_GUARDED_BY(mutex_);  // where it is known in full
  bool is_over_ TIDEMARK_GUARDED_BY(mutex_) = false;              // the program is
  events::RunDescription description_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<std::filesystem::path> recording_ TIDEMARK_GUARDED_BY(mutex_);
};

// Neither from PyTorch nor from the CUDA driver.
bool HeldNothing(const timeline::View& view);

}  // namespace tidemark::session
