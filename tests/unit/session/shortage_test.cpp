#include "profiler/session/shortage.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::session {
namespace {

std::string WhyOf(int64_t requested, int64_t free, int64_t cached) {
  Shortage shortage;
  shortage.requested_bytes = requested;
  shortage.free_bytes = free;
  shortage.cached_bytes = cached;
  shortage.driver_bytes = requested + 10;
  return WhyShort(shortage, 1000);
}

TEST_CASE("A shortage knows its step, its phase and what was held") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.EndStep(0);
  stream.BeginStep(1);
  stream.BeginPhase(events::Phase::kBackward);
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 20);
  stream.Allocate(0x100000, 512);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000).rounded_bytes = 2000;
  stream.EndStep(1);
  stream.Add(events::EventKind::kOutOfMemory, 0, 1).rounded_bytes = 0;
  const std::vector<Shortage> shortages = ShortagesIn(*stream.Publish());
  REQUIRE(shortages.size() == 2);
  CHECK(shortages[0].step == 1);
  CHECK(shortages[0].phase == events::Phase::kBackward);
  CHECK(shortages[0].requested_bytes == 5000);
  CHECK(shortages[0].driver_bytes == 2 << 20);
  CHECK(shortages[0].survived);
  CHECK(shortages[0].free_bytes == 2000);
  CHECK(shortages[0].allocated_bytes == 512);
  CHECK(shortages[0].cached_bytes == (1 << 20) - 512);
  CHECK(shortages[1].step == -1);  // between steps
  CHECK_FALSE(shortages[1].survived);
}

TEST_CASE("A shortage while a model is loaded says what comes on top") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 20);
  stream.Allocate(0x100000, 512 << 10, events::Category::kParameter);
  const bool also_others = GENERATE(false, true);
  if (also_others) stream.Allocate(0x180000, 128 << 10, events::Category::kUnknown);
  stream.Add(events::EventKind::kOutOfMemory, 0, 1 << 20);
  stream.BeginStep(0);
  stream.Add(events::EventKind::kOutOfMemory, 0, 1 << 20);
  const std::vector<Shortage> shortages = ShortagesIn(*stream.Publish());
  REQUIRE(shortages.size() == 2);
  CHECK(shortages[0].while_loading != also_others);
  CHECK((WhyShort(shortages[0], 0).find("Nothing had run forward yet") != std::string::npos) != also_others);
  CHECK_FALSE(shortages[1].while_loading);
}

TEST_CASE("Of several cards it is the one without room whose memory is told") {
  timeline::Stream stream;
  for (const uint8_t device : {uint8_t{0}, uint8_t{1}}) {
    stream.Add(events::EventKind::kSegmentAllocate, 0x100000U << device, 1 << 20).device = device;
    stream.Allocate(0x100000U << device, device == 0 ? 4096 : 512).device = device;
  }
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000).device = 1;
  const auto view = stream.Publish();
  const std::vector<Shortage> shortages = ShortagesIn(*view);
  REQUIRE(shortages.size() == 1);
  CHECK(shortages[0].device == 1);
  CHECK(shortages[0].allocated_bytes == 512);
  CHECK(shortages[0].cached_bytes == (1 << 20) - 512);
  CHECK(PlaceOf(shortages[0]) == "on cuda:1");
}

