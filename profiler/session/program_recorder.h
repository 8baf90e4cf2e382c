// Records every process of a user's program that asks for a ring, through the probe (profiler/capture/probe)
// or the recorder of programs on the phantom (profiler/capture/program): each its own stream and its own
// file. Somebody else starts the program, with the recorder's entry in its environment, and says when it has
// ended.
//
// The owner's thread; the ingest thread does the work.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/base/unique_fd.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/program_run.h"
#include "profiler/session/ranked_program.h"

namespace tidemark::session {

struct RecorderOptions {
  bool on_phantom = false;             // asked by the recorder of programs on the phantom; else by the probe
  bool first_only = false;             // other processes that ask are counted and not recorded
  bool local_rank_0_only = false;      // of ranks that a launcher starts; the others are counted as those are
  bool is_watched = false;             // somebody looks at the runs before their end
  std::function<void()> stop;          // asks the program to end; any thread. None = only who started it can
  events::RunDescription description;  // of the program; a process adds its label and number
  bool titled_by_process = false;      // its title is that of each process's own file: mpirun is not its rank
  // .tide file of the first process; others' names are made of it. Of the first only: written even if none
  // asks.
  std::optional<std::filesystem::path> recording;
  KeptPart kept;                                          // of each
  size_t budget_events = timeline::kDefaultBudgetEvents;  // of each
  size_t ring_events = transport::kDefaultRingCapacity;
};

// What to call a process: of a Python its script or module, of any other the name of its file; "" where it
// cannot be looked at, and of a Python that runs neither.
std::string ProgramOf(pid_t process);
// "rank 3 of 8, local rank 3", from what a launcher (torchrun, mpirun, srun) put into its environment, as
// /proc/PID/environ holds it; "" if nothing.
std::string RankLabel(std::string_view environment);
// run.tide → run.rank3.tide; → run.4711.tide for a process without a rank that is not the first.
std::filesystem::path RecordingOf(const std::filesystem::path& recording, std::string_view environment,
                                  int process_id, bool is_first);

class ProgramRecorder {
 public:
  // Errors: no ring, or the recording of the first only cannot be created.
  static Result<std::unique_ptr<ProgramRecorder>> Start(const RecorderOptions& options);
  ~ProgramRecorder();

  // "NAME=value", for the program's environment.
  const std::string& environment_entry() const { return environment_entry_; }
  // The run of the first process that asks; it waits for one from the start.
  const std::shared_ptr<ProgramRun>& first() const { return first_; }
  // With is_watched: that, or what holds memory instead, and the ranks among those that ask, as they come.
  const std::shared_ptr<RankedProgram>& watched() const { return watched_; }
  // The program has ended with this exit code (128 + N if signal N ended it): what it left is taken, and the
  // recordings are closed, with these notes (events/run_description.h). Once.
  // `error_output`: the last lines that it wrote to its standard error, where they are known.
  void End(int exit_code, std::vector<std::string> notes = {}, std::string error_output = {});

  // One that has ended and left the ring, before End: it is forgotten here. Where it never asked, the first
  // that did of those it started, or these; null if none did.
  std::shared_ptr<const ProgramRun> Take(int process_id);
  // After End: all that asked, in that order, but for what started ranks and held no memory itself. Why one
  // is not recorded, or not to its end, its status tells.
  const std::vector<std::shared_ptr<ProgramRun>>& runs() const { return runs_; }
  // With first_only, local_rank_0_only: those that asked in vain.
  int unrecorded_processes() const { return unrecorded_; }
  // After End: those of them that are no other ranks', which the notes tell of.
  int unrecorded_beside_ranks() const;
  // After End: how many ranks of the launcher's never asked: they run on other machines, or use no CUDA. 0
  // where no launcher told, and where it started the recorder, too: then each rank has one of its own.
  int unheard_ranks() const;
  // After End: "" or what may have kept one that asked from being recorded, which their notes tell, too.
  std::string trouble() const { return listener_.trouble(); }

 private:
  ProgramRecorder(const RecorderOptions& options, transport::Listener listener);
  void Ingest();
  bool TakeAll();
  // Waits for something to do, and follows the processes that have ended meanwhile.
  void Rest(bool busy);
  void FollowEnds(int timeout_ms);
  void LeaveOutLaunchers();
  void AnswerCallers();
  void Answer(const transport::Listener::Caller& caller, std::string_view environment);
  bool IsToBeRecorded(std::string_view environment) const;
  std::string NoteOfOtherRanks() const;  // that asked in vain; "" where none did
  std::filesystem::path FreshRecordingOf(std::string_view environment, int process_id) const;
  Status Open(ProgramRun& run) const;
  Status Prepare(ProgramRun& run, const std::filesystem::path& recording) const;
  std::vector<std::shared_ptr<ProgramRun>>::iterator FindRunOf(pid_t process);
  void AnswerTake();
  void Wake() const;

  const RecorderOptions options_;
  transport::Listener listener_;  // the ingest thread's
  const std::string environment_entry_;
  const UniqueFd wake_fd_;
  const std::shared_ptr<ProgramRun> first_;
  const std::shared_ptr<RankedProgram> watched_;
  std::atomic<bool> ended_{false};
  std::atomic<int> exit_code_{0};
  std::vector<std::string> notes_;  // the ingest thread's, once ended_; so is the next
  std::string error_output_;
  std::atomic<int> unrecorded_{0};

  std::vector<std::shared_ptr<ProgramRun>> runs_;  // the ingest thread's until End
  std::map<const ProgramRun*, std::vector<pid_t>>
      ancestors_;  // the ingest thread's, of runs_; so is the next
  bool first_has_asked_ = false;
  int world_ = 0;  // ranks that the launcher told of; so are the next three
  std::set<int> heard_ranks_;
  std::map<int, int> unrecorded_of_ranks_;  // how many asked in vain
  std::set<int> rank_processes_;
  Mutex mutex_;
  std::condition_variable_any taken_is_there_;
  std::optional<int> wanted_ TIDEMARK_GUARDED_BY(mutex_);
  std::shared_ptr<const ProgramRun> taken_ TIDEMARK_GUARDED_BY(mutex_);

  std::thread ingest_thread_;
};

}  // namespace tidemark::session
