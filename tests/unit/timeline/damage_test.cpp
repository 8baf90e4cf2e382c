// Whatever a stream claims, the store counts what does not fit and goes on.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "profiler/timeline/timeline.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

using events::Category;
using events::Event;
using events::EventKind;

TEST_CASE("What does not fit is counted, with a sentence each") {
  Stream stream;
  stream.Free(0x1);
  stream.Allocate(0x2, 100);
  stream.Allocate(0x2, 200);
  stream.Categorize(0x3, Category::kInput);
  stream.Add(EventKind::kSegmentFree, 0x4, 4096);
  stream.EndStep(3);
  stream.Add(EventKind::kLoss, 0, 17);
  stream.Add(EventKind::kName).op = 4'000;  // a piece without the rest, then another beginning in the middle
  stream.Add(EventKind::kName).layer = 99;
  stream.Add(EventKind::kAllocate).category = static_cast<Category>(77);
  const auto view = stream.Publish();
  const Health& health = view->health();
  CHECK(health.events == stream.events().size() - 1);
  CHECK(health.malformed == 1);
  CHECK(health.unmatched_frees == 1);
  CHECK(health.double_allocations == 1);
  CHECK(health.unmatched_tensors == 1);
  CHECK(health.unmatched_segments == 1);
  CHECK(health.unmatched_steps == 1);
  CHECK(health.lost == 17);
  CHECK(health.unreadable_names == 1);
  CHECK(DescribeHealth(*view).size() == 8);
  CHECK(DescribeHealth(*view)[0] ==
        "17 events were lost before they could be stored; the curves have gaps there.");
  CHECK(DescribeHealth(*Stream().Publish()).empty());
}

TEST_CASE("Of tensors that are told of where nobody tells of blocks nothing is missing") {
  Stream stream;
  stream.Count(events::Level::kDriver, 4096);
  stream.Categorize(0x3, Category::kInput);
  CHECK(stream.Publish()->health().unmatched_tensors == 1);
  CHECK(DescribeHealth(*stream.Publish()).empty());
  stream.Allocate(0x2, 100);
  CHECK(DescribeHealth(*stream.Publish()).size() == 1);
}

TEST_CASE("A second allocation at a live address ends the first") {
  Stream stream;
  stream.Allocate(0x1000, 512, Category::kInput);
  stream.Allocate(0x1000, 1024, Category::kGradient);
  const auto view = stream.Publish();
  CHECK(ValueOf(view->ValuesAt(1), Series::kAllocated) == 1024);
  CHECK(ValueOf(view->ValuesAt(1), SeriesOf(Category::kInput)) == 0);
  CHECK(view->FreedAt(0) == EventIndex{1});
  CHECK(view->StateAt(1).blocks.size() == 1);
}

TEST_CASE("Sizes may be anything; negative ones count as nothing") {
  Stream stream;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (uint64_t n = 1; n <= 5; ++n) {
    Event& event = stream.Add(EventKind::kAllocate, n * 0x1000, kMost);
    event.rounded_bytes = kMost;
    stream.Add(EventKind::kSegmentMap, n << 61, kMost);
  }
  stream.Add(EventKind::kAllocate, 0x9000, std::numeric_limits<int64_t>::min()).rounded_bytes = -1;
  stream.Add(EventKind::kLoss, 0, kMost);
  stream.Add(EventKind::kLoss, 0, kMost);
  stream.Add(EventKind::kLoss, 0, kMost);
  stream.Add(EventKind::kLoss, 0, -5);
  const EventIndex last = stream.latest();
  for (uint64_t n = 1; n <= 5; ++n) stream.Free(n * 0x1000);
  stream.Free(0x9000);
  const auto view = stream.Publish();
  CHECK(view->StateAt(last).blocks.back().bytes == 0);
  CHECK(view->health().lost == std::numeric_limits<uint64_t>::max());
  CHECK(ValueOf(view->ValuesAt(view->end() - 1), Series::kAllocated) == 0);
  view->PeakIn(Series::kReserved, 0, view->end());
}

TEST_CASE("Times may be anything; how long a run took is a number all the same") {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Stream stream;
  stream.BeginStep(0);
  stream.EndStep(0);
  std::vector<Event> events = stream.events();
  events.front().time_ns = kLeast;
  events.back().time_ns = kMost;
  Builder builder;
  builder.Append(events);
  const auto view = builder.Publish();
  CHECK(view->TimeOf(view->end() - 1) - view->start_ns() == kMost);
  CHECK(view->event(0).time_ns == view->start_ns());
  REQUIRE(view->steps().size() == 1);
  CHECK(view->steps().front().end_ns - view->steps().front().begin_ns == kMost);
  CHECK(view->IndexAt(0) == view->end() - 1);
}

TEST_CASE("Where nothing repeats, fewer events are kept, so that the memory is") {
  static constexpr size_t kChunk = 16'384;
  const auto let_go = [](bool repeats) {
    std::mt19937_64 random(3);
    Builder builder(8 * kChunk);
    std::vector<Event> events(6 * kChunk);
    for (size_t i = 0; i < events.size(); ++i) {
      events[i].kind = EventKind::kFreeRequested;
      events[i].time_ns = static_cast<int64_t>(i);
      if (!repeats) events[i].address = events[i].stream = random();
    }
    builder.Append(events);
    const auto view = builder.Publish();
    CHECK(view->end() - view->first() >= kChunk);
    return view->health().let_go;
  };
  CHECK(let_go(true) == 0);
  CHECK(let_go(false) > 0);
}

TEST_CASE("Any bytes at all are taken") {
  std::mt19937_64 random(5);
  std::vector<Event> events(40'000);
  for (Event& event : events) {
    for (size_t at = 0; at < sizeof event; at += sizeof(uint64_t)) {
      const uint64_t noise = random();
      std::memcpy(reinterpret_cast<char*>(&event) + at, &noise, sizeof noise);
    }
    // Most of it must get past the check of the enumerations.
    if (random() % 8 == 0) continue;
    event.kind = static_cast<EventKind>(random() % events::kEventKindCount);
    event.category = static_cast<Category>(random() % events::kCategoryCount);
    event.phase = static_cast<events::Phase>(random() % events::kPhaseCount);
    event.source = static_cast<events::Source>(random() % events::kSourceCount);
    if (random() % 2 == 0) event.address %= 32;
    if (random() % 2 == 0) event.name %= 32;
  }
  Builder builder(32'768);
  builder.Append(events);
  const auto view = builder.Publish();
  CHECK(view->health().malformed > 0);
  std::vector<Bucket> buckets(500);
  view->Envelope(Series::kReserved, view->first(), view->end(), buckets);
  view->EnvelopeInTime(Series::kAllocated, std::numeric_limits<int64_t>::min(),
                       std::numeric_limits<int64_t>::max(), buckets);
  view->CutNear(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  const State state = view->StateAt(view->end() - 1);
  CHECK(state.values == view->ValuesAt(view->end() - 1));
  for (const Step& step : view->steps()) CHECK(step.begin >= view->first());
}

}  // namespace tidemark::timeline
