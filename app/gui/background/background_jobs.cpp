#include "app/gui/background/background_jobs.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/gui/window/window.h"

namespace tidemark::gui {

BackgroundJobs::~BackgroundJobs() {
  for (const auto& job : jobs_) job->cancelled = true;
  for (const auto& job : jobs_) job->thread.join();
}

void BackgroundJobs::FinishWriting() {
  const auto is_waited_for = [](const Job& job) { return IsWaitedFor(job.ends); };
  do {
    for (const auto& job : jobs_) {
      if (is_waited_for(*job)) job->done.wait(false);
    }
  } while (TakeDone(is_waited_for));
}

bool BackgroundJobs::writes() const {
  return std::ranges::any_of(jobs_, [](const auto& job) { return IsWaitedFor(job->ends); });
}

bool BackgroundJobs::Progress::operator()(double share) const {
  job_->progress = share;
  return goes_on();
}

bool BackgroundJobs::Progress::goes_on() const { return !job_->cancelled && job_->request.wanted(); }

// What is told to a terminal begins a line there, and a sentence here.
void BackgroundJobs::Progress::Tell(std::string title) const {
  if (!title.empty())
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  const MutexLock lock(job_->mutex);
  job_->told = std::move(title);
}

void BackgroundJobs::Start(std::string title, JobEnd ends, Work work) {
  Start(std::move(title), ends, Request(), std::move(work));
}

void BackgroundJobs::Start(std::string title, JobEnd ends, Request request, Work work) {
  auto job = std::make_unique<Job>();
  job->ends = ends;
  job->request = std::move(request);
  Job* raw = job.get();
  Progress(raw).Tell(std::move(title));
  job->thread = std::thread([raw, work = std::move(work)] {
    raw->then = work(Progress(raw));
    raw->done = true;
    raw->done.notify_all();
    Window::Wake();
  });
  jobs_.push_back(std::move(job));
}

bool BackgroundJobs::Poll() {
  return TakeDone([](const Job&) { return true; });
}

bool BackgroundJobs::TakeDone(const std::function<bool(const Job&)>& is_taken) {
  std::vector<Then> outcomes;
  for (const auto& job : jobs_) {
    if (!job->done || !is_taken(*job)) continue;
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
