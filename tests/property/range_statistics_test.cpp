// The statistics of any stretch of any stream are what a walk that follows every block finds.
#include "app/presenters/allocations/range_statistics.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "app/presenters/allocations/allocation_filter.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/steps.h"
#include "tests/property/timeline_model.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::Model;

struct Block {
  int64_t bytes = 0;
  bool pending = false;  // counts no more
};

// Follows every block from the stream's beginning.
class Followed {
 public:
  Followed(const std::vector<Event>& events, const Model& model, EventIndex first, EventIndex end)
      : model_(model), first_(first), end_(end) {
    for (EventIndex index = 0; index < end; ++index) Take(events, index);
  }
  const RangeStatistics& statistics() const { return found_; }

 private:
  void Add(EventIndex index, CountAndBytes& sum, int64_t bytes) const {
    if (index < first_) return;
    ++sum.count;
    AddTo(sum.bytes, bytes);
  }
  void Stop(EventIndex index, Block& block) {
    if (!block.pending && block.bytes > 0) Add(index, found_.freed, block.bytes);
    block.pending = true;
  }
  void Take(const std::vector<Event>& events, EventIndex index) {
    const Event& event = events[index];
    const auto live = live_.find(event.address);
    if (event.kind == EventKind::kFreeRequested || event.kind == EventKind::kFreeCompleted) {
      if (live == live_.end()) return;
      Stop(index, live->second);
      if (event.kind == EventKind::kFreeCompleted) live_.erase(live);
    } else if (event.kind == EventKind::kAllocate) {
      if (live != live_.end()) Stop(index, live->second);
      live_[event.address] = {std::max<int64_t>(0, event.rounded_bytes)};
      Born(events, index);
    }
  }
  void Born(const std::vector<Event>& events, EventIndex index) {
    const int64_t bytes = std::max<int64_t>(0, events[index].bytes);
    const int64_t rounded = std::max<int64_t>(0, events[index].rounded_bytes);
    Add(index, found_.allocated, rounded);
    Add(index, found_.sizes[SizeBinOf(bytes)], bytes);
    if (index < first_) return;
    if (!found_.largest || bytes > found_.largest->bytes) {
      found_.largest.emplace();
      found_.largest->bytes = bytes;
      found_.largest->born = index;
    }
    const auto freed = model_.FreedAt(index);
    if (!freed || *freed >= end_) return;
    Add(index, found_.temporary, rounded);
    const auto others = std::count_if(events.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                                      events.begin() + static_cast<std::ptrdiff_t>(*freed),
                                      [](const Event& other) { return other.kind == EventKind::kAllocate; });
    if (static_cast<uint64_t>(others) <= kShortLived) Add(index, found_.short_lived, rounded);
  }

  const Model& model_;
  EventIndex first_;
  EventIndex end_;
  std::map<uint64_t, Block> live_;
  RangeStatistics found_;
};

}  // namespace

TEST_CASE("The statistics of a stretch are those of following every block in it") {
  constexpr size_t kEvents = 20'000;
  const std::vector<Event> events = timeline::RandomStream(kEvents, 5);
  const Model model(events);
  timeline::Builder builder;
  builder.Append(events);
  const auto view = builder.Publish();
  std::mt19937_64 random(9);
  uint64_t temporary = 0;
  for (int round = 0; round < 40; ++round) {
    const auto [first, end] = std::minmax({random() % (kEvents + 1), random() % (kEvents + 1)});
    const RangeStatistics expected = Followed(events, model, first, end).statistics();
    const auto found = MakeRangeStatistics(*view, first, end, [](double) { return true; });
    REQUIRE(found);
    CHECK(found->allocated == expected.allocated);
    CHECK(found->freed == expected.freed);
    CHECK(found->temporary == expected.temporary);
    CHECK(found->short_lived == expected.short_lived);
    CHECK(found->sizes == expected.sizes);
    REQUIRE(found->largest.has_value() == expected.largest.has_value());
    if (found->largest) CHECK(found->largest->born == expected.largest->born);
    if (first == end) continue;
    constexpr auto kAllocated = timeline::Series::kAllocated;
    CHECK(found->peak.index == HighestMoment(*view, first, end));
    CHECK(ValueOf(found->peak.values, kAllocated) ==
          ValueOf(model.PeakIn(kAllocated, first, end).values, kAllocated));
    int64_t net_bytes = ValueOf(model.After(end - 1), kAllocated);
    SubtractFrom(net_bytes, ValueOf(model.Before(first), kAllocated));
    CHECK(found->net_bytes == net_bytes);
    temporary += found->short_lived.count;
  }
  CHECK(temporary > 100);
}

