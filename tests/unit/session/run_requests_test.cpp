#include "profiler/session/run_requests.h"

#include <limits>
#include <map>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

using namespace tidemark;
using namespace tidemark::session;
using events::Event;
using events::EventKind;
using phantom::Request;

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

struct Told {
  EventKind kind;
  uint64_t address = 0;
  int64_t bytes = 0;
  uint8_t pool = 0;
  uint8_t device = 0;
  int64_t block_bytes = 0;  // 0 = as many as were asked for
};

Result<std::vector<Request>> RequestsOf(const std::vector<Told>& told, int64_t usable_bytes) {
  std::vector<Event> events;
  for (const Told& one : told) {
    Event event;
    event.kind = one.kind;
    event.address = one.address;
    event.bytes = one.bytes;
    event.rounded_bytes = one.block_bytes == 0 ? one.bytes : one.block_bytes;
    event.pool = one.pool;
    event.device = one.device;
    events.push_back(event);
  }
  timeline::Builder builder;
  builder.Append(events);
  return session::RequestsOf(*builder.Publish(), usable_bytes);
}

std::vector<Request> RequestsIn(const std::vector<Told>& told, int64_t usable_bytes) {
  return *RequestsOf(told, usable_bytes);
}

}  // namespace

TEST_CASE("A run's requests are its allocations and its completed frees, in order") {
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 20 * kMiB},
                                                    {EventKind::kAllocate, 0x1000, 5 * kMiB},
                                                    {EventKind::kFreeRequested, 0x1000, 5 * kMiB},
                                                    {EventKind::kAllocate, 0x2000, 3 * kMiB},
                                                    {EventKind::kFreeCompleted, 0x1000, 5 * kMiB}},
                                                   100 * kMiB);
  CHECK(requests == std::vector<Request>{{Request::Kind::kAllocate, 0x1000, 5 * kMiB, 0},
                                         {Request::Kind::kAllocate, 0x2000, 3 * kMiB, 0},
                                         {Request::Kind::kFree, 0x1000, 5 * kMiB, 0}});
}

TEST_CASE(
    "Freed segments are an emptied cache where the card had room, and the allocator's own doing where not") {
  const std::vector<Told> told = {
      {EventKind::kSegmentAllocate, 0x1000, 20 * kMiB}, {EventKind::kAllocate, 0x1000, 5 * kMiB},
      {EventKind::kFreeCompleted, 0x1000, 5 * kMiB},    {EventKind::kSegmentFree, 0x1000, 20 * kMiB},
      {EventKind::kSegmentAllocate, 0x9000, 30 * kMiB}, {EventKind::kAllocate, 0x9000, 30 * kMiB}};
  const Request first{Request::Kind::kAllocate, 0x1000, 5 * kMiB, 0};
  const Request freed{Request::Kind::kFree, 0x1000, 5 * kMiB, 0};
  const Request second{Request::Kind::kAllocate, 0x9000, 30 * kMiB, 0};
  CHECK(RequestsIn(told, 50 * kMiB) ==
        std::vector<Request>{first, freed, {Request::Kind::kEmptyCache}, second});
  CHECK(RequestsIn(told, 50 * kMiB - 1) == std::vector<Request>{first, freed, second});
}

TEST_CASE("Segments and blocks of any size are read, as damaged files have them") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, kMost, 1},
                                                    {EventKind::kSegmentAllocate, 0x2000, kMost, 1},
                                                    {EventKind::kSegmentFree, 0x1000, kMost},
                                                    {EventKind::kSegmentFree, 0x2000, kMost},
                                                    {EventKind::kAllocate, 0x1000, kMost, 1}},
                                                   50 * kMiB);
  CHECK(requests ==
        std::vector<Request>{{Request::Kind::kEmptyCache}, {Request::Kind::kAllocate, 0x1000, kMost, 0, 1}});
  CHECK(RequestsIn({{EventKind::kSegmentAllocate, 0x1000, kMost},
                    {EventKind::kSegmentAllocate, 0x2000, kMost},
                    {EventKind::kSegmentFree, 0x1000, kMost},
                    {EventKind::kSegmentAllocate, 0x1000, kMost}},
                   50 * kMiB)
            .empty());
}

TEST_CASE(
    "Requests tell their private pools, and that nobody uses one any more once its segments are freed") {
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 20 * kMiB, 1},
                                                    {EventKind::kAllocate, 0x1000, 5 * kMiB, 1},
                                                    {EventKind::kFreeCompleted, 0x1000, 5 * kMiB, 1},
                                                    {EventKind::kSegmentFree, 0x1000, 20 * kMiB, 1},
                                                    {EventKind::kAllocate, 0x2000, 3 * kMiB, 2}},
                                                   100 * kMiB);
  CHECK(requests == std::vector<Request>{{Request::Kind::kAllocate, 0x1000, 5 * kMiB, 0, 1},
                                         {Request::Kind::kFree, 0x1000, 5 * kMiB, 0, 1},
                                         {Request::Kind::kReleasePool, 0, 0, 0, 1},
                                         {Request::Kind::kEmptyCache},
                                         {Request::Kind::kAllocate, 0x2000, 3 * kMiB, 0, 2}});
}

