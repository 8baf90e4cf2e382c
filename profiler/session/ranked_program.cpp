#include "profiler/session/ranked_program.h"

#include <algorithm>
#include <utility>

namespace tidemark::session {
namespace {

int32_t RankOf(const std::shared_ptr<ProgramRun>& run) { return run->description().rank; }

}  // namespace

void RankedProgram::Add(const std::shared_ptr<ProgramRun>& process, bool is_rank) {
  const MutexLock lock(mutex_);
  if (!is_rank) return processes_.push_back(process);
  const auto place = std::ranges::lower_bound(ranks_, RankOf(process), {}, RankOf);
  if (place == ranks_.end() || RankOf(*place) != RankOf(process)) {
    ranks_.insert(place, process);
  } else if ((*place)->status().state > RunState::kPaused) {
    processes_.push_back(std::exchange(*place, process));  // somebody may still look at it
  } else {
    processes_.push_back(process);
  }
}

const std::shared_ptr<ProgramRun>& RankedProgram::Holder() const {
  for (const auto& process : processes_) {
    if (holder_ == nullptr && !HeldNothing(*process->view())) holder_ = process;
  }
  return holder_ == nullptr ? first_ : holder_;
}

std::shared_ptr<ProgramRun> RankedProgram::Leader() const {
  const MutexLock lock(mutex_);
  return ranks_.empty() ? Holder() : ranks_.front();
}

std::vector<const Run*> RankedProgram::ranks() const {
  const MutexLock lock(mutex_);
  std::vector<const Run*> runs;
  if (ranks_.empty() && Holder() != first_) runs.push_back(holder_.get());
  for (const auto& rank : ranks_) runs.push_back(rank.get());
  return runs;
}

void RankedProgram::End(const RunStatus& end) {
  const MutexLock lock(mutex_);
  end_ = end;
}

std::optional<RunStatus> RankedProgram::end() const {
  const MutexLock lock(mutex_);
  return end_;
}

// Of the ranks, that which ended badly before its launcher did, before all others; null if none has.
std::shared_ptr<ProgramRun> RankedProgram::FirstThatFailed() const {
  const MutexLock lock(mutex_);
  std::shared_ptr<ProgramRun> first;
  for (const auto& rank : ranks_) {
    const bool failed = rank->failed_itself();
    if (failed && (first == nullptr || rank->own_end_ns() < first->own_end_ns())) first = rank;
  }
  return first;
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
  if (const std::shared_ptr<ProgramRun> failed = FirstThatFailed()) {
    const RunStatus of_failed = failed->status();
    status.state = of_failed.state;
    status.sentence = "Rank " + std::to_string(RankOf(failed)) + ": " + of_failed.sentence;
  }
  if (status.state <= RunState::kPaused) return status;
  const std::optional<RunStatus> end = this->end();
  if (!end) {
    status.state = RunState::kRunning;
  } else if (status.sentence.empty()) {
    status.state = end->state;
    status.sentence = end->sentence;
  }
  if (end && status.state > RunState::kFinished) status.error_output = end->error_output;
  return status;
}

}  // namespace tidemark::session
