#include "profiler/session/ranked_program.h"

#include <algorithm>
#include <utility>

namespace tidemark::session {
namespace {

int32_t RankOf(const std::shared_ptr<ProgramRun>& run) { return run->description().rank; }

}  // namespace

void RankedProgram::Add(std::shared_ptr<ProgramRun> rank) {
  const MutexLock lock(mutex_);
  ranks_.insert(std::ranges::upper_bound(ranks_, RankOf(rank), {}, RankOf), std::move(rank));
}

std::shared_ptr<ProgramRun> RankedProgram::Leader() const {
  const MutexLock lock(mutex_);
  return ranks_.empty() ? first_ : ranks_.front();
}

std::vector<const Run*> RankedProgram::ranks() const {
  const MutexLock lock(mutex_);
  std::vector<const Run*> runs;
  for (const auto& rank : ranks_) runs.push_back(rank.get());
  return runs;
}

// What is lost, and what could not be recorded, of all of them.
RunStatus RankedProgram::status() const {
  const std::shared_ptr<ProgramRun> leader = Leader();
  RunStatus status = leader->status();
  for (const Run* rank : ranks()) {
    if (rank == leader.get()) continue;
    const RunStatus other = rank->status();
    status.lost += other.lost;
    status.out_of_memory = status.out_of_memory || other.out_of_memory;
    if (status.recording_error.empty()) status.recording_error = other.recording_error;
  }
  return status;
}

}  // namespace tidemark::session
