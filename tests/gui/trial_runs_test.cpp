#include "app/gui/searches/trial_runs.h"

#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

TEST_CASE("What was tried on one run is not tried on the next, whichever moment of it that is") {
  BackgroundJobs jobs;
  const std::vector<phantom::Card> cards;
  session::AllocatorOf missing;
  missing.replayer = "/nowhere/allocator";
  TrialRuns trials(
      &jobs, [&](const events::RunDescription&) { return missing; }, &cards);
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  bool is_tried = false;
  trials.TryAll({stream.Publish(), {}, {}}, [&] { is_tried = true; });
  for (int i = 0; i < 10'000 && !is_tried; ++i) {
    jobs.Poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(is_tried);
  CHECK(trials.found().tried_until == 1);
  trials.Forget();
  CHECK(trials.found().tried_until == 0);
}

TEST_CASE("A setup that a person tried says nothing of the settings that are tried where nobody names any") {
  Trials trials;
  trials.tried_until = 10;
  trials.setups.emplace_back();
  CHECK_FALSE(trials.HasTriedSettings(5));
  trials.settings.emplace_back();
  CHECK(trials.HasTriedSettings(5));
  CHECK_FALSE(trials.HasTriedSettings(10));
}

}  // namespace tidemark::gui
