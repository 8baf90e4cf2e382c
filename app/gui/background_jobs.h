// Work that may take long (starting and stopping a process, reading, writing) on threads of its own, so that
// the window never stands still. Start, Poll and the rest are for the UI thread; only `work` runs elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tidemark::gui {

class BackgroundJobs {
 public:
  // Reports 0..1; false means that the person has cancelled.
  using Progress = std::function<bool(double)>;
  // What the UI thread does with the outcome, inside Poll.
  using Then = std::function<void()>;
  using Work = std::function<Then(const Progress&)>;

  BackgroundJobs() = default;
  ~BackgroundJobs();  // cancels everything and waits
  BackgroundJobs(const BackgroundJobs&) = delete;
  BackgroundJobs& operator=(const BackgroundJobs&) = delete;

  // `title` "" = what goes on all the time, which nobody is told of.
  void Start(std::string title, bool shows_progress, Work work);
  // Runs what follows from finished jobs. True if there was one.
  bool Poll();
  bool empty() const { return jobs_.empty(); }

  struct Job {
    std::string title;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    bool shows_progress = false;
    std::atomic<double> progress{0};
    std::atomic<bool> cancelled{false};
    std::atomic<bool> done{false};
    Then then;  // written before `done`
    std::thread thread;
  };
  const std::vector<std::unique_ptr<Job>>& jobs() const { return jobs_; }

 private:
  std::vector<std::unique_ptr<Job>> jobs_;
};

}  // namespace tidemark::gui
