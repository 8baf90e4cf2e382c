#include "app/gui/background/background_jobs.h"

#include <chrono>
#include <string>
#include <thread>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

template <typename Reached>
bool Within10s(const Reached& reached) {
  for (int i = 0; i < 10'000 && !reached(); ++i) std::this_thread::sleep_for(1ms);
  return reached();
}

TEST_CASE("A job tells what it is at, hears of Cancel, and what follows is the caller's") {
  BackgroundJobs jobs;
  bool heard = false;
  const auto caller = std::this_thread::get_id();
  jobs.Start("Counting", JobEnd::kOnRequest,
             [&](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
               progress.Tell("counting to 2");
               while (progress(0.5)) std::this_thread::sleep_for(1ms);
               return [&] { heard = std::this_thread::get_id() == caller; };
             });
  REQUIRE(jobs.jobs().size() == 1);
  BackgroundJobs::Job& job = *jobs.jobs().front();
  CHECK(job.ends == JobEnd::kOnRequest);
  REQUIRE(Within10s([&] { return job.progress == 0.5; }));
  CHECK(job.title() == "Counting to 2");
  CHECK_FALSE(jobs.Poll());
  job.cancelled = true;
  REQUIRE(Within10s([&] { return job.done.load(); }));
  CHECK_FALSE(heard);
  CHECK(jobs.Poll());
  CHECK(heard);
  CHECK(jobs.empty());
}

TEST_CASE("A job hears where what it is for is not wanted any more") {
  BackgroundJobs jobs;
  LatestRequest latest;
  bool heard = false;
  jobs.Start("Counting", JobEnd::kOnRequest, latest.Begin(),
             [&](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
               while (progress(0.5)) std::this_thread::sleep_for(1ms);
               return [&] { heard = true; };
             });
  REQUIRE(Within10s([&] { return jobs.jobs().front()->progress == 0.5; }));
  CHECK_FALSE(jobs.jobs().front()->done);
  const Request next = latest.Begin();
  CHECK(Within10s([&] {
    jobs.Poll();
    return heard;
  }));
  CHECK(next.wanted());
}

TEST_CASE("How far a job is, is not known before it says so; what goes with the window is cancelled") {
  bool ended = false;
  {
    BackgroundJobs jobs;
    jobs.Start("Waiting", JobEnd::kOnRequest,
               [&](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 while (progress.goes_on()) std::this_thread::sleep_for(1ms);
                 ended = true;
                 return {};
               });
    CHECK(jobs.jobs().front()->progress < 0);
  }
  CHECK(ended);
}

}  // namespace
}  // namespace tidemark::gui
