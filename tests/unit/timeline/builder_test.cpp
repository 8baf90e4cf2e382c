#include <algorithm>

#include "profiler/timeline/steps.h"
#include "profiler/timeline/timeline.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {
namespace {

using events::Category;

int64_t Allocated(const View& view, EventIndex index) {
  return ValueOf(view.ValuesAt(index), Series::kAllocated);
}

}  // namespace

TEST_CASE("An empty timeline answers everything with nothing") {
  Builder builder;
  const auto view = builder.Publish();
  CHECK(view->empty());
  CHECK(view->TimeOf(5) == 0);
  CHECK(view->IndexAt(5) == 0);
  CHECK(view->CutNear(5, 100).index == 0);
  std::vector<Bucket> buckets(3, Bucket{1, 1, 1, 1});
  view->Envelope(Series::kAllocated, 0, 100, buckets);
  CHECK(buckets[2].max == 0);
  view->EnvelopeInTime(Series::kAllocated, 0, 100, buckets);
  CHECK(buckets[0].last == 0);
  CHECK(view->PeakIn(Series::kAllocated, 0, 9).values == SeriesValues{});
  CHECK(view->ValuesAt(3) == SeriesValues{});
  CHECK(view->StateAt(3).blocks.empty());
  CHECK_FALSE(view->FreedAt(0));
  CHECK(view->steps().empty());
  CHECK(view->phases().empty());
  CHECK(view->names().empty());
  CHECK(view->name(1).empty());
}

TEST_CASE("What the driver and the card tell of is a level of its own") {
  Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x1000, 1 << 20);
  stream.Add(events::EventKind::kCounter, 0x1000, 3 << 20).level = events::Level::kDriver;
  stream.Add(events::EventKind::kCounter, 0, 9 << 20).level = events::Level::kCard;
  stream.Add(events::EventKind::kCounter, 0, 5 << 20).level = events::Level::kProcess;
  stream.Add(events::EventKind::kCounter, 0x1000, 2 << 20).level = events::Level::kDriver;
  stream.Add(events::EventKind::kCounter, 0, 77);  // of no level
  const auto view = stream.Publish();
  const SeriesValues values = view->ValuesAt(stream.latest());
  CHECK(ValueOf(values, Series::kReserved) == 1 << 20);
  CHECK(ValueOf(values, Series::kDriver) == 2 << 20);
  CHECK(ValueOf(values, Series::kProcess) == 5 << 20);
  CHECK(ValueOf(values, Series::kCard) == 9 << 20);
  const View::Peak peak = view->PeakIn(Series::kDriver, 0, view->end());
  CHECK(peak.index == 1);
  CHECK(ValueOf(peak.values, Series::kDriver) == 3 << 20);
}

TEST_CASE("A source's state is what it said last, and what it lost since when") {
  Stream stream;
  stream.Add(events::EventKind::kMarker).name = stream.Name("live");
  const auto live = stream.Name("live (CUPTI 13.0)");
  const auto blocked = stream.Name("blocked: it tells nobody of its blocks");
  events::Event& state = stream.Add(events::EventKind::kMarker);
  state.source = events::Source::kDriver;
  state.name = live;
  for (const int64_t lost : {3, 4}) {
    stream.Add(events::EventKind::kLoss, 0, lost).source = events::Source::kDriver;
  }
  events::Event& allocator_state = stream.Add(events::EventKind::kMarker);
  allocator_state.source = events::Source::kAllocator;
  allocator_state.name = blocked;
  const auto view = stream.Publish();
  REQUIRE(view->sources().size() == 2);
  CHECK(view->sources()[0].source == events::Source::kAllocator);
  CHECK(view->sources()[0].text == "blocked: it tells nobody of its blocks");
  const SourceState& driver = view->sources()[1];
  CHECK(driver.source == events::Source::kDriver);
  CHECK(driver.text == "live (CUPTI 13.0)");
  CHECK(driver.lost == 7);
  CHECK(driver.lost_since_ns == view->TimeOf(view->end() - 3));
  CHECK(view->health().lost == 7);
  CHECK(view->markers().size() == 1);
}

