// A run: one training process or one recording, its timeline, and what may be asked of it. The window and the
// command line both work on this and on nothing below it.
//
// Live and recorded runs go one way: chunks of events → (recording on disk) → timeline builder → views. A
// live run has an ingest thread that pops the ring, writes the recording and publishes views. All methods are
// for any thread, several at once: what changes is behind a lock of the implementation's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/rank_place.h"
#include "profiler/base/result.h"
#include "profiler/capture/transport/messages.h"
#include "profiler/capture/transport/ring.h"
#include "profiler/events/run_description.h"
#include "profiler/networks/training_settings.h"
#include "profiler/timeline/timeline.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::session {

enum class RunState : uint8_t {
  kStarting,  // the process loads LibTorch
  kRunning,
  kPaused,
  kFinished,  // stopped in order, or the recording was read to its end
  kFailed,    // ended by an error that it could explain: out of memory, an unmodelled function
  kDied,      // killed, crashed: it could not explain itself
};

struct RunStatus {
  RunState state = RunState::kStarting;
  std::string sentence;        // empty unless there is something to tell: why it ended, what to do
  bool out_of_memory = false;  // memory ran out, and the run did not go on (shortage.h)
  bool lost_rank = false;      // it ended only because another rank was gone
  bool cut_off = false;        // of a file: it ends before its run did, or is damaged from there on
  int64_t steps_done = 0;
  uint64_t captured = 0;        // events
  uint64_t lost = 0;            // dropped by the ring, or torn
  std::string error_output;     // of a program that ended badly: its last lines, where it was started here
  std::string recording_error;  // "" or why the recording could not go on; the run does
  // Of a run on a phantom: why cuDNN's workspaces are missing from its figures ("" if they are not), and
  // whether it has been waiting for cuDNN's answers.
  std::string without_workspaces;
  std::vector<std::string> unknown_sizes;  // what counts as 0, since nobody here knows its size
  bool asks_cudnn = false;
};

struct LiveOptions {
  networks::TrainingSettings settings;
  networks::DeviceChoice device;
  int64_t phantom_memory_bytes = 0;  // of a phantom instead of its card's own; 0 = its own
  double steps_per_second = 0;       // 0 = as fast as it goes
  int64_t step_limit = 0;            // 0 = none
  bool start_paused = false;
  // Among the settings' ranks; where nobody says, all of them start here, of a phantom rank 0.
  std::optional<RankPlace> place;
  std::vector<std::string> environment;            // "NAME=value", in addition to what its device needs
  std::optional<std::filesystem::path> recording;  // .tide file to write while it runs
  size_t budget_events = timeline::kDefaultBudgetEvents;
  size_t ring_events = transport::kDefaultRingCapacity;
  std::optional<std::filesystem::path>
      trainer_executable;  // another program that speaks the protocol; for tests
};

class Run {
 public:
  // Starts a trainer process. Errors: no such device, the trainer or the stand-ins are missing, the recording
  // cannot be created. What goes wrong later is in status().
  static Result<std::unique_ptr<Run>> Start(const LiveOptions& options);
  // Reads a recording; `progress` (0..1) is called from the reading thread and may return false to cancel.
  // `device`: what was on that card alone (one_card.h); an error where nothing was.
  static Result<std::unique_ptr<Run>> Open(const std::filesystem::path& file, const Progress& progress = {},
                                           std::optional<uint8_t> device = {});
  virtual ~Run() = default;  // stops a live trainer and waits until it is gone

  virtual std::shared_ptr<const timeline::View> view() const = 0;
  virtual RunStatus status() const = 0;
  virtual events::RunDescription description() const = 0;
  virtual bool live() const = 0;                    // can it take commands
  virtual bool can_stop() const { return live(); }  // whether Stop() ends something
  // Whether a file holds it, which it was read of or is being written to as it goes.
  virtual bool has_file() const { return false; }
  // The file that it is written to as it goes; none where there is none.
  virtual std::optional<std::filesystem::path> recording() const { return {}; }
  // All ranks of a distributed run that go on here, by their numbers, as far as they have come; they stay.
  // None of a run that is one alone.
  virtual std::vector<const Run*> ranks() const { return {}; }

  // That the recording holds itself, as exported traces do.
  virtual std::vector<trace::Bookmark> bookmarks() const { return {}; }

  // Commands; ignored (false) when the run is not live any more.
  virtual bool Change(const networks::TrainingSettings& settings) = 0;
  virtual bool SetMode(transport::RunMode mode) = 0;
  virtual bool SetPace(double steps_per_second) = 0;
  virtual bool Restart(const networks::TrainingSettings& settings) = 0;
  virtual bool SetStepLimit(int64_t steps) = 0;
  virtual void Stop() = 0;  // asks it to end; status() says when it has

  // Blocks until the run has ended or stands paused at its step limit, or until the time is over (false).
  // After Stop() only its end counts.
  virtual bool WaitUntilSettled(int timeout_ms) = 0;

  // Writes what the timeline holds as a .tide file; `progress` (0..1) may return false to cancel, which is an
  // error.
  Status Save(const std::filesystem::path& file, const Progress& progress = {}) const;
};

// One that takes no commands: it is seen only, and may be asked to end.
class WatchedRun : public Run {
 public:
  bool live() const final { return false; }
  bool Change(const networks::TrainingSettings&) final { return false; }
  bool SetMode(transport::RunMode) final { return false; }
  bool SetPace(double) final { return false; }
  bool Restart(const networks::TrainingSettings&) final { return false; }
  bool SetStepLimit(int64_t) final { return false; }
};

}  // namespace tidemark::session
