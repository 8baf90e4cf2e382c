// Work that may take long (starting and stopping a process, reading, writing) on threads of its own, so that
// the window never stands still. Start, Poll and the rest are for the UI thread; only `work` runs elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/gui/background/latest_request.h"
#include "profiler/base/thread_annotations.h"

namespace tidemark::gui {

// What ends a job.
enum class JobEnd : uint8_t {
  kWhenDone,   // nothing else: it asks nobody whether it is still wanted
  kOnRequest,  // or a person's Cancel, which it hears of soon
  kWritten,    // the same, but the window's closing waits for it: it writes what a person asked for
  kKept,       // nothing else, and the window's closing waits for it: it writes what nobody saved
};
constexpr bool HearsCancel(JobEnd ends) { return ends == JobEnd::kOnRequest || ends == JobEnd::kWritten; }
constexpr bool IsWaitedFor(JobEnd ends) { return ends == JobEnd::kWritten || ends == JobEnd::kKept; }

class BackgroundJobs {
 public:
  struct Job;
  // What a job tells of itself; its own thread's.
  class Progress {
   public:
    explicit Progress(Job* job) : job_(job) {}
    // 0..1, < 0: it is not known how far it is. False as goes_on() is.
    bool operator()(double share) const;
    bool goes_on() const;                // no person has cancelled it, and it is wanted still
    void Tell(std::string title) const;  // what it is at, in the place of its title

   private:
    Job* job_;
  };
  // What the UI thread does with the outcome, inside Poll.
  using Then = std::function<void()>;
  using Work = std::function<Then(const Progress&)>;

  BackgroundJobs() = default;
  ~BackgroundJobs();  // cancels everything and waits
  // Waits for what writes, runs what follows from it, and waits for what that writes.
  void FinishWriting();
  BackgroundJobs(const BackgroundJobs&) = delete;
  BackgroundJobs& operator=(const BackgroundJobs&) = delete;

  // `title` "" = what goes on all the time, which nobody is told of.
  void Start(std::string title, JobEnd ends, Work work);
  // The same for as long as `request` is wanted: what follows has to ask, too.
  void Start(std::string title, JobEnd ends, Request request, Work work);
  // Runs what follows from finished jobs. True if there was one.
  bool Poll();
  bool empty() const { return jobs_.empty(); }
  bool writes() const;  // there is one that the window's closing waits for

  struct Job {
    std::string title() const {
      const MutexLock lock(mutex);
      return told;
    }

    JobEnd ends = JobEnd::kWhenDone;
    Request request;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::atomic<double> progress{-1};
    std::atomic<bool> cancelled{false};
    std::atomic<bool> done{false};
    Then then;  // written before `done`
    std::thread thread;
    mutable Mutex mutex;
    std::string told TIDEMARK_GUARDED_BY(mutex);
  };
  const std::vector<std::unique_ptr<Job>>& jobs() const { return jobs_; }

 private:
  bool TakeDone(const std::function<bool(const Job&)>& is_taken);

  std::vector<std::unique_ptr<Job>> jobs_;
};

}  // namespace tidemark::gui