TEST_CASE("Sizes of blocks alone are no requests") {
  Stream stream;
  CHECK(stream.Publish()->tells_requested());
  stream.Allocate(0x1000, 1024);
  CHECK_FALSE(stream.Publish()->tells_requested());
  stream.Free(0x1000);
  stream.Allocate(0x2000, 100).rounded_bytes = 100;  // of the CPU's: nothing rounds them
  CHECK(stream.Publish()->tells_requested());
  Stream rounded;
  rounded.Allocate(0x1000, 1024).rounded_bytes = 2048;
  CHECK(rounded.Publish()->tells_requested());
}

TEST_CASE("Blocks are not told where other levels are, and nobody told of a block or says that it would") {
  Stream stream;
  CHECK(stream.Publish()->tells_blocks());
  stream.Count(events::Level::kCard, 5 << 20);
  CHECK_FALSE(stream.Publish()->tells_blocks());
  CHECK(stream.Publish()->peak_level() == Series::kCard);
  stream.Count(events::Level::kDriver, 3 << 20);
  CHECK(stream.Publish()->peak_level() == Series::kDriver);
  SECTION("An allocator that is live has allocated nothing") {
    stream.Say(events::Source::kAllocator, "live");
    CHECK(stream.Publish()->tells_blocks());
    CHECK(stream.Publish()->peak_level() == Series::kAllocated);
    stream.Say(events::Source::kAllocator, "blocked: by another tool");
    CHECK_FALSE(stream.Publish()->tells_blocks());
  }
  SECTION("A segment is told by the allocator") {
    stream.Add(events::EventKind::kSegmentAllocate, 0x1000, 1 << 20);
    CHECK(stream.Publish()->tells_blocks());
  }
  SECTION("Once there was a block they are told") {
    stream.Allocate(0x1000, 1024);
    stream.Free(0x1000);
    CHECK(stream.Publish()->tells_blocks());
    CHECK(stream.Publish()->peak_level() == Series::kAllocated);
  }
}

TEST_CASE("The peak of a step is that of the first level that is told") {
  Stream stream;
  stream.BeginStep(0);
  for (const int64_t bytes : {2, 7, 3}) stream.Count(events::Level::kDriver, bytes << 20);
  stream.Count(events::Level::kCard, 90 << 20);
  stream.EndStep(0);
  const auto view = stream.Publish();
  REQUIRE(view->steps().size() == 1);
  CHECK(view->steps()[0].peak == 2);
  CHECK(ValueOf(view->steps()[0].at_peak, Series::kDriver) == 7 << 20);
  CHECK(HighestMoment(*view, view->first(), view->end()) == 2);
}

TEST_CASE("A step's peak is that of blocks from the first block on") {
  Stream stream;
  stream.BeginStep(0);
  stream.Count(events::Level::kDriver, 9 << 20);
  stream.Count(events::Level::kDriver, 1 << 20);
  stream.Allocate(0x1000, 1024);
  stream.Allocate(0x2000, 1024);
  stream.Free(0x2000);
  stream.EndStep(0);
  CHECK(stream.Publish()->steps()[0].peak == 4);
}

