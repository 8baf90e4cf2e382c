// Runs with the real trainer: what arrives is what was trained.
#include "profiler/session/run.h"

#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

#include "profiler/phantom/cards/card.h"
#include "tests/support/catch.h"
#include "tests/unit/session/start_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

using networks::DeviceKind;
using timeline::Series;

constexpr int kPatienceMs = 120'000;

// At every event the categories sum to what is allocated, and nothing was out of place.
void CheckConsistent(const timeline::View& view) {
  for (auto index = view.first(); index < view.end(); index += 37) {
    const timeline::SeriesValues values = view.ValuesAt(index);
    int64_t sum = 0;
    for (int category = 0; category < events::kCategoryCount; ++category)
      sum += values[static_cast<size_t>(category)];
    REQUIRE(sum == ValueOf(values, Series::kAllocated));
  }
  const timeline::Health& health = view.health();
  CHECK(health.lost == 0);
  CHECK(health.unmatched_frees == 0);
  CHECK(health.double_allocations == 0);
  CHECK(health.unmatched_steps == 0);
  CHECK(health.malformed == 0);
  CHECK(health.unreadable_names == 0);
}

TEST_CASE("a phantom run to its limit, recorded, opens as the same run", "[session]") {
  const trace::Scratch scratch;
  LiveOptions options;
  options.step_limit = 6;
  options.recording = scratch / "run.tide";
  auto run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  INFO(run->status().sentence);
  REQUIRE(run->status().state == RunState::kPaused);
  run->Stop();
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().state == RunState::kFinished; }));
  const auto view = run->view();
  CHECK(view->steps().size() == 6);
  CheckConsistent(*view);
  CHECK(run->description().device_bytes > 0);
  CHECK(run->description().settings_json == networks::ToJson(options.settings));

  const auto opened = Run::Open(*options.recording);
  REQUIRE(opened.ok());
  CHECK((*opened)->status().sentence.empty());
  CHECK((*opened)->description().title == run->description().title);
  const auto again = (*opened)->view();
  REQUIRE(again->end() == view->end());
  for (auto index = view->first(); index < view->end(); ++index) {
    REQUIRE(again->ValuesAt(index) == view->ValuesAt(index));
  }
}

TEST_CASE("a run that is stopped while LibTorch loads ends at once, as asked", "[session]") {
  auto run = StartOrFail({});
  REQUIRE(run->status().state == RunState::kStarting);
  run->Stop();
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().state > RunState::kPaused; }));
  CHECK(run->status().state == RunState::kFinished);
  CHECK(run->status().sentence.empty());
  CHECK(run->description().device_bytes == 0);  // it never came to say what it runs on
}

TEST_CASE("full speed on a phantom: nothing is lost, a toggle shows as a marker and as another curve",
          "[session]") {
  LiveOptions options;
  auto run = StartOrFail(options);
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().steps_done > 200 || !run->live(); }));
  INFO(run->status().sentence);
  const auto before = run->view();
  options.settings.amp = networks::Precision::kFloat16;
  REQUIRE(run->Change(options.settings));
  REQUIRE(Eventually(kPatienceMs, [&] { return run->view()->settings().size() == 2; }));
  const int64_t steps_done = run->status().steps_done;
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().steps_done > steps_done + 200; }));
  const auto view = run->view();
  const auto& steps = view->steps();
  const int64_t float32_peak = ValueOf(before->steps()[100].at_peak, Series::kAllocated);
  const int64_t float16_peak = ValueOf(steps[steps.size() - 2].at_peak, Series::kAllocated);
  CHECK(float16_peak < float32_peak);
  CHECK(run->status().lost == 0);
  CheckConsistent(*view);
}

TEST_CASE("a phantom's step that tells more than the ring holds loses nothing", "[session]") {
  LiveOptions options;
  options.settings.batch = 1;
  options.settings.accumulate = 64;
  options.step_limit = 3;
  options.ring_events = 1 << 10;  // is full within the 2 ms that the reader rests
  auto run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  INFO(run->status().sentence);
  const auto view = run->view();
  REQUIRE(view->steps().size() == 3);
  CHECK(view->steps()[1].end - view->steps()[1].begin > options.ring_events);
  CHECK(run->status().lost == 0);
  CheckConsistent(*view);
}

TEST_CASE("kill -9 at full speed: said, kept, and the next run starts", "[session]") {
  LiveOptions options;
  auto run = StartOrFail(options);
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().steps_done > 50 || !run->live(); }));
  REQUIRE(kill(run->description().process_id, SIGKILL) == 0);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  CHECK(run->status().state == RunState::kDied);
  CHECK(run->status().sentence.find("signal 9 (SIGKILL)") != std::string::npos);
  CHECK(run->view()->steps().size() > 50);
  CheckConsistent(*run->view());
  options.step_limit = 3;
  run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  CHECK(run->status().steps_done == 3);
}

TEST_CASE("a run on the CPU", "[session]") {
  LiveOptions options;
  options.settings.network = "smaller-conv-net";
  options.settings.batch = 2;
  options.device.kind = DeviceKind::kCpu;
  options.step_limit = 3;
  auto run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  INFO(run->status().sentence);
  CHECK(run->status().steps_done == 3);
  CheckConsistent(*run->view());
  CHECK(run->view()->steps()[2].loss.has_value());
}

}  // namespace
}  // namespace tidemark::session