TEST_CASE("A shortage after whatever began the run was let go is told of its card all the same") {
  timeline::Builder builder(1);
  std::vector<events::Event> events(2);
  events[0].kind = events[1].kind = events::EventKind::kAllocate;
  events[0].address = 0x100000;
  events[1].address = 0x200000;
  events[0].bytes = events[0].rounded_bytes = 4096;
  events[1].bytes = events[1].rounded_bytes = 512;
  events[1].device = 1;
  builder.Append(events);
  events::Event marker;
  marker.kind = events::EventKind::kMarker;
  builder.Append(std::vector<events::Event>(100'000, marker));
  events::Event failure;
  failure.kind = events::EventKind::kOutOfMemory;
  failure.device = 1;
  builder.Append({&failure, 1});
  const auto view = builder.Publish();
  REQUIRE(view->first() > 2);
  const std::vector<Shortage> shortages = ShortagesIn(*view);
  REQUIRE(shortages.size() == 1);
  CHECK(shortages[0].device == 1);
  CHECK(shortages[0].allocated_bytes == 512);
}

TEST_CASE("Where a shortage was is told as far as it is known") {
  Shortage shortage;
  CHECK(PlaceOf(shortage).empty());
  shortage.phase = events::Phase::kForward;
  CHECK(PlaceOf(shortage) == "in forward");
  shortage.step = 3;
  CHECK(PlaceOf(shortage) == "in step 3, forward");
  shortage.device = 1;
  CHECK(PlaceOf(shortage) == "on cuda:1, in step 3, forward");
  shortage.layer = "blocks.3.mlp";
  CHECK(PlaceOf(shortage) == "on cuda:1, in step 3, forward, in blocks.3.mlp");
  shortage.op = "aten::linear";
  CHECK(PlaceOf(shortage) == "on cuda:1, in step 3, forward, in aten::linear of blocks.3.mlp");
  shortage.layer = "4";  // a Sequential's own child
  CHECK(PlaceOf(shortage) == "on cuda:1, in step 3, forward, in aten::linear of layer 4");
  shortage.op.clear();
  CHECK(PlaceOf(shortage) == "on cuda:1, in step 3, forward, in layer 4");
}

TEST_CASE("Of a shortage between steps the step before is told, and what asked, without its stack") {
  timeline::Stream stream;
  stream.BeginStep(5);
  stream.Allocate(0x100000, 512);
  stream.EndStep(5);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000).op = stream.Name("aten::cat ← main (train.py:12)");
  const auto view = stream.Publish();
  const std::vector<Shortage> shortages = ShortagesIn(*view);
  REQUIRE(shortages.size() == 1);
  CHECK(PlaceOf(shortages[0]) == "after step 5, in aten::cat");
}

TEST_CASE("Whatever a recording claims, a shortage's sums do not run over") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(WhyOf(900, 800, most).find("fragmentation") != std::string::npos);
  CHECK(WhyOf(900, most, most).find("set_per_process_memory_fraction") != std::string::npos);
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentFree, 0x100000, most);
  stream.Add(events::EventKind::kSegmentFree, 0x900000, most);
  stream.Allocate(0x100000, most);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000).rounded_bytes = most;
  REQUIRE(ShortagesIn(*stream.Publish()).size() == 1);
}

TEST_CASE("What the card had outside of PyTorch is all but what was free and reserved") {
  Shortage shortage;
  shortage.free_bytes = 40;
  shortage.allocated_bytes = 800;
  shortage.waiting_bytes = 30;
  shortage.cached_bytes = 20;
  CHECK(OutsidePyTorch(shortage, 1000) == 110);
  CHECK(OutsidePyTorch(shortage, 0) == 0);  // nobody told of the card
  CHECK(OutsidePyTorch(shortage, 500) == 0);
  CHECK(OutsidePyTorch(shortage, std::numeric_limits<int64_t>::min()) == 0);
}

TEST_CASE("Why there was no room is told from the figures") {
  CHECK(WhyOf(1001, 900, 0).find("more than the whole card") != std::string::npos);
  CHECK(WhyOf(500, 510, 0).find("set_per_process_memory_fraction") != std::string::npos);
  CHECK(WhyOf(500, 509, 0).find("takes 510 B of the driver") != std::string::npos);
  CHECK(WhyOf(500, 400, 100).find("fragmentation") != std::string::npos);
  Shortage full;
  full.requested_bytes = 50;
  full.driver_bytes = 60;
  full.free_bytes = 40;
  full.allocated_bytes = 940;
  full.cached_bytes = 20;
  CHECK(WhyShort(full, 1000)
            .starts_with(
                "What was alive took nearly all that the card has beside the context: 940 B of 1,000 B."));
  full.allocated_bytes = 800;
  CHECK(WhyShort(full, 1000).find("fragmentation") != std::string::npos);
  CHECK(WhyOf(500, 400, 99).find("left no room") != std::string::npos);
}

