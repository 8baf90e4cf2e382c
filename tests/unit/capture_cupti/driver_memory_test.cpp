#include "profiler/capture/cupti/driver_memory.h"

#include <vector>

#include "tests/support/catch.h"

namespace tidemark::capture::cupti {
namespace {

struct Told {
  int64_t live;
  int64_t change;
  uint64_t address;
  bool operator==(const Told&) const = default;
};
std::vector<Told> told;

DriverMemory Fresh() {
  told.clear();
  return DriverMemory([](int64_t live, int64_t change, uint64_t address) {
    told.push_back({live, change, address});
  });
}

}  // namespace

TEST_CASE("An allocation that the runtime and the driver both tell of counts once") {
  DriverMemory memory = Fresh();
  memory.Allocated(0x1000, 4096);
  memory.Allocated(0x1000, 4096);
  memory.Leaves(0x1000);
  memory.Leaves(0x1000);
  memory.Freed(0x1000);
  memory.Freed(0x1000);
  memory.Freed(0);
  CHECK(told == std::vector<Told>{{4096, 4096, 0x1000}, {0, -4096, 0x1000}});
  CHECK(memory.allocations() == 1);
}

TEST_CASE("What is freed counts until the call has ended, and on where that failed") {
  DriverMemory memory = Fresh();
  memory.Allocated(0x1000, 4096);
  memory.Leaves(0x1000);
  CHECK(memory.live_bytes() == 4096);
  memory.Stays(0x1000);
  memory.Freed(0x1000);  // of a call that nobody saw begin
  CHECK(memory.live_bytes() == 4096);
  memory.Leaves(0x1000);
  memory.Freed(0x1000);
  CHECK(memory.live_bytes() == 0);
}

TEST_CASE("An address that another thread was given before the call that freed it ended stays its own") {
  DriverMemory memory = Fresh();
  memory.Allocated(0x1000, 4096);
  memory.Leaves(0x1000);
  memory.Allocated(0x1000, 512);
  memory.Allocated(0x1000, 512);  // the runtime's call around the driver's
  memory.Freed(0x1000);
  CHECK(memory.live_bytes() == 512);
  CHECK(memory.allocations() == 2);
  CHECK(told == std::vector<Told>{{4096, 4096, 0x1000}, {0, -4096, 0x1000}, {512, 512, 0x1000}});
}

namespace {

void Release(DriverMemory& memory, uint64_t handle) {
  memory.HandleLeaves(handle);
  memory.Released(handle);
}

void Unmap(DriverMemory& memory, uint64_t address, uint64_t bytes) {
  memory.MappingsLeave(address, bytes);
  memory.Unmapped(address, bytes);
}

}  // namespace

TEST_CASE("Physical memory lives until it is released and mapped nowhere") {
  DriverMemory memory = Fresh();
  memory.Created(7, 2 << 20);
  memory.Mapped(0x10000000, 2 << 20, 7);
  Release(memory, 7);
  CHECK(memory.live_bytes() == 2 << 20);
  memory.Created(8, 2 << 20);
  memory.Mapped(0x10200000, 2 << 20, 8);
  CHECK(memory.live_bytes() == 4 << 20);
  Unmap(memory, 0x10000000, 4 << 20);  // both at once
  CHECK(memory.live_bytes() == 2 << 20);
  Release(memory, 8);
  CHECK(memory.live_bytes() == 0);
  Release(memory, 99);
  memory.Mapped(0x10000000, 2 << 20, 99);
  Unmap(memory, 0x10000000, 2 << 20);
  CHECK(memory.live_bytes() == 0);
}

TEST_CASE("A release and an unmapping that fail change nothing, and count once they have ended") {
  DriverMemory memory = Fresh();
  memory.Created(7, 4 << 20);
  memory.Mapped(0x10000000, 4 << 20, 7);
  memory.HandleLeaves(7);
  memory.HandleStays(7);
  memory.Released(7);                         // of a call that nobody saw begin
  memory.MappingsLeave(0x10000000, 2 << 20);  // half of a mapping
  memory.MappingsStay(0x10000000, 2 << 20);
  Release(memory, 7);
  CHECK(memory.live_bytes() == 4 << 20);  // it is mapped
  memory.MappingsLeave(0x10000000, 4 << 20);
  CHECK(memory.live_bytes() == 4 << 20);
  memory.Unmapped(0x10000000, 4 << 20);
  CHECK(memory.live_bytes() == 0);
}

TEST_CASE("A handle and an address that another thread was given before the call ended stay its own") {
  DriverMemory memory = Fresh();
  memory.Created(7, 2 << 20);
  memory.Mapped(0x10000000, 2 << 20, 7);
  memory.HandleLeaves(7);
  memory.MappingsLeave(0x10000000, 2 << 20);
  memory.Created(7, 8 << 20);
  memory.Mapped(0x10000000, 8 << 20, 7);
  memory.Released(7);
  memory.Unmapped(0x10000000, 2 << 20);
  CHECK(memory.live_bytes() == 8 << 20);
  Release(memory, 7);
  CHECK(memory.live_bytes() == 8 << 20);
  Unmap(memory, 0x10000000, 8 << 20);
  CHECK(memory.live_bytes() == 0);
}

TEST_CASE("A handle is another piece's while what it stood for is still mapped") {
  DriverMemory memory = Fresh();
  memory.Created(7, 2 << 20);
  memory.Mapped(0x10000000, 2 << 20, 7);
  Release(memory, 7);
  memory.Created(7, 4 << 20);
  CHECK(memory.live_bytes() == 6 << 20);
  Unmap(memory, 0x10000000, 2 << 20);
  CHECK(memory.live_bytes() == 4 << 20);
  Release(memory, 7);
  CHECK(memory.live_bytes() == 0);
}

TEST_CASE("A pool counts with what it has reserved, by its latest news") {
  DriverMemory memory = Fresh();
  memory.PoolIs(0xaa, {32 << 20, 0}, 100);
  memory.PoolIs(0xaa, {64 << 20, 0}, 300);
  memory.PoolIs(0xaa, {32 << 20, 0}, 200);  // late
  CHECK(memory.live_bytes() == 64 << 20);
  memory.PoolIs(0xaa, {}, 400);
  CHECK(memory.live_bytes() == 0);
  CHECK(told.size() == 3);
}

}  // namespace tidemark::capture::cupti
