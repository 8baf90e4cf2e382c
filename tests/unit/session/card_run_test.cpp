#include "profiler/session/card_run.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/machine.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

// A program on two cards, of which the test says how far it is.
class Growing final : public FakeRun {
 public:
  explicit Growing(size_t budget_events) : builder_(budget_events), view_(builder_.Publish()) {}

  void Append(const std::vector<Event>& events) {
    builder_.Append(events);
    auto view = builder_.Publish();
    const MutexLock lock(mutex_);
    view_.swap(view);
  }

  std::atomic<bool> has_ended{false};

  std::shared_ptr<const timeline::View> view() const override {
    const MutexLock lock(mutex_);
    return view_;
  }
  RunStatus status() const override {
    RunStatus status;
    status.state = has_ended ? RunState::kFinished : RunState::kRunning;
    return status;
  }
  events::RunDescription description() const override {
    events::RunDescription description;
    description.title = "two.py on phantom NVIDIA T4";
    description.notes = {phantom::kSeveralGpusDoubt, "another"};
    return description;
  }

 private:
  timeline::Builder builder_;
  mutable Mutex mutex_;
  std::shared_ptr<const timeline::View> view_ TIDEMARK_GUARDED_BY(mutex_);
};

Event On(EventKind kind, uint8_t device, uint64_t address = 0, int64_t bytes = 0) {
  Event event;
  event.kind = kind;
  event.device = device;
  event.address = address;
  event.bytes = event.rounded_bytes = bytes;
  return event;
}

int64_t AllocatedPeakOf(const Run& run) {
  const auto view = run.view();
  return ValueOf(view->PeakIn(Series::kAllocated, view->first(), view->end()).values, Series::kAllocated);
}

int64_t KernelsOf(const Run& run) {
  int64_t kernels = 0;
  for (const timeline::DeviceWorkPage& page : run.view()->device_work())
    kernels += static_cast<int64_t>(page.count);
  return kernels;
}

template <typename Condition>
bool Happens(Condition condition) {
  for (int waited = 0; waited < 10'000; ++waited) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_CASE("One card of a run that goes on is shown as far as the run is") {
  const auto whole = std::make_shared<Growing>(timeline::kDefaultBudgetEvents);
  whole->Append({On(EventKind::kStepBegin, 0), On(EventKind::kAllocate, 0, 0x1000, 300),
                 On(EventKind::kAllocate, 1, 0x2000, 500), On(EventKind::kKernel, 1),
                 On(EventKind::kKernel, 0)});
  const CardRun second(whole, 1);
  CHECK(AllocatedPeakOf(second) == 500);  // from the beginning on
  CHECK(KernelsOf(second) == 1);
  CHECK(second.view()->devices().size() == 1);
  CHECK(second.description().title == "two.py on phantom NVIDIA T4, cuda:1");
  CHECK(second.description().notes == std::vector<std::string>{"another"});
  CHECK(second.IsOf(*whole, 1));
  CHECK_FALSE(second.IsOf(*whole, 0));
  // Over several pages of what the card did.
  for (int i = 1; i < 300; ++i) whole->Append({On(EventKind::kKernel, 1), On(EventKind::kKernel, 0)});
  whole->Append({On(EventKind::kAllocate, 1, 0x3000, 40), On(EventKind::kAllocate, 0, 0x4000, 7),
                 On(EventKind::kStepEnd, 0)});
  CHECK(Happens([&] { return AllocatedPeakOf(second) == 540 && KernelsOf(second) == 300; }));
  CHECK(second.view()->steps().size() == 1);
  CHECK(second.view()->steps().front().complete);
  CHECK(second.status().state == RunState::kRunning);
  whole->has_ended = true;
  CHECK(Happens([&] { return second.status().state == RunState::kFinished; }));
}

TEST_CASE("Of what a run has let go one card knows what the run still knows") {
  const auto whole = std::make_shared<Growing>(1);
  whole->Append({On(EventKind::kAllocate, 1, 0x2000, 500), On(EventKind::kAllocate, 0, 0x3000, 300)});
  std::vector<Event> churn;
  churn.reserve(100'000);
  for (int i = 0; i < 50'000; ++i) {
    churn.push_back(On(EventKind::kAllocate, 1, 0x9000, 20));
    churn.push_back(On(EventKind::kFreeCompleted, 1, 0x9000));
  }
  whole->Append(churn);
  REQUIRE(whole->view()->first() > 0);
  const CardRun second(whole, 1);
  CHECK(Happens([&] { return AllocatedPeakOf(second) == 520; }));
  CHECK(second.view()->health().unmatched_frees == 0);
}

}  // namespace
}  // namespace tidemark::session
