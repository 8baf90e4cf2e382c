#include "profiler/session/steady_state.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::session;
using events::Event;
using events::EventKind;

namespace {

// Steps that each allocate one block and free it.
class Stream {
 public:
  Stream& Step(int64_t bytes, int64_t duration_ns, bool complete = true) {
    Begin();
    time_ns_ += duration_ns;
    if (complete) return Rest(bytes);
    Add(EventKind::kAllocate, bytes - 100, bytes);
    return *this;
  }
  Stream& At(int64_t time_ns) {
    time_ns_ = time_ns;
    return *this;
  }
  Stream& Begin() {
    Add(EventKind::kStepBegin, step_);
    return *this;
  }
  Stream& Rest(int64_t bytes) {
    Add(EventKind::kAllocate, bytes - 100, bytes);
    Add(EventKind::kFreeRequested, bytes - 100, bytes);
    Add(EventKind::kFreeCompleted, bytes - 100, bytes);
    Add(EventKind::kStepEnd, step_++);
    return *this;
  }
  Stream& OutOfMemory() {
    Add(EventKind::kOutOfMemory, 1 << 20);
    return *this;
  }
  Stream& Reserve(int64_t bytes) {
    Add(EventKind::kSegmentAllocate, bytes);
    return *this;
  }
  Stream& GiveBack(int64_t bytes) {
    Add(EventKind::kSegmentFree, bytes);
    return *this;
  }
  Prediction Peaks() const {
    timeline::Builder builder;
    builder.Append(events_);
    return SteadyState(*builder.Publish());
  }

 private:
  void Add(EventKind kind, int64_t bytes, int64_t rounded_bytes = 0) {
    Event event;
    event.kind = kind;
    event.time_ns = time_ns_;
    event.address = 0x1000;
    event.bytes = bytes;
    event.rounded_bytes = rounded_bytes;
    event.category = events::Category::kTemporary;
    events_.push_back(event);
  }

  std::vector<Event> events_;
  int64_t time_ns_ = 1'000;
  int64_t step_ = 0;
};

}  // namespace

TEST_CASE("A step that claims more time than there are numbers for takes the most there is") {
  constexpr auto kTimes = std::numeric_limits<int64_t>();
  const Prediction peaks = Stream().At(kTimes.min()).Begin().At(kTimes.max()).Rest(1000).Peaks();
  CHECK(peaks.step_seconds > 9e9);
}

TEST_CASE("The first step does not count once others are complete") {
  const Prediction peaks =
      Stream().Step(9'000, 50'000).Step(4'000, 1'000).Step(5'000, 3'000).Step(3'000, 2'000).Peaks();
  CHECK(peaks.allocated_peak_bytes == 5'000);
  CHECK(peaks.requested_peak_bytes == 4'900);
  CHECK(peaks.at_peak[static_cast<size_t>(events::Category::kTemporary)] == 5'000);
  CHECK(peaks.step_seconds == Approx(2e-6));
  CHECK_FALSE(peaks.out_of_memory);
}

TEST_CASE("What proves to be something else later counts so at the peak") {
  const auto event = [](EventKind kind, uint64_t address, events::Category category) {
    Event made;
    made.kind = kind;
    made.address = address;
    made.bytes = made.rounded_bytes = 512;
    made.category = category;
    return made;
  };
  timeline::Builder builder;
  const std::vector<Event> all = {event(EventKind::kAllocate, 1, events::Category::kTemporary),
                                  event(EventKind::kAllocate, 2, events::Category::kTemporary),
                                  event(EventKind::kFreeCompleted, 2, {}),
                                  event(EventKind::kCategorize, 1, events::Category::kOptimizerState)};
  builder.Append(all);
  const Prediction peaks = LargestSince(*builder.Publish());
  CHECK(peaks.allocated_peak_bytes == 1024);
  CHECK(peaks.at_peak[static_cast<size_t>(events::Category::kOptimizerState)] == 512);
  CHECK(peaks.at_peak[static_cast<size_t>(events::Category::kTemporary)] == 512);
}

TEST_CASE("A run of one step tells of that one, complete or not") {
  CHECK(Stream().Step(9'000, 50'000).Peaks().allocated_peak_bytes == 9'000);
  CHECK(Stream().Step(9'000, 50'000, false).Peaks().allocated_peak_bytes == 9'000);
  CHECK(Stream().Peaks().allocated_peak_bytes == 0);
}

TEST_CASE("A step that is not over does not count beside complete ones, unless memory ran out in it") {
  CHECK(Stream().Step(1'000, 1).Step(2'000, 1).Step(7'000, 1, false).Peaks().allocated_peak_bytes == 2'000);
  const Prediction failed =
      Stream().Step(1'000, 1).Step(2'000, 1).Step(7'000, 1, false).OutOfMemory().Peaks();
  CHECK(failed.out_of_memory);
  CHECK(failed.times_survived == 0);
  CHECK(failed.allocated_peak_bytes == 7'000);
}

TEST_CASE("Memory that ran out in a step which came to its end did not end the run") {
  const Prediction peaks =
      Stream().Step(9'000, 1).Begin().OutOfMemory().OutOfMemory().Rest(2'000).Step(1'000, 1).Peaks();
  CHECK_FALSE(peaks.out_of_memory);
  CHECK(peaks.times_survived == 2);
  CHECK(peaks.allocated_peak_bytes == 2'000);  // of a step, not of the failure
  CHECK_FALSE(Stream().Step(9'000, 1).Begin().OutOfMemory().Rest(2'000).Peaks().out_of_memory);
  CHECK(Stream().Step(9'000, 1).Begin().OutOfMemory().Peaks().out_of_memory);
}

TEST_CASE("What is reserved is the most of the whole run, its first step among it") {
  const Prediction peaks = Stream().Reserve(50'000).Step(9'000, 1).GiveBack(50'000).Step(2'000, 1).Peaks();
  CHECK(peaks.allocated_peak_bytes == 2'000);
  CHECK(peaks.reserved_peak_bytes == 50'000);
}