TEST_CASE("Requests tell their device, and a pool is released on the one that freed its segments") {
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 20 * kMiB, 1, 1},
                                                    {EventKind::kAllocate, 0x1000, 5 * kMiB, 1, 1},
                                                    {EventKind::kAllocate, 0x9000, 3 * kMiB},
                                                    {EventKind::kFreeCompleted, 0x1000, 5 * kMiB, 1, 1},
                                                    {EventKind::kSegmentFree, 0x1000, 20 * kMiB, 1, 1},
                                                    {EventKind::kAllocate, 0x2000, 3 * kMiB, 0, 1}},
                                                   100 * kMiB);
  CHECK(requests == std::vector<Request>{{Request::Kind::kAllocate, 0x1000, 5 * kMiB, 0, 1, 1},
                                         {Request::Kind::kAllocate, 0x9000, 3 * kMiB, 0},
                                         {Request::Kind::kFree, 0x1000, 5 * kMiB, 0, 1, 1},
                                         {Request::Kind::kReleasePool, 0, 0, 0, 1, 1},
                                         {Request::Kind::kEmptyCache},
                                         {Request::Kind::kAllocate, 0x2000, 3 * kMiB, 0, 0, 1}});
}

TEST_CASE("A private pool is known to hand out whole blocks by one that splitting would not have left") {
  const auto is_whole = [](int64_t bytes, int64_t block_bytes, uint8_t pool = 1) {
    const auto requests = RequestsIn({{EventKind::kAllocate, 0x1000, kMiB, pool},
                                      {EventKind::kAllocate, 0x900000, bytes, pool, 0, block_bytes}},
                                     1000 * kMiB);
    CHECK(requests[0].pool_is_whole == requests[1].pool_is_whole);  // it was so from the pool's beginning
    return requests[0].pool_is_whole == 1;
  };
  CHECK(is_whole(1000, 2 * kMiB));
  CHECK_FALSE(is_whole(1000, 2 * kMiB, 0));
  CHECK_FALSE(is_whole(1000, 1024));
  CHECK_FALSE(is_whole(600 << 10, kMiB));  // rounded to a power of two
  CHECK(is_whole(3 * kMiB, 20 * kMiB));
  CHECK_FALSE(is_whole(9 * kMiB, 16 * kMiB));
  CHECK(is_whole(12 * kMiB, 40 * kMiB));
  CHECK_FALSE(is_whole(33 * kMiB, 65 * kMiB));  // to 64, and not worth splitting
}

TEST_CASE("A run with more private pools than are told apart has no requests, but a sentence") {
  const auto requests = RequestsOf({{EventKind::kAllocate, 0x1000, kMiB, events::kManyPools}}, 100 * kMiB);
  REQUIRE(!requests);
  CHECK(requests.error().message.find("private pools") != std::string::npos);
}

TEST_CASE("Late, blocks that waited for other streams come back with the end of their step") {
  timeline::Stream stream;
  const auto requested = [&](uint64_t address) { stream.Add(EventKind::kFreeRequested, address, 0); };
  const auto completed = [&](uint64_t address) { stream.Add(EventKind::kFreeCompleted, address, 0); };
  stream.BeginStep(0);
  stream.Allocate(0x1000, kMiB);
  stream.Allocate(0x2000, 2 * kMiB);
  requested(0x1000);
  requested(0x2000);  // waits for nobody
  completed(0x2000);
  completed(0x1000);  // with the next request
  stream.Allocate(0x1000, 3 * kMiB);
  requested(0x1000);
  completed(0x1000);
  CHECK(session::RequestsOf(*stream.Publish(), 100 * kMiB)->size() == 6);
  stream.EndStep(0);
  const std::vector<Request> requests = *LateRequestsOf(*stream.Publish(), 100 * kMiB);
  REQUIRE(requests.size() == 6);
  const auto is = [&](size_t index, Request::Kind kind, size_t of) {
    CHECK(requests[index].kind == kind);
    CHECK(requests[index].block == requests[of].block);
  };
  is(2, Request::Kind::kFree, 1);
  is(3, Request::Kind::kAllocate, 3);
  is(4, Request::Kind::kFree, 3);
  is(5, Request::Kind::kFree, 0);
  CHECK(requests[3].block != requests[0].block);  // one address, two blocks
}

