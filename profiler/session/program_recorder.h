// Records every process of a user's program that asks for a ring, through the probe (profiler/capture/probe)
// or the recorder of programs on the phantom (profiler/capture/program): each its own stream and its own
// file. Somebody else starts the program, with the recorder's entry in its environment, and says when it has
// ended.
//
// The owner's thread; the ingest thread does the work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/base/unique_fd.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/event_intake.h"

namespace tidemark::session {

struct RecorderOptions {
  bool on_phantom = false;             // asked by the recorder of programs on the phantom; else by the probe
  events::RunDescription description;  // of the program; a process adds its label and number
  std::optional<std::filesystem::path> recording;  // of the first process; others' names are made of it
  size_t budget_events = timeline::kDefaultBudgetEvents;  // of each
  size_t ring_events = transport::kDefaultRingCapacity;
};

// "rank 3 of 8, local rank 3", from what a launcher (torchrun, mpirun, srun) put into its environment, as
// /proc/PID/environ holds it; "" if nothing.
std::string RankLabel(std::string_view environment);
// run.tide → run.rank3.tide; → run.4711.tide for a process without a rank that is not the first.
std::filesystem::path RecordingOf(const std::filesystem::path& recording, std::string_view environment,
                                  int process_id, bool is_first);

class ProgramRecorder {
 public:
  static Result<std::unique_ptr<ProgramRecorder>> Start(const RecorderOptions& options);
  ~ProgramRecorder();

  // "NAME=value", for the program's environment.
  const std::string& environment_entry() const { return environment_entry_; }
  // The program has ended with this exit code (128 + N if signal N ended it): what it left is taken, and the
  // recordings are closed. Once.
  void End(int exit_code);

  struct Process {
    events::RunDescription description;
    std::optional<std::filesystem::path> recording;
    std::shared_ptr<const timeline::View> view;
    uint64_t captured = 0;  // events
    uint64_t lost = 0;
    std::string error;  // why it is not recorded, or not to its end
  };
  // One that has ended and left the ring, before End: it is forgotten here. Nothing if it never asked.
  std::optional<Process> Take(int process_id);
  // After End: the others, in the order in which they asked.
  const std::vector<Process>& processes() const { return processes_; }

 private:
  ProgramRecorder(const RecorderOptions& options, transport::Listener listener);
  void Ingest();
  void AnswerCallers();
  void Answer(const transport::Listener::Caller& caller);
  void AnswerTake();
  Process Finish(size_t index, int exit_code);
  void Wake();

  const RecorderOptions options_;
  const transport::Listener listener_;
  const std::string environment_entry_;
  const UniqueFd wake_fd_;
  std::atomic<bool> ended_{false};
  std::atomic<int> exit_code_{0};

  std::vector<Process> processes_;                     // the ingest thread's until End
  std::vector<std::unique_ptr<EventIntake>> intakes_;  // of the same processes; null where there is none
  mutable Mutex mutex_;
  std::condition_variable_any taken_is_there_;
  std::optional<int> wanted_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<Process> taken_ TIDEMARK_GUARDED_BY(mutex_);

  std::thread ingest_thread_;
};

}  // namespace tidemark::session
