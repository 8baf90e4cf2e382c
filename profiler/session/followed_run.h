// A run whose recording is still being written, by a process here or, through a pipe, on another machine:
// shown as it grows. It takes no commands; Stop() ends the following, not the run. Where a file has no end
// and nobody records into it any more, the status says so, and the following goes on.
//
// A thread of its own reads; what Run promises is for any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "profiler/base/thread_annotations.h"
#include "profiler/base/unique_fd.h"
#include "profiler/session/run.h"
#include "profiler/trace/tide.h"

namespace tidemark::session {

class FollowedRun final : public WatchedRun {
 public:
  // A .tide file, a pipe, or "-" for standard input. A file that is not there yet is waited for: a recording
  // begins with its program's first use of memory. Errors: it cannot be opened, or its folder is not there
  // either, or standard input is a terminal. What is wrong in it comes with status().
  static Result<std::unique_ptr<Run>> Open(const std::filesystem::path& file);
  ~FollowedRun() override;
  FollowedRun(const FollowedRun&) = delete;
  FollowedRun& operator=(const FollowedRun&) = delete;

  std::shared_ptr<const timeline::View> view() const override;
  RunStatus status() const override;
  events::RunDescription description() const override;
  bool can_stop() const override { return false; }
  bool has_file() const override { return has_file_; }
  // Once it is there. None of standard input, whose name nobody here knows.
  std::optional<std::filesystem::path> recording() const override;

  void Stop() override { stop_ = true; }

  bool WaitUntilSettled(int timeout_ms) override;

 private:
  using Clock = std::chrono::steady_clock;
  FollowedRun(UniqueFd fd, std::string name);  // no fd = it is not there yet
  void Follow(UniqueFd fd);
  Result<UniqueFd> WaitForFile();
  void Describe(const events::RunDescription& description);
  void Accept(std::span<const events::Event> events);
  bool Wait();
  void LookForRecorder();
  void Publish();
  void End(const Result<trace::TideSummary>& read);

  const std::string name_;
  std::atomic<bool> has_file_;  // what comes through a pipe has none
  // The reading thread's.
  timeline::Builder builder_;
  bool has_news_ = false;
  int64_t steps_done_ = 0;
  uint64_t captured_ = 0;
  Clock::time_point published_at_;
  // Of a file: whether somebody writes it is looked at where it does not grow.
  UniqueFd fd_;
  Clock::time_point looked_at_;
  bool is_forsaken_ = false;

  std::atomic<bool> stop_{false};
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<const timeline::View> view_ TIDEMARK_GUARDED_BY(mutex_);
  RunStatus status_ TIDEMARK_GUARDED_BY(mutex_);
  events::RunDescription description_ TIDEMARK_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tidemark::session