TEST_CASE("Of peaks that are alike statistics tell of the same as all that tells of a run") {
  timeline::Stream stream;
  std::vector<EventIndex> peaks;
  for (int64_t step = 0; step < 3; ++step) {
    stream.BeginStep(step);
    stream.Allocate(0x1000, 512);
    peaks.push_back(stream.latest());
    stream.Free(0x1000);
    stream.EndStep(step);
  }
  const auto view = stream.Publish();
  const auto always = [](double) { return true; };
  CHECK(MakeRangeStatistics(*view, 0, view->end(), always)->peak.index == peaks.back());
  CHECK(MakeRangeStatistics(*view, 0, peaks[1] + 1, always)->peak.index == peaks[1]);
}

TEST_CASE("The largest request is told as what it turned out to hold") {
  timeline::Stream stream;
  stream.Allocate(512, 4096);
  stream.Categorize(512, events::Category::kWorkspace);
  stream.Free(512);
  const auto view = stream.Publish();
  const auto found = MakeRangeStatistics(*view, 0, 1, [](double) { return true; });
  REQUIRE((found && found->largest));
  CHECK(found->largest->category == events::Category::kWorkspace);
}

TEST_CASE("A walk through a stretch that nobody waits for is given up; an empty one holds nothing") {
  const std::vector<Event> events = timeline::RandomStream(20'000, 6);
  timeline::Builder builder;
  builder.Append(events);
  const auto view = builder.Publish();
  int asked = 0;
  CHECK_FALSE(MakeRangeStatistics(*view, 0, view->end(), [&](double) { return ++asked < 3; }));
  CHECK(asked == 3);
  const auto always = [](double) { return true; };
  CHECK(MakeRangeStatistics(*view, 500, 500, always)->allocated.count == 0);
  CHECK(MakeRangeStatistics(*view, 1'000'000, 2'000'000, always)->allocated.count == 0);
  CHECK(MakeRangeStatistics(*timeline::Builder().Publish(), 0, 10, always)->allocated.count == 0);
}

TEST_CASE("A bin's filter means the sizes in it") {
  for (size_t bin = 0; bin < kSizeBins; ++bin) {
    const ReadFilter read = ReadAllocationFilter(FilterOfSizeBin(bin));
    CHECK(read.unreadable.empty());
    CHECK(read.filter.bytes.least == (bin == 0 ? 0 : uint64_t{1} << bin));
    const bool is_last = bin + 1 == kSizeBins;
    if (!is_last) CHECK(read.filter.bytes.most == (uint64_t{1} << (bin + 1)) - 1);
    if (bin > 0) CHECK(SizeBinOf(static_cast<int64_t>(read.filter.bytes.least)) == bin);
    if (!is_last) CHECK(SizeBinOf(static_cast<int64_t>(read.filter.bytes.most)) == bin);
  }
  CHECK(SizeBinTitle(0, ByteUnit::kMegabytes) == "0 B");
  CHECK(SizeBinTitle(16, ByteUnit::kMebibytes) == "64 KiB");
  CHECK(SizeBinTitle(16, ByteUnit::kMegabytes) == "65.5 kB");
  CHECK(SizeBinOf(0) == 0);
}

}  // namespace tidemark::presenters