TEST_CASE("A block counts from its allocation to the request to free it") {
  Stream stream;
  stream.Allocate(0x1000, 1000, Category::kActivation);
  stream.Allocate(0x2000, 3000);
  stream.RequestFree(0x1000);
  stream.Free(0x1000);
  stream.Free(0x2000);
  const auto view = stream.Publish();
  CHECK(Allocated(*view, 0) == 1024);
  CHECK(Allocated(*view, 1) == 1024 + 3072);
  CHECK(ValueOf(view->ValuesAt(1), Series::kRequested) == 4000);
  CHECK(ValueOf(view->ValuesAt(1), SeriesOf(Category::kActivation)) == 1024);
  CHECK(Allocated(*view, 2) == 3072);
  REQUIRE(view->StateAt(2).blocks.size() == 2);
  CHECK(view->StateAt(2).blocks[0].pending_free);
  CHECK(Allocated(*view, 3) == 3072);
  CHECK(view->StateAt(3).blocks.size() == 1);
  CHECK(Allocated(*view, 4) == 0);
  CHECK(view->FreedAt(0) == EventIndex{3});
  CHECK(view->FreedAt(1) == EventIndex{4});
  CHECK_FALSE(view->FreedAt(2));
  CHECK(view->StopsCountingAt(0) == EventIndex{2});
  CHECK(view->StopsCountingAt(1) == EventIndex{4});
  CHECK_FALSE(view->StopsCountingAt(2));
}