TEST_CASE("The figure of PyTorch's own message is told where another was asked for") {
  const auto why = [](int64_t requested, bool expandable) {
    Shortage shortage;
    shortage.requested_bytes = requested;
    shortage.driver_bytes = BytesFromDriver(requested, expandable);
    return WhyShort(shortage, 0);
  };
  constexpr int64_t kHalfMiB = int64_t{1} << 19;
  CHECK(why(625 * kHalfMiB, false) ==
        "What was alive left no room. PyTorch's message says \"Tried to allocate 314.00 MiB\": what it takes "
        "of the driver for 312.5 MiB.");
  CHECK(why(625 * kHalfMiB, true)
            .ends_with("\"Tried to allocate 314.00 MiB\": what it would take of the driver for 312.5 MiB "
                       "without expandable segments."));
  CHECK(why(2 * kHalfMiB, false)
            .ends_with("\"Tried to allocate 2.00 MiB\": what it takes of the driver for "
                       "1.0 MiB."));
  CHECK(why(2047 * kHalfMiB, false).find("\"Tried to allocate 1024.00 MiB\"") != std::string::npos);
  CHECK(why(2058 * kHalfMiB, false).find("\"Tried to allocate 1.01 GiB\"") != std::string::npos);
  CHECK(why(2049 * kHalfMiB, false) == "What was alive left no room.");  // 1.00 GiB are asked for, too
  CHECK(why(628 * kHalfMiB, false) == "What was alive left no room.");
}

TEST_CASE("What PyTorch takes of the driver is told once") {
  Shortage shortage;
  shortage.requested_bytes = 625 << 19;
  shortage.driver_bytes = BytesFromDriver(shortage.requested_bytes, false);
  shortage.free_bytes = 313 << 20;
  CHECK(
      WhyShort(shortage, 0) ==
      "For a request of that size PyTorch takes 314.0 MiB of the driver, and so much was not free. PyTorch's "
      "message says \"Tried to allocate 314.00 MiB\".");
}

TEST_CASE("Where nobody tells of segments nothing is cached, and no driver is spoken of") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x100000, 512);  // as on the CPU
  stream.Add(events::EventKind::kOutOfMemory, 0, 15 << 20);
  const std::vector<Shortage> shortages = ShortagesIn(*stream.Publish());
  REQUIRE(shortages.size() == 1);
  CHECK(shortages[0].allocated_bytes == 512);
  CHECK(shortages[0].cached_bytes == 0);
  CHECK(WhyShort(shortages[0], 0) == "What was alive left no room.");
}

TEST_CASE("What waits for another stream is no gap, and why there was no room where it would have done") {
  timeline::Stream stream;
  const auto fail_with = [&stream](int64_t requested) {
    stream.Add(events::EventKind::kOutOfMemory, 0, requested);
    return ShortagesIn(*stream.Publish()).back();
  };
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 200 << 20);
  stream.Allocate(0x10000000, 100 << 20);
  stream.RequestFree(0x10000000);
  stream.Allocate(0x10000000 + (100 << 20), 90 << 20);
  stream.Add(events::EventKind::kSegmentAllocate, 0x40000000, 30 << 20).device = 1;
  stream.Allocate(0x40000000, 30 << 20).device = 1;
  stream.RequestFree(0x40000000);  // of another card
  const Shortage waits = fail_with(80 << 20);
  CHECK(waits.allocated_bytes == 90 << 20);
  CHECK(waits.cached_bytes == 10 << 20);
  CHECK(WhyShort(waits, 0).starts_with("100.0 MiB were freed and still waited for another stream"));
  CHECK_FALSE(IsForWantOfSegments(waits));
  CHECK(WhyShort(fail_with(8 << 20), 0).find("fragmentation") != std::string::npos);
  CHECK(WhyShort(fail_with(120 << 20), 0).find("left no room") != std::string::npos);
}

