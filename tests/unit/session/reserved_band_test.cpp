#include "profiler/session/reserved_band.h"

#include <vector>

#include "tests/support/catch.h"

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
};

std::vector<Request> RequestsIn(const std::vector<Told>& told, int64_t usable_bytes) {
  std::vector<Event> events;
  for (const Told& one : told) {
    Event event;
    event.kind = one.kind;
    event.address = one.address;
    event.bytes = one.bytes;
    event.rounded_bytes = one.bytes;
    events.push_back(event);
  }
  timeline::Builder builder;
  builder.Append(events);
  return *RequestsOf(*builder.Publish(), usable_bytes);
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

TEST_CASE("What did not fit is tried again") {
  const std::vector<Request> requests = RequestsIn({{EventKind::kSegmentAllocate, 0x1000, 20 * kMiB},
                                                    {EventKind::kSegmentFree, 0x1000, 20 * kMiB},
                                                    {EventKind::kOutOfMemory, 0, 99 * kMiB}},
                                                   50 * kMiB);
  CHECK(requests == std::vector<Request>{{Request::Kind::kTry, 0, 99 * kMiB, 0}});
}