TEST_CASE("Where no block waited nothing comes late, and an emptied cache does not wait for a step's end") {
  CHECK(LateRequestsOf(
            *[] {
              timeline::Stream stream;
              stream.Allocate(0x1000, kMiB);
              stream.Free(0x1000);
              return stream.Publish();
            }(),
            100 * kMiB)
            ->empty());
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x1000, 20 * kMiB);
  stream.Allocate(0x1000, kMiB);
  stream.Add(EventKind::kFreeRequested, 0x1000, 0);
  stream.Add(EventKind::kSegmentAllocate, 0x900000, 20 * kMiB);
  stream.Add(EventKind::kFreeCompleted, 0x1000, 0);
  stream.Add(EventKind::kSegmentFree, 0x1000, 20 * kMiB);
  stream.Allocate(0x900000, kMiB);
  const std::vector<Request> requests = *LateRequestsOf(*stream.Publish(), 100 * kMiB);
  REQUIRE(requests.size() == 4);
  CHECK(requests[1].kind == Request::Kind::kFree);
  CHECK(requests[2].kind == Request::Kind::kEmptyCache);
}

TEST_CASE("A segment that was freed for want of room on its card was none of the program's doing") {
  const auto freed_for = [](int64_t bytes) {
    const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 30 * kMiB, 0, 1},
                                                      {EventKind::kSegmentAllocate, 0x2000, 20 * kMiB},
                                                      {EventKind::kSegmentFree, 0x2000, 20 * kMiB},
                                                      {EventKind::kSegmentAllocate, 0x3000, bytes}},
                                                     50 * kMiB);
    return requests != std::vector<Request>{{Request::Kind::kEmptyCache}};
  };
  CHECK(freed_for(40 * kMiB));
  CHECK_FALSE(freed_for(30 * kMiB));  // there was room for it beside the other: the program emptied the cache
}

TEST_CASE("A cache that was emptied on another card, too, was emptied by the program") {
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 30 * kMiB, 0, 1},
                                                    {EventKind::kSegmentAllocate, 0x2000, 20 * kMiB},
                                                    {EventKind::kSegmentFree, 0x1000, 30 * kMiB, 0, 1},
                                                    {EventKind::kSegmentFree, 0x2000, 20 * kMiB},
                                                    {EventKind::kSegmentAllocate, 0x3000, 40 * kMiB}},
                                                   50 * kMiB);
  CHECK(requests == std::vector<Request>{{Request::Kind::kEmptyCache}});
}

TEST_CASE("What did not fit is tried again") {
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 20 * kMiB},
                                                    {EventKind::kSegmentFree, 0x1000, 20 * kMiB},
                                                    {EventKind::kOutOfMemory, 0, 99 * kMiB}},
                                                   50 * kMiB);
  CHECK(requests == std::vector<Request>{{Request::Kind::kTry, 0, 99 * kMiB, 0}});
}

namespace {

// Each step makes its batch before the one of the step before is gone, and a temporary.
void Train(timeline::Stream& stream, int64_t steps, int64_t first_batch_bytes) {
  uint64_t batch = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const uint64_t next = 0x10000 + 0x1000 * static_cast<uint64_t>(step % 2);
    stream.Allocate(next, step == 0 ? first_batch_bytes : 4096);
    if (batch != 0) stream.Free(batch);
    batch = next;
    stream.BeginStep(step);
    stream.Allocate(0x90000, 512);
    stream.Free(0x90000);
    stream.EndStep(step);
  }
}

int64_t AliveAfter(const std::vector<Request>& requests) {
  std::map<uint64_t, int64_t> alive;
  for (const Request& request : requests) {
    if (request.kind == Request::Kind::kAllocate) {
      CHECK(alive.emplace(request.block, request.bytes).second);
    } else {
      CHECK(alive.erase(request.block) == 1);
    }
  }
  int64_t bytes = 0;
  for (const auto& [block, size] : alive) bytes += size;
  return bytes;
}

}  // namespace

TEST_CASE("Prolonged, the last step comes again, and each round frees what the one before left for it") {
  timeline::Stream stream;
  Train(stream, 3, 4096);
  const auto view = stream.Publish();
  const std::vector<Request> as_it_was = *RequestsOf(*view, 100 * kMiB);
  const std::vector<Request> prolonged = *ProlongedRequestsOf(*view, 100 * kMiB, 0, 5);
  CHECK(as_it_was.size() == 3 * 3 + 2);
  CHECK(prolonged.size() == as_it_was.size() + 5 * 4);
  CHECK(AliveAfter(prolonged) == AliveAfter(as_it_was));
  CHECK(AliveAfter(prolonged) == 4096);
}

TEST_CASE("What is not steady and what is short are not prolonged") {
  const auto is_as_it_was = [](const timeline::View& view) {
    return *ProlongedRequestsOf(view, 100 * kMiB, 0, 5) == *RequestsOf(view, 100 * kMiB);
  };
  timeline::Stream short_one;
  Train(short_one, 1, 4096);
  CHECK(is_as_it_was(*short_one.Publish()));
  timeline::Stream changing;  // the last of two steps frees a batch of another size than the one it leaves
  Train(changing, 2, 8192);
  CHECK(is_as_it_was(*changing.Publish()));
}
