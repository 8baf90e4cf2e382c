#include "app/presenters/allocations/event_filter.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using events::EventKind;

// The events that fit, counted from the view's first.
std::vector<EventIndex> Fitting(const timeline::View& view, const char* text) {
  const ReadFilter read = ReadAllocationFilter(text);
  CHECK(read.unreadable.empty());
  const EventSet set = *EventsThatFit(view, read.filter);
  std::vector<EventIndex> indices;
  for (uint64_t place = 0; place < set.size(); ++place) indices.push_back(set.At(place) - view.first());
  return indices;
}
using Indices = std::vector<EventIndex>;

}  // namespace

TEST_CASE("A filter means all events of the allocations that it means, and others by their words and sizes") {
  timeline::Stream stream;
  const events::NameId conv = stream.Name("conv1");                                // 0
  stream.BeginStep(7);                                                             // 1
  stream.BeginPhase(events::Phase::kForward);                                      // 2
  stream.Add(EventKind::kScopeBegin).layer = conv;                                 // 3
  stream.Allocate(0x1000, 4'000'000, events::Category::kActivation).layer = conv;  // 4
  stream.Add(EventKind::kSegmentAllocate, 0x10000, 20'000'000);                    // 5
  stream.Allocate(0x2000, 512);                                                    // 6
  stream.Add(EventKind::kScopeEnd).layer = conv;                                   // 7
  stream.BeginPhase(events::Phase::kBackward);                                     // 8
  stream.Free(0x1000);                                                             // 9
  stream.Allocate(0x1000, 512);                                                    // 10
  stream.EndStep(7);                                                               // 11
  const auto view = stream.Publish();
  CHECK(Fitting(*view, "conv1") == Indices{0, 3, 4, 7, 9});
  CHECK(Fitting(*view, "conv1 free") == Indices{9});
  CHECK(Fitting(*view, "segment") == Indices{5});
  CHECK(Fitting(*view, ">1MB") == Indices{4, 5, 9});
  CHECK(Fitting(*view, ">1MB -segment") == Indices{4, 9});
  CHECK(Fitting(*view, "at:0x1000") == Indices{4, 9, 10});  // two blocks, one after the other
  CHECK(Fitting(*view, "category:activation") == Indices{4, 9});
  CHECK(Fitting(*view, "born:10..") == Indices{10});
  CHECK(Fitting(*view, "alive:10") == Indices{6, 10});
  CHECK(Fitting(*view, "step") == Indices{1, 11});
  CHECK(Fitting(*view, "") == Indices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("Of however many events those of a set are found by their place, and their place by them") {
  timeline::Stream stream;
  for (uint64_t i = 0; i < 1000; ++i) stream.Allocate((i + 1) << 20, i % 7 == 3 ? 4096 : 512);
  const auto view = stream.Publish();
  const EventSet set = *EventsThatFit(*view, ReadAllocationFilter(">1KB").filter);
  const ListedEvents listed(*view, &set);
  REQUIRE(listed.size() == 143);
  for (uint64_t place = 0; place < listed.size(); ++place) {
    CHECK(listed.At(place) == 3 + 7 * place);
    CHECK(listed.PlaceOf(listed.At(place)) == place);
    CHECK(listed.PlaceOf(listed.At(place) + 1) == place + 1);
  }
  CHECK(listed.PlaceOf(1'000'000) == listed.size());
  CHECK(EventRows(listed, 140, 10, ByteUnit::kMegabytes).size() == 3);
  // A view that has grown since.
  stream.Allocate(uint64_t{2000} << 20, 4096);
  CHECK(ListedEvents(*stream.Publish(), &set).size() == listed.size());
}

TEST_CASE("Looking for events ends where nobody waits for them any more") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  int looks = 0;
  CHECK_FALSE(EventsThatFit(*stream.Publish(), {}, [&](double) { return ++looks < 1; }));
  CHECK(looks == 1);
}

TEST_CASE("Rows that are asked for beyond the stream's ends are not there") {
  timeline::Stream stream;
  for (int i = 0; i < 10; ++i) stream.Allocate(static_cast<uint64_t>(i + 1) << 20, 512);
  const auto view = stream.Publish();
  CHECK(EventRows({*view, nullptr}, 8, 5, ByteUnit::kMegabytes).size() == 2);
  CHECK(EventRows({*view, nullptr}, 10, 5, ByteUnit::kMegabytes).empty());
  CHECK(EventRows({*view, nullptr}, 11, 5, ByteUnit::kMegabytes).empty());
}

}  // namespace tidemark::presenters