TEST_CASE("A block that waits has stopped counting and has no end yet, however far away that is") {
  Stream stream;
  stream.Allocate(0x1000, 1000);
  const auto pass = [&stream] {
    for (size_t i = 0; i < 40'000; ++i) stream.Add(events::EventKind::kMarker);
  };
  pass();
  stream.RequestFree(0x1000);
  const EventIndex requested = stream.latest();
  pass();
  const auto waiting = stream.Publish();
  CHECK(waiting->StopsCountingAt(0) == requested);
  CHECK_FALSE(waiting->FreedAt(0));
  stream.Allocate(0x1000, 1000);  // its end was lost
  const auto view = stream.Publish();
  CHECK(view->StopsCountingAt(0) == requested);
  CHECK(view->FreedAt(0) == stream.latest());
}

TEST_CASE("What a block holds is told of its own device, whoever tells it") {
  Stream stream;
  stream.Allocate(0x1000, 512).device = 1;
  stream.Allocate(0x2000, 512).device = 0;
  stream.Categorize(0x1000, Category::kParameter);
  stream.Categorize(0x2000, Category::kGradient).device = 1;
  const auto view = stream.Publish();
  CHECK(view->event(2).device == 1);
  CHECK(view->event(3).device == 0);
  CHECK(view->StateAt(2).blocks.at(0).device == 1);
}

TEST_CASE("A block moves between categories and keeps its name until it gets another") {
  Stream stream;
  const events::NameId name = stream.Name("conv2 output");
  stream.Allocate(0x1000, 512);
  const EventIndex born = stream.latest();
  stream.Categorize(0x1000, Category::kActivation, name);
  stream.Categorize(0x1000, Category::kTemporary);
  stream.Free(0x1000);
  const auto view = stream.Publish();
  CHECK(ValueOf(view->ValuesAt(born + 1), SeriesOf(Category::kActivation)) == 512);
  CHECK(ValueOf(view->ValuesAt(born + 1), SeriesOf(Category::kTemporary)) == 0);
  CHECK(ValueOf(view->ValuesAt(born + 2), SeriesOf(Category::kTemporary)) == 512);
  CHECK(Allocated(*view, born + 2) == 512);
  CHECK(view->name(view->StateAt(born + 2).blocks.at(0).name) == "conv2 output");
  const events::Event& freed = view->event(born + 3);
  CHECK(freed.category == Category::kTemporary);
  CHECK(freed.bytes == 512);
  CHECK(freed.rounded_bytes == 512);
  CHECK(view->name(freed.name) == "conv2 output");
}

TEST_CASE("A block has the shape that is told of it first, however far away its end is") {
  Stream stream;
  const events::NameId shape = stream.Name("float16 [64, 128]");
  stream.Allocate(0x1000, 16'384, Category::kActivation);
  const EventIndex born = stream.latest();
  const auto untold = stream.Publish();
  CHECK(untold->ShapeOf(born) == 0);
  CHECK(untold->StateAt(born).blocks.at(0).shape == 0);
  stream.Shape(0x1000, shape);
  stream.Shape(0x1000, stream.Name("int8 [16384]"));
  const EventIndex told = born + 1;
  const auto living = stream.Publish();
  CHECK(living->name(living->ShapeOf(born)) == "float16 [64, 128]");
  CHECK(living->event(told).category == Category::kActivation);
  CHECK(living->event(told).rounded_bytes == 16'384);
  CHECK_FALSE(living->FreedAt(born));
  for (size_t i = 0; i < 40'000; ++i) stream.Add(events::EventKind::kMarker);
  stream.RequestFree(0x1000);
  const EventIndex requested = stream.latest();
  stream.Shape(0x1000, shape);  // of a block that waits to be free nobody tells one
  stream.Free(0x1000);
  const EventIndex freed = stream.latest();
  stream.Allocate(0x1000, 512);
  const auto view = stream.Publish();
  CHECK(view->ShapeOf(born) == shape);
  CHECK(view->StateAt(requested - 1).blocks.at(0).shape == shape);
  CHECK(view->StopsCountingAt(born) == requested);
  CHECK(view->FreedAt(born) == freed);
  CHECK(view->ShapeOf(stream.latest()) == 0);  // another block
  CHECK(view->StateAt(stream.latest()).blocks.at(0).shape == 0);
}

TEST_CASE("What nobody lives at has no shape") {
  Stream stream;
  const events::NameId shape = stream.Name("float16 [64]");
  stream.Allocate(0x1000, 512);
  stream.Shape(0x2000, shape);
  const auto view = stream.Publish();
  CHECK(view->ShapeOf(1) == 0);
  CHECK(view->health().unmatched_tensors == 1);
}

TEST_CASE("A spike of one event in a million is found, exact to the byte") {
  Stream stream;
  for (int n = 0; n < 250'000; ++n) {
    stream.Allocate(0x1000, 10'000 + n % 100);
    stream.Free(0x1000);
  }
  stream.Allocate(0x9000, 123'456'789);
  const EventIndex spike = stream.latest();
  stream.Free(0x9000);
  for (int n = 0; n < 250'000; ++n) {
    stream.Allocate(0x1000, 10'000 + n % 100);
    stream.Free(0x1000);
  }
  const auto view = stream.Publish();
  CHECK(view->end() > 1'000'000);
  std::vector<Bucket> columns(100);
  view->Envelope(Series::kAllocated, 0, view->end(), columns);
  const auto highest = std::max_element(columns.begin(), columns.end(),
                                        [](const Bucket& a, const Bucket& b) { return a.max < b.max; });
  CHECK(highest->max == 123'457'024);
  CHECK(highest - columns.begin() == 49);
  CHECK(std::count_if(columns.begin(), columns.end(), [](const Bucket& b) { return b.max > 20'000; }) == 1);
  CHECK(view->PeakIn(Series::kAllocated, 0, view->end()).index == spike);
  CHECK(view->PeakIn(Series::kRequested, 0, view->end()).index == spike);
  CHECK(ValueOf(view->PeakIn(Series::kRequested, 0, view->end()).values, Series::kRequested) == 123'456'789);
}

TEST_CASE("Ranges outside of the view repeat its edges") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  stream.Allocate(0x2000, 512);
  const auto view = stream.Publish();
  std::vector<Bucket> buckets(4);
  view->Envelope(Series::kAllocated, 0, 8, buckets);
  CHECK(buckets[0].first == 0);
  CHECK(buckets[0].max == 1024);
  CHECK(buckets[3].min == 1024);
  CHECK(buckets[3].last == 1024);
}

TEST_CASE("Time never goes back") {
  Stream stream;
  stream.Allocate(0x1000, 1).time_ns = 100;
  stream.Allocate(0x2000, 1).time_ns = 50;
  stream.Allocate(0x3000, 1).time_ns = 200;
  const auto view = stream.Publish();
  CHECK(view->start_ns() == 100);
  CHECK(view->TimeOf(1) == 100);
  CHECK(view->event(1).time_ns == 50);
  CHECK(view->IndexAt(60) == 0);
  CHECK(view->IndexAt(101) == 2);
  CHECK(view->IndexAt(201) == 3);
}

TEST_CASE("Blocks outlive the chunks in which they were born") {
  Stream stream;
  const events::NameId name = stream.Name("fc.weight");
  stream.Allocate(0x1000, 4'000'000, Category::kParameter);
  const EventIndex born = stream.latest();
  stream.Categorize(0x1000, Category::kParameter, name);
  for (int n = 0; n < 100'000; ++n) {
    stream.Allocate(0x2000, 512);
    stream.Free(0x2000);
  }
  const auto view = stream.Publish(65'536);
  CHECK(view->first() > born);
  CHECK(view->end() - view->first() <= 65'536);
  CHECK(view->health().let_go == view->first());
  CHECK(view->StateAt(view->end() - 1).blocks.at(0).born == born);
  CHECK(view->name(view->StateAt(view->first()).blocks.at(0).name) == "fc.weight");
  CHECK(Allocated(*view, view->end() - 1) == 4'000'256);
  CHECK_FALSE(view->FreedAt(born));
  CHECK(view->start_ns() == Stream::kStartNs);
}

TEST_CASE("Checkpoints with many live blocks stay rare, and states right") {
  Stream stream;
  constexpr uint64_t kBlocks = 40'000;
  for (uint64_t n = 0; n < kBlocks; ++n) stream.Allocate(0x1000 * (n + 1), 512);
  for (uint64_t n = 0; n < kBlocks; n += 2) stream.Free(0x1000 * (n + 1));
  const auto view = stream.Publish();
  CHECK(view->StateAt(kBlocks - 1).blocks.size() == kBlocks);
  CHECK(view->StateAt(kBlocks + 9).blocks.size() == kBlocks - 10);
  CHECK(view->StateAt(view->end() - 1).blocks.size() == kBlocks / 2);
}

TEST_CASE("What nobody needs any more is let go before the budget is reached, and states stay right") {
  Stream stream;
  stream.Allocate(0x1000, 4'000'000, Category::kParameter);
  for (int n = 0; n < 100'000; ++n) {
    stream.Allocate(0x2000, 512);
    stream.Free(0x2000);
  }
  const bool by_index = GENERATE(true, false);
  Builder builder;
  builder.Append(stream.events());
  constexpr EventIndex kNeeded = 150'000;
  by_index ? builder.LetGoBefore(kNeeded) : builder.LetGoBeyond(500'000);
  const auto view = builder.Publish();
  CHECK(view->first() > 0);
  CHECK(view->health().let_go == view->first());
  if (by_index) CHECK((view->first() <= kNeeded && view->first() > kNeeded - 16'384));
  CHECK(view->StateAt(view->first()).blocks.size() >= 1);
  CHECK(Allocated(*view, view->end() - 1) == 4'000'256);
  builder.LetGoBefore(view->end());
  builder.Append(stream.events());
  CHECK(Allocated(*builder.Publish(), view->end() - 1) == 4'000'256);
}

TEST_CASE("The most that was held is known though it was let go, and in which step it was") {
  Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 20'480);
  for (int step = 0; step < 20'000; ++step) {
    stream.BeginStep(step);
    stream.Allocate(0x100000, step == 12 ? 10'240 : 512);
    stream.Free(0x100000);
    stream.EndStep(step);
  }
  const auto view = stream.Publish(32'768);
  REQUIRE(view->steps().front().number > 12);
  CHECK(view->highest_allocated().bytes == 10'240);
  CHECK(view->highest_allocated().step == 12);
  CHECK(view->highest_reserved().bytes == 20'480);
  CHECK_FALSE(view->highest_reserved().step);
}

}  // namespace tidemark::timeline