TEST_CASE("Other segments help where enough was free in all and no limit stood in the way") {
  const auto helps = [](int64_t free_bytes, int64_t cached_bytes) {
    Shortage shortage;
    shortage.requested_bytes = 500;
    shortage.driver_bytes = 510;
    shortage.free_bytes = free_bytes;
    shortage.cached_bytes = cached_bytes;
    return IsForWantOfSegments(shortage);
  };
  CHECK(helps(400, 100));
  CHECK(helps(509, 0));
  CHECK_FALSE(helps(400, 99));
  CHECK_FALSE(helps(510, 100));
}

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr uint64_t kSegment = 0x10000000;
constexpr uint64_t kSideStream = 0x5555;

void AddSegment(timeline::Stream& stream, uint64_t address, int64_t bytes, int64_t taken, uint8_t pool,
                uint64_t of_stream) {
  const auto add = [&](events::Event& event) {
    event.pool = pool;
    event.stream = of_stream;
  };
  add(stream.Add(events::EventKind::kSegmentAllocate, address, bytes));
  if (taken > 0) add(stream.Allocate(address, taken));
}

Shortage FailedRequest(timeline::Stream& stream, int64_t requested, uint8_t pool = 0) {
  events::Event& failure = stream.Add(events::EventKind::kOutOfMemory, 0, requested);
  failure.rounded_bytes = kMiB;  // that are free
  failure.pool = pool;
  return ShortagesIn(*stream.Publish()).back();
}

TEST_CASE("What lies free in a private pool, or in memory of another stream, is no fragmentation") {
  timeline::Stream stream;
  AddSegment(stream, kSegment, 20 * kMiB, 20 * kMiB, 0, 0);
  SECTION("in a private pool") {
    AddSegment(stream, 2 * kSegment, 100 * kMiB, 10 * kMiB, 1, 0);
    const Shortage shortage = FailedRequest(stream, 30 * kMiB);
    CHECK(WhyShort(shortage, 0) ==
          "90.0 MiB were free, but in private pools (CUDA graphs have theirs): PyTorch uses it for nothing "
          "else.");
    CHECK_FALSE(IsForWantOfSegments(shortage));
    CHECK(BytesInReach(shortage) == kMiB);
  }
  SECTION("an empty one of a private pool that is in use") {
    AddSegment(stream, 2 * kSegment, 100 * kMiB, 0, 1, 0);
    CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0)
              .starts_with("100.0 MiB were free, but in private pools"));
  }
  SECTION("of another stream") {
    AddSegment(stream, 2 * kSegment, 100 * kMiB, 10 * kMiB, 0, kSideStream);
    CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0) ==
          "90.0 MiB were free, but in memory of another stream: PyTorch uses it for nothing else.");
  }
  SECTION("in segments for small requests") {
    for (uint64_t i = 2; i < 42; ++i) AddSegment(stream, i * kSegment, 2 * kMiB, kMiB, 0, 0);
    CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0)
              .starts_with("40.0 MiB were free, but in segments for requests of another size"));
  }
  SECTION("in both, neither of which would have done alone") {
    AddSegment(stream, 2 * kSegment, 30 * kMiB, 10 * kMiB, 1, 0);
    AddSegment(stream, 3 * kSegment, 30 * kMiB, 14 * kMiB, 0, kSideStream);
    CHECK(
        WhyShort(FailedRequest(stream, 30 * kMiB), 0) ==
        "Enough was free in all, but 20.0 MiB of it in private pools (CUDA graphs have theirs), 16.0 MiB in "
        "memory of another stream: PyTorch serves a request only from its own memory.");
    CHECK(WhyShort(FailedRequest(stream, 300 * kMiB), 0) == "What was alive left no room.");
  }
}

TEST_CASE("Whose pools hold what is out of reach is told of the card that had no room alone") {
  timeline::Stream stream;
  const events::NameId of_program = stream.Name(events::PoolName(0, 2));
  const events::NameId of_graph = stream.Name(events::PoolName(1, 0));
  const auto add_pool = [&](uint64_t address, uint8_t device, events::NameId name) {
    events::Event& segment = stream.Add(events::EventKind::kSegmentAllocate, address, 90 * kMiB);
    segment.pool = 1;
    segment.device = device;
    segment.name = name;
  };
  AddSegment(stream, kSegment, 20 * kMiB, 20 * kMiB, 0, 0);
  add_pool(2 * kSegment, 0, of_program);
  add_pool(3 * kSegment, 1, of_graph);
  const std::string program_made =
      "90.0 MiB were free, but in private pools that the program made (torch.cuda.MemPool, "
      "torch.cuda.graph_pool_handle): PyTorch uses it for nothing else.";
  CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0) == program_made);
  add_pool(4 * kSegment, 0, of_graph);
  CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0)
            .starts_with("180.0 MiB were free, but in private pools (CUDA graphs have theirs)"));
}

