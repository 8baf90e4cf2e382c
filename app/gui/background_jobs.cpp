#include "app/gui/background_jobs.h"

#include <algorithm>
#include <utility>

#include "app/gui/window/window.h"

namespace tidemark::gui {

BackgroundJobs::~BackgroundJobs() {
  for (const auto& job : jobs_) job->cancelled = true;
  for (const auto& job : jobs_) job->thread.join();
}

void BackgroundJobs::Start(std::string title, bool shows_progress, Work work) {
  auto job = std::make_unique<Job>();
  job->title = std::move(title);
  job->shows_progress = shows_progress;
  Job* raw = job.get();
  job->thread = std::thread([raw, work = std::move(work)] {
    raw->then = work([raw](double progress) {
      raw->progress = progress;
      return !raw->cancelled.load();
    });
    raw->done = true;
    Window::Wake();
  });
  jobs_.push_back(std::move(job));
}

bool BackgroundJobs::Poll() {
  std::vector<Then> outcomes;
  for (const auto& job : jobs_) {
    if (!job->done) continue;
    job->thread.join();
    outcomes.push_back(std::move(job->then));
  }
  std::erase_if(jobs_, [](const auto& job) { return job->done.load() && !job->thread.joinable(); });
  // After the list is in order, because an outcome may start the next job.
  for (const Then& then : outcomes) {
    if (then) then();
  }
  return !outcomes.empty();
}

}  // namespace tidemark::gui
