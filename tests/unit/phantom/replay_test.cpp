// PyTorch's own allocator answers requests that a run had made.
#include "profiler/phantom/replay/replay.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/environment.h"
#include "profiler/session/reserved_band.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

Replayer OnACardWith(int64_t usable_bytes) {
  const Card card = *FindCard("h200");
  std::vector<std::string> environment = *PhantomEnvironment(card);
  environment.push_back(std::string(kMemoryVariable) + "=" +
                        std::to_string(card.context_bytes + usable_bytes));
  return {ReplayerExecutable(), environment};
}

Result<Replayed> ReplayOne(const Replayer& replayer, const std::vector<Request>& requests,
                           const AddressOrder& order) {
  const Result<std::vector<Replayed>> replayed = Replay(replayer, requests, std::vector{order});
  if (!replayed) return replayed.error();
  return replayed->at(0);
}

Request Allocate(uint64_t block, int64_t bytes) { return {Request::Kind::kAllocate, block, bytes, 0}; }
Request Free(uint64_t block) { return {Request::Kind::kFree, block, 0, 0}; }

// Blocks that come and go at random, of sizes (MiB) that share segments.
std::vector<Request> RandomRequests(const std::vector<int64_t>& sizes = {1, 2, 3, 5, 7, 9, 12, 15, 30}) {
  std::minstd_rand random(3);
  std::vector<Request> requests;
  std::vector<uint64_t> live;
  for (uint64_t block = 1; block < 3000; ++block) {
    if (!live.empty() && random() % 2 == 0) {
      const size_t which = random() % live.size();
      requests.push_back(Free(live[which]));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      requests.push_back(Allocate(block, sizes[random() % sizes.size()] * kMiB));
      live.push_back(block);
    }
  }
  return requests;
}

// That had these requests, and reserved so much for them.
std::shared_ptr<const timeline::View> RunWith(const std::vector<Request>& requests, int64_t reserved_bytes) {
  timeline::Stream stream;
  for (const Request& request : requests) {
    if (request.kind == Request::Kind::kAllocate) {
      stream.Allocate(request.block, request.bytes);
    } else {
      stream.Free(request.block);
    }
  }
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, reserved_bytes);
  return stream.Publish();
}

// In which the first of two equal blocks is freed late where its stream is not done at once.
timeline::Stream StepWithAWait() {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 30 * kMiB);
  stream.BeginStep(0);
  stream.Allocate(0x100000, 30 * kMiB);
  stream.RequestFree(0x100000);
  stream.Add(events::EventKind::kMarker);
  stream.Free(0x100000);
  stream.Allocate(0x100000, 30 * kMiB);
  return stream;
}

Card CardWith(int64_t usable_bytes) {
  Card card = *FindCard("h200");
  card.memory_bytes = card.context_bytes + usable_bytes;
  return card;
}

}  // namespace