TEST_CASE("Gaps of the request's own stream and pool that would have held it together are fragmentation") {
  timeline::Stream stream;
  AddSegment(stream, kSegment, 40 * kMiB, 20 * kMiB, 0, 0);
  AddSegment(stream, 2 * kSegment, 40 * kMiB, 20 * kMiB, 0, 0);
  AddSegment(stream, 3 * kSegment, 100 * kMiB, 10 * kMiB, 1, 0);
  const Shortage shortage = FailedRequest(stream, 30 * kMiB);
  CHECK(WhyShort(shortage, 0) ==
        "41.0 MiB were free within its reach, but in pieces: segments that hold live blocks cannot be given "
        "back (fragmentation). Out of it were 90.0 MiB more in private pools (CUDA graphs have theirs).");
  CHECK(IsForWantOfSegments(shortage));
  CHECK(BytesInReach(shortage) == 41 * kMiB);
}

TEST_CASE("A request of a private pool has nothing of what lies free outside of it") {
  timeline::Stream stream;
  AddSegment(stream, kSegment, 100 * kMiB, 10 * kMiB, 0, 0);
  CHECK(WhyShort(FailedRequest(stream, 30 * kMiB, 1), 0) ==
        "90.0 MiB were free, but outside of the private pool that asked: PyTorch serves a pool's requests "
        "from its own memory only.");
}

TEST_CASE(
    "Where it is not told whether a private pool asked, what pools have free is not said to be the cause") {
  timeline::Stream stream;
  AddSegment(stream, kSegment, 20 * kMiB, 20 * kMiB, 0, 0);
  AddSegment(stream, 2 * kSegment, 100 * kMiB, 10 * kMiB, 1, 0);
  CHECK(WhyShort(FailedRequest(stream, 30 * kMiB, events::kManyPools), 0) ==
        "90.0 MiB were free, but in private pools (whether one of them asked is not told).");
}

TEST_CASE("A small request that fails beside gaps of large segments fails by fragmentation") {
  timeline::Stream stream;
  AddSegment(stream, kSegment, 100 * kMiB, 10 * kMiB, 0, 0);
  events::Event& failure = stream.Add(events::EventKind::kOutOfMemory, 0, kMiB / 2);
  failure.rounded_bytes = kMiB / 4;
  const Shortage shortage = ShortagesIn(*stream.Publish()).back();
  CHECK(IsForWantOfSegments(shortage));
  CHECK(WhyShort(shortage, 0).find("(fragmentation)") != std::string::npos);
}

TEST_CASE(
    "Empty segments, of whatever stream, are there when a request fails only where PyTorch holds them") {
  timeline::Stream stream;
  AddSegment(stream, kSegment, 20 * kMiB, 20 * kMiB, 0, 0);
  AddSegment(stream, 2 * kSegment, 60 * kMiB, 0, 0, kSideStream);
  CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0) ==
        "60.0 MiB were free, but in empty segments that PyTorch does not give back to the card while a CUDA "
        "graph is captured or a torch.cuda.MemPool is in use.");
}

TEST_CASE("Where nobody tells of pools what lies free is told as if there were none") {
  timeline::Stream stream;
  stream.Allocate(0x100, 512);  // that no segment has: where the rest lies is not known
  AddSegment(stream, kSegment, 100 * kMiB, 10 * kMiB, 0, kSideStream);
  CHECK(WhyShort(FailedRequest(stream, 30 * kMiB), 0).find("(fragmentation)") != std::string::npos);
}

