// A user's program as one run for whoever watches it: the first of its processes that holds memory of a card,
// and once a launcher's ranks ask to be recorded, those, each as it comes (program_recorder.h). What only
// looks for cards, as launchers do, and what starts ranks itself, is seen until then.
//
// Any thread, ranks() among it, which may be more at each call.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/session/program_run.h"

namespace tidemark::session {

class RankedProgram final : public WatchedRun {
 public:
  explicit RankedProgram(std::shared_ptr<ProgramRun> first) : first_(std::move(first)) {}
  // One more that asked, in the place of its number if it has one: of a rank that is started again the new
  // process, of what a rank starts, which has its number too, nothing. The recorder's.
  void Add(const std::shared_ptr<ProgramRun>& process, bool is_rank);
  // The program ends like this, not only some of its processes. The recorder's.
  void End(const RunStatus& end);

  // Of the lowest rank, or where there is none of the first process that holds memory.
  std::shared_ptr<const timeline::View> view() const override { return Leader()->view(); }
  // It runs until the program has ended. Its sentence is of the rank that was the first to end badly before
  // that, if any, else of the process that is looked at, else of the program.
  RunStatus status() const override;
  events::RunDescription description() const override { return Leader()->description(); }
  bool can_stop() const override { return Leader()->can_stop(); }
  bool has_file() const override { return Leader()->has_file(); }
  std::optional<std::filesystem::path> recording() const override { return Leader()->recording(); }
  // By their numbers; they stay as long as this does. The one that holds memory where it is not the first
  // that asked, and none has a number.
  std::vector<const Run*> ranks() const override;

  void Stop() override { Leader()->Stop(); }

  bool WaitUntilSettled(int timeout_ms) override { return first_->WaitUntilSettled(timeout_ms); }

 private:
  std::shared_ptr<ProgramRun> Leader() const;
  const std::shared_ptr<ProgramRun>& Holder() const TIDEMARK_REQUIRES(mutex_);
  std::shared_ptr<ProgramRun> FirstThatFailed() const;
  std::optional<RunStatus> end() const;

  const std::shared_ptr<ProgramRun> first_;
  mutable Mutex mutex_;
  std::optional<RunStatus> end_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<ProgramRun>> ranks_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<ProgramRun>> processes_ TIDEMARK_GUARDED_BY(mutex_);  // other ones
  mutable std::shared_ptr<ProgramRun> holder_ TIDEMARK_GUARDED_BY(mutex_);  // once one of those holds memory
};

}  // namespace tidemark::session