TEST_CASE("A replayer looks for its torch beside itself, where a moved one is linked") {
  std::ifstream file(ReplayerExecutable(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  CHECK(bytes.find("$ORIGIN/../torch/lib") != std::string::npos);
}

TEST_CASE("Requests are answered by PyTorch's rules: rounded, in segments, kept until the cache is emptied") {
  const Replayer replayer = OnACardWith(1000 * kMiB);
  const Replayed small = *ReplayOne(replayer, {Allocate(1, 100), Allocate(2, 513)}, {});
  CHECK(small.allocated_peak_bytes == 512 + 1024);
  CHECK(small.reserved_peak_bytes == 2 * kMiB);
  const std::vector<Request> kept = {Allocate(1, 100 * kMiB), Free(1), Allocate(2, 120 * kMiB)};
  CHECK(ReplayOne(replayer, kept, {})->reserved_peak_bytes == 220 * kMiB);
  const std::vector<Request> emptied = {kept[0], kept[1], {Request::Kind::kEmptyCache}, kept[2]};
  CHECK(ReplayOne(replayer, emptied, {})->reserved_peak_bytes == 120 * kMiB);
}

TEST_CASE(
    "On a full card the cache is freed first; what does not fit even then fails, and the rest goes on") {
  const Replayed replayed = *ReplayOne(OnACardWith(200 * kMiB),
                                       {Allocate(1, 150 * kMiB),
                                        Free(1),
                                        Allocate(2, 180 * kMiB),
                                        {Request::Kind::kTry, 0, 500 * kMiB, 0},
                                        Free(2),
                                        Allocate(3, 10 * kMiB)},
                                       {});
  CHECK(replayed.retries == 2);
  CHECK(replayed.failures == 1);
  CHECK(replayed.reserved_peak_bytes == 180 * kMiB);
}

TEST_CASE("A curve has the highest of equal numbers of requests, and where the card was full") {
  const std::vector<Request> requests = {
      Allocate(1, 100 * kMiB), Free(1), {Request::Kind::kTry, 0, 500 * kMiB, 0}, Allocate(2, 20 * kMiB)};
  const std::vector<Replayed> answers = *Replay(OnACardWith(200 * kMiB), requests, {AddressOrder{}}, 2);
  CHECK(answers[0].curve ==
        std::vector<ReplayColumn>{{100 * kMiB, 100 * kMiB, 0}, {20 * kMiB, 20 * kMiB, 1}});
  CHECK(ReplayOne(OnACardWith(200 * kMiB), requests, {})->curve.empty());
  const auto all = *Replay(OnACardWith(200 * kMiB), requests, {AddressOrder{}}, 100);
  CHECK(all[0].curve.size() == requests.size());
}

TEST_CASE("A private pool's memory is nobody else's, until the pool is released and the cache emptied") {
  const Replayer replayer = OnACardWith(1000 * kMiB);
  const auto in_pool = [](uint64_t block, uint64_t pool) {
    return Request{Request::Kind::kAllocate, block, 100 * kMiB, 0, pool};
  };
  const Request emptied{Request::Kind::kEmptyCache};
  const Request released{Request::Kind::kReleasePool, 0, 0, 0, 1};
  const auto reserved = [&](const std::vector<Request>& requests) {
    return ReplayOne(replayer, requests, {})->reserved_peak_bytes;
  };
  CHECK(reserved({in_pool(1, 1), Free(1), in_pool(2, 1)}) == 100 * kMiB);
  CHECK(reserved({in_pool(1, 1), Free(1), in_pool(2, 2)}) == 200 * kMiB);
  CHECK(reserved({in_pool(1, 1), Free(1), Allocate(2, 100 * kMiB)}) == 200 * kMiB);
  CHECK(reserved({in_pool(1, 1), in_pool(2, 1), Free(1), Free(2), emptied, Allocate(3, 100 * kMiB)}) ==
        300 * kMiB);
  CHECK(reserved({in_pool(1, 1), in_pool(2, 1), Free(1), Free(2), released, emptied,
                  Allocate(3, 200 * kMiB)}) == 200 * kMiB);
  CHECK(reserved({in_pool(1, 1), Free(1), {Request::Kind::kCountHence}, in_pool(2, 1)}) == 200 * kMiB);
}

TEST_CASE("A private pool that is not to be split hands out whole segments") {
  const auto allocated = [&](uint64_t is_whole) {
    const std::vector<Request> requests = {{Request::Kind::kAllocate, 1, kMiB / 4, 0, 1, 0, is_whole},
                                           {Request::Kind::kAllocate, 2, 3 * kMiB, 0, 1, 0, is_whole}};
    return ReplayOne(OnACardWith(1000 * kMiB), requests, {})->allocated_peak_bytes;
  };
  CHECK(allocated(0) == 3 * kMiB + kMiB / 4);
  CHECK(allocated(1) == 22 * kMiB);
}

TEST_CASE("Each device has segments of its own, and the peaks are of all of them together") {
  const Replayer replayer = OnACardWith(1000 * kMiB);
  const auto on = [](uint64_t device, uint64_t block, int64_t bytes, uint64_t pool = 0) {
    return Request{Request::Kind::kAllocate, block, bytes, 0, pool, device};
  };
  const std::vector<Request> requests = {
      on(0, 1, 5 * kMiB), on(1, 2, 5 * kMiB), Free(1), on(1, 3, 6 * kMiB), Free(2), Free(3)};
  const Replayed replayed = Replay(replayer, requests, {AddressOrder{}}, 2)->at(0);
  CHECK(replayed.allocated_peak_bytes == 11 * kMiB);  // at its 4th request
  CHECK(replayed.reserved_peak_bytes == 40 * kMiB);   // of each device 20, as PyTorch reserves for such
  CHECK(replayed.curve == std::vector<ReplayColumn>{{10 * kMiB, 40 * kMiB, 0}, {11 * kMiB, 40 * kMiB, 0}});
  const std::vector<Request> pools = {on(1, 1, 100 * kMiB, 1), Free(1), on(0, 2, 100 * kMiB, 1)};
  CHECK(ReplayOne(replayer, pools, {})->reserved_peak_bytes == 200 * kMiB);
  const std::vector<Request> counted = {on(1, 1, 100 * kMiB),
                                        Free(1),
                                        {Request::Kind::kEmptyCache},
                                        {Request::Kind::kCountHence},
                                        on(0, 2, 10 * kMiB)};
  CHECK(ReplayOne(replayer, counted, {})->reserved_peak_bytes == 10 * kMiB);
  const std::vector<Request> shrinks = {on(0, 1, 100 * kMiB),         on(1, 2, 100 * kMiB),
                                        {Request::Kind::kCountHence}, Free(1),
                                        {Request::Kind::kEmptyCache}, Free(2)};
  const Replayed from_its_beginning = *ReplayOne(replayer, shrinks, {});
  CHECK(from_its_beginning.allocated_peak_bytes == 200 * kMiB);
  CHECK(from_its_beginning.reserved_peak_bytes == 200 * kMiB);
  const ReservedBand band = *BandOfReserved(replayer, requests, replayed);
  CHECK(band.least_bytes == 40 * kMiB);
  const std::vector<Request> full = {on(0, 1, 900 * kMiB), on(1, 2, 900 * kMiB), on(1, 3, 200 * kMiB)};
  const Replayed two_cards = *ReplayOne(replayer, full, {});
  CHECK(two_cards.reserved_peak_bytes == 1800 * kMiB);
  CHECK(two_cards.fullest_reserved_bytes == 900 * kMiB);
  CHECK(two_cards.failures == 1);  // the second card's own
}

TEST_CASE("Devices are numbered as they are met: one alone is the first, whatever number it had") {
  const Replayer replayer = OnACardWith(1000 * kMiB);
  const auto on = [](uint64_t device) {
    return std::vector<Request>{{Request::Kind::kAllocate, 1, 30 * kMiB, 0, 0, device},
                                {Request::Kind::kEmptyCache},
                                {Request::Kind::kFree, 1, 0, 0, 0, device}};
  };
  for (const uint64_t device : {7, 200}) {  // 200 is no number of a device to PyTorch
    const Result<Replayed> replayed = ReplayOne(replayer, on(device), {});
    REQUIRE(replayed.ok());
    CHECK(replayed->allocated_peak_bytes == 30 * kMiB);
    CHECK(replayed->reserved_peak_bytes == 30 * kMiB);
    CHECK(replayed->failures == 0);
  }
}

TEST_CASE("What came before the requests that count is cached, and else not told") {
  const std::vector<Request> requests = {Allocate(1, 100 * kMiB),
                                         {Request::Kind::kTry, 0, 500 * kMiB, 0},
                                         Free(1),
                                         Allocate(2, 100 * kMiB),
                                         Free(2),
                                         {Request::Kind::kCountHence},
                                         Allocate(3, 60 * kMiB),
                                         Allocate(4, 60 * kMiB)};
  const Replayed replayed = Replay(OnACardWith(200 * kMiB), requests, {AddressOrder{}}, 2)->at(0);
  CHECK(replayed.allocated_peak_bytes == 120 * kMiB);
  CHECK(replayed.reserved_peak_bytes == 160 * kMiB);  // the rest of the 100 MiB is too small for the second
  CHECK(replayed.failures == 0);
  CHECK(replayed.retries == 0);
  CHECK(replayed.curve == std::vector<ReplayColumn>{{60 * kMiB, 100 * kMiB, 0}, {120 * kMiB, 160 * kMiB, 0}});
}

TEST_CASE("The order of addresses moves what is reserved; the band holds what it moved") {
  const Replayer replayer = OnACardWith(100'000 * kMiB);
  const std::vector<Request> requests = RandomRequests();
  const Replayed as_it_was = *ReplayOne(replayer, requests, {});
  const Replayed again = *ReplayOne(replayer, requests, {});
  CHECK(again.reserved_peak_bytes == as_it_was.reserved_peak_bytes);
  const ReservedBand band = *BandOfReserved(replayer, requests, as_it_was);
  CHECK(band.least_bytes < band.most_bytes);
  CHECK(band.allocated.is_moved());  // some of these are too little smaller than what is free to be split
  const std::vector<Replayed> others = *Replay(replayer, requests, LikelyOrders());
  CHECK(others.size() == LikelyOrders().size());
  for (const Replayed& other : others) {
    CHECK(other.reserved_peak_bytes >= band.least_bytes);
    CHECK(other.reserved_peak_bytes <= band.most_bytes);
    CHECK(other.allocated_peak_bytes >= band.allocated.least_bytes);
    CHECK(other.allocated_peak_bytes <= band.allocated.most_bytes);
  }
}

TEST_CASE("A replay that nobody wants any more ends, and says so") {
  double share = -1;
  const auto cancel = [&](double done) {
    share = done;
    return false;
  };
  std::vector<Request> requests;  // more than it answers before it is asked
  for (uint64_t block = 1; block < 4'000'000; ++block) {
    requests.push_back(Allocate(block, kMiB));
    requests.push_back(Free(block));
  }
  const auto replayed = Replay(OnACardWith(1000 * kMiB), requests, {AddressOrder{}}, 0, cancel);
  REQUIRE_FALSE(replayed.ok());
  CHECK(replayed.error().message == "The replay was cancelled.");
  CHECK(share == 0);
}

TEST_CASE("A run that reserved what its requests do not explain has no band, but a sentence") {
  const Result<ReservedBand> band =
      BandOfReserved(OnACardWith(1000 * kMiB), {Allocate(1, kMiB)}, {kMiB, 22 * kMiB, 0, 0, 0, {}});
  REQUIRE(!band);
  CHECK(band.error().message.find("is not known for this run") != std::string::npos);
}

TEST_CASE("A run's band holds what it reserved itself, in whatever order its driver handed out addresses") {
  const std::vector<Request> requests =
      RandomRequests({2, 4, 6, 10, 14, 30});                   // no rest is too small to split
  const AddressOrder own{AddressOrder::Kind::kScattered, 22};  // none of the likely ones
  const int64_t usable_bytes = 100'000 * kMiB;
  const Replayed as_it_was = *ReplayOne(OnACardWith(usable_bytes), requests, own);
  REQUIRE(as_it_was.reserved_peak_bytes !=
          ReplayOne(OnACardWith(usable_bytes), requests, {})->reserved_peak_bytes);
  const auto run = RunWith(requests, as_it_was.reserved_peak_bytes);
  session::AllocatorOf allocator;
  allocator.addresses = own;
  const auto band = session::ReservedBandOf(*run, CardWith(usable_bytes), allocator);
  REQUIRE(band.ok());
  CHECK(band->bytes.least_bytes <= as_it_was.reserved_peak_bytes);
  CHECK(band->bytes.most_bytes >= as_it_was.reserved_peak_bytes);
  CHECK(band->bytes.least_bytes < band->bytes.most_bytes);
  CHECK_FALSE(band->at_the_cliff);
  CHECK_FALSE(session::ReservedBandOf(*run, CardWith(usable_bytes)).ok());  // it had another order
}

TEST_CASE(
    "A card is nearly full where one more segment of 20 MiB has no room, or PyTorch empties its cache") {
  const std::vector<Request> requests = {Allocate(1, 100 * kMiB)};
  const auto is_nearly_full = [&](int64_t usable_bytes) {
    return session::ReservedBandOf(*RunWith(requests, 100 * kMiB), CardWith(usable_bytes))->at_the_cliff;
  };
  CHECK_FALSE(is_nearly_full(120 * kMiB));
  CHECK(is_nearly_full(118 * kMiB));
  CHECK(is_nearly_full(100 * kMiB));
  // So far below the card's memory at last, but not before.
  const std::vector<Request> emptied = {Allocate(1, 150 * kMiB), Free(1), Allocate(2, 160 * kMiB)};
  CHECK(session::ReservedBandOf(*RunWith(emptied, 160 * kMiB), CardWith(200 * kMiB))->at_the_cliff);
}

TEST_CASE("Of several cards the fullest decides whether one is nearly full") {
  const auto is_nearly_full = [](int64_t on_second) {
    timeline::Stream stream;
    stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 100 * kMiB);
    stream.Allocate(0x100000, 100 * kMiB);
    stream.Add(events::EventKind::kSegmentAllocate, 0x90000000, on_second).device = 1;
    stream.Allocate(0x90000000, on_second).device = 1;
    return session::ReservedBandOf(*stream.Publish(), CardWith(180 * kMiB))->at_the_cliff;
  };
  CHECK_FALSE(is_nearly_full(150 * kMiB));
  CHECK(is_nearly_full(170 * kMiB));
}

TEST_CASE("A run is replayed with the allocator's settings that it had") {
  const auto run = RunWith({Allocate(1, 34 * kMiB)}, 34 * kMiB);
  const std::vector<std::string> to_halves = {"PYTORCH_CUDA_ALLOC_CONF=roundup_power2_divisions:2"};
  CHECK(session::ReservedBandOf(*run, CardWith(200 * kMiB))->bytes.most_bytes == 34 * kMiB);
  CHECK_FALSE(session::ReservedBandOf(*run, CardWith(200 * kMiB), {}, to_halves).ok());  // 48 MiB
}

TEST_CASE("Late frees are told of a run with a whole step that did not end out of memory") {
  const auto late = [](const timeline::Stream& stream) {
    return session::ReservedBandOf(*stream.Publish(), CardWith(200 * kMiB))->late_frees_bytes;
  };
  timeline::Stream stream = StepWithAWait();
  CHECK_FALSE(late(stream));
  stream.EndStep(0);
  CHECK(late(stream) == 60 * kMiB);
  stream.Add(events::EventKind::kOutOfMemory, 0, 500 * kMiB);
  CHECK_FALSE(late(stream));
}

TEST_CASE("A band is known without late frees where those cannot be replayed, unless that was cancelled") {
  const trace::Scratch scratch;
  const std::filesystem::path once = scratch / "once";
  trace::WriteFile(
      once, "#!/bin/sh\n[ -e \"$0.ran\" ] && { : > \"$0.again\"; sleep 1; exit 1; }\n: > \"$0.ran\"\n" +
                ("exec '" + ReplayerExecutable().string() + "' \"$@\"\n"));
  std::filesystem::permissions(once, std::filesystem::perms::owner_all);
  session::AllocatorOf allocator;
  allocator.replayer = once;
  timeline::Stream stream = StepWithAWait();
  stream.EndStep(0);
  const auto run = stream.Publish();
  const auto band = session::ReservedBandOf(*run, CardWith(200 * kMiB), allocator);
  REQUIRE(band.ok());
  CHECK(band->bytes.most_bytes == 30 * kMiB);
  CHECK_FALSE(band->late_frees_bytes);
  REQUIRE(std::filesystem::remove(scratch / "once.ran"));
  REQUIRE(std::filesystem::remove(scratch / "once.again"));
  const auto cancelled = session::ReservedBandOf(*run, CardWith(200 * kMiB), allocator, {}, [&](double) {
    return !std::filesystem::exists(scratch / "once.again");
  });
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().message == "The replay was cancelled.");
}

TEST_CASE("A replayer that is missing is told") { CHECK(!ReplayOne({"/no/such/replayer", {}}, {}, {})); }

}  // namespace tidemark::phantom