TEST_CASE("What a request takes of the driver is as PyTorch's allocator rounds it") {
  CHECK(BytesFromDriver(512, false) == 2 * kMiB);
  CHECK(BytesFromDriver(kMiB, false) == 2 * kMiB);
  CHECK(BytesFromDriver(kMiB + 512, false) == 20 * kMiB);
  CHECK(BytesFromDriver(10 * kMiB - 512, false) == 20 * kMiB);
  CHECK(BytesFromDriver(10 * kMiB, false) == 10 * kMiB);
  CHECK(BytesFromDriver(11 * kMiB, false) == 12 * kMiB);
  CHECK(BytesFromDriver(512, true) == 2 * kMiB);
  CHECK(BytesFromDriver(21 * kMiB, true) == 40 * kMiB);
}

TEST_CASE("A step that ends because its optimizer's step failed is no sign of going on") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.BeginPhase(events::Phase::kOptimizer);
  stream.Allocate(0x1000, 512);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000);
  stream.Free(0x1000);
  stream.EndStep(0);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.BeginPhase(events::Phase::kForward);
  stream.Allocate(0x2000, 512);  // a message's numbers, say
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.BeginStep(1);
  stream.EndStep(1);
  CHECK(WentOnAfterFailures(*stream.Publish()));
}

TEST_CASE("The failure that ended a run is its last, where it did not go on after that") {
  timeline::Stream stream;
  CHECK(FailureThatEnded(*stream.Publish()) == nullptr);
  stream.BeginStep(0);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000);
  stream.EndStep(0);
  CHECK(FailureThatEnded(*stream.Publish()) == nullptr);
  stream.BeginStep(1);
  stream.Add(events::EventKind::kOutOfMemory, 0, 7000);
  const auto view = stream.Publish();
  REQUIRE(FailureThatEnded(*view) != nullptr);
  CHECK(FailureThatEnded(*view)->requested_bytes == 7000);
  CHECK(FailureThatEnded(*view, view->end()) == nullptr);
}

TEST_CASE("An optimizer that allocates after a failure went on") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.BeginPhase(events::Phase::kOptimizer);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000);
  stream.Allocate(0x1000, 512);
  stream.EndStep(0);
  CHECK(WentOnAfterFailures(*stream.Publish()));
}

TEST_CASE("A failure is survived where its step came to its end, or a later one") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.EndStep(0);
  CHECK(WentOnAfterFailures(*stream.Publish()));
  CHECK(ShortagesIn(*stream.Publish()).front().survived);
  stream.BeginStep(1);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.BeginStep(2);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.EndStep(2);
  CHECK(WentOnAfterFailures(*stream.Publish()));
}

TEST_CASE("A failure after the last step is survived where more than a message takes was allocated later") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 4 * kMiB);
  stream.Free(0x1000);
  stream.EndStep(0);
  stream.Allocate(0x1000, 4 * kMiB);  // an evaluation's batch
  stream.Add(events::EventKind::kOutOfMemory, 0, 64 * kMiB);
  stream.Free(0x1000);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.Allocate(0x2000, 512);  // a message's numbers, say
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.Allocate(0x1000, 2 * kMiB);  // half of the batch
  CHECK(WentOnAfterFailures(*stream.Publish()));
  CHECK(ShortagesIn(*stream.Publish()).front().survived);
}

TEST_CASE(
    "A failure before a step that came to no end is survived where that allocates more than a message") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.EndStep(0);
  stream.Add(events::EventKind::kOutOfMemory, 0, 64 * kMiB);
  stream.BeginStep(1);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  for (uint64_t block = 0; block < 3; ++block) stream.Allocate(0x100000 * (block + 1), kMiB / 2);
  CHECK(WentOnAfterFailures(*stream.Publish()));
}

}  // namespace

TEST_CASE("A failure of a program without steps is survived where memory was allocated later") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  stream.Add(events::EventKind::kOutOfMemory, 0, 5000);
  stream.Free(0x1000);
  CHECK_FALSE(WentOnAfterFailures(*stream.Publish()));
  stream.Allocate(0x1000, 512);
  CHECK(WentOnAfterFailures(*stream.Publish()));
}

}  // namespace tidemark::session
