#include "profiler/phantom/address_order.h"

#include <algorithm>
#include <random>
#include <vector>

#include "profiler/phantom/device/address_space.h"
#include "tests/support/catch.h"

namespace tidemark::phantom {
namespace {

using device::AddressSpace;
using device::kGranuleBytes;

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kCapacity = 8 * kGranuleBytes;
constexpr AddressOrder kWsl = {AddressOrder::Kind::kWsl, 0};

std::vector<uintptr_t> Allocated(AddressSpace& space, const std::vector<size_t>& mebibytes) {
  std::vector<uintptr_t> addresses;
  for (const size_t size : mebibytes) addresses.push_back(*space.Allocate(size * kMiB));
  return addresses;
}

// In MiB below the first that was allocated.
std::vector<int64_t> Below(const std::vector<uintptr_t>& addresses) {
  std::vector<int64_t> below;
  for (const uintptr_t address : addresses)
    below.push_back((static_cast<int64_t>(addresses[0]) - static_cast<int64_t>(address)) / int64_t{kMiB});
  return below;
}

}  // namespace

TEST_CASE("Orders of addresses are written and read alike") {
  for (const AddressOrder& order : LikelyOrders()) CHECK(*AddressOrderFromText(TextOf(order)) == order);
  for (const char* text : {"", "sideways", "scattered", "scattered-", "scattered-x", "linux "}) {
    CHECK(!AddressOrderFromText(text));
  }
}

TEST_CASE("In any order allocations lie beside each other, and all of the card can be had again and again") {
  for (const AddressOrder& order : LikelyOrders()) {
    CAPTURE(TextOf(order));
    AddressSpace space(64 * kMiB, order);
    std::minstd_rand random(5);
    std::vector<uintptr_t> live;
    for (int round = 0; round < 2000; ++round) {
      if (!live.empty() && random() % 2 == 0) {
        std::swap(live[random() % live.size()], live.back());
        REQUIRE(space.Free(live.back()).has_value());
        CHECK(!space.Free(live.back()).has_value());
        live.pop_back();
      } else if (const auto address = space.Allocate((random() % 10 + 1) * kMiB)) {
        const size_t bytes = space.AllocationAt(*address)->bytes;
        for (const uintptr_t other : live) {
          const bool is_apart =
              *address + bytes <= other || other + space.AllocationAt(other)->bytes <= *address;
          REQUIRE(is_apart);
        }
        live.push_back(*address);
      }
    }
    for (const uintptr_t address : live) REQUIRE(space.Free(address).has_value());
    CHECK(space.used_bytes() == 0);
    CHECK(space.Allocate(64 * kMiB).has_value());
    CHECK(!space.Allocate(1).has_value());
  }
}

// As the first segments of 100 and 26 MiB of a published history lie (a model of 2.7 billion parameters on
// native Linux), from where no gap between older pieces was taken.
TEST_CASE("On Linux memory lies in pieces that fall, the rest of the newest is used first") {
  AddressSpace space(4000 * kMiB);
  const auto addresses = Allocated(space, {100, 100, 26, 26, 100, 100, 100, 26, 26, 26});
  CHECK(Below(addresses) == std::vector<int64_t>{0, 128, 28, -100, 256, 384, 512, 412, 284, 156});
  REQUIRE(space.Free(addresses[4]));  // its piece has something in it yet
  CHECK(*space.Allocate(60 * kMiB) == addresses[4]);
  REQUIRE(space.Free(addresses[1]));
  REQUIRE(space.Free(addresses[2]));  // the last of its piece: what it lay in can be had by whatever fits
  CHECK(*space.Allocate(110 * kMiB) == addresses[1]);
}

// The first segments in a published history of an RTX 4060 Ti (34 multiprocessors) under WSL2.
TEST_CASE("Under WSL memory lies at the lowest place, and the driver's own goes away with the first kernel") {
  AddressSpace space(4000 * kMiB, kWsl, 34);
  std::vector<uintptr_t> addresses = {*space.Allocate(20 * kMiB)};
  space.KernelsBegin();
  for (const uintptr_t next : Allocated(space, {2, 2, 2, 20, 2, 2, 2, 2, 20, 2, 2, 20, 20, 20, 2}))
    addresses.push_back(next);
  CHECK(Below(addresses) ==
        std::vector<int64_t>{0, 80, 78, 76, 74, 54, 52, 50, 48, 46, 26, 24, 22, -118, -138, 2});
  REQUIRE(space.Free(addresses[4]));
  CHECK(*space.Allocate(4 * kMiB) == addresses[4]);
}

// The first segments of a small GPT that an H200 trained (tests/gpu/fixtures/h200/recordings), without one
// that lay below what came with the first kernel, and without 64 MiB of something else between the first two
// pieces.
TEST_CASE(
    "With driver 580 what it held until the first kernel leaves room, where libraries have theirs, too") {
  AddressSpace space(4000 * kMiB, {AddressOrder::Kind::kLinux580, 0}, 132);
  std::vector<uintptr_t> addresses;
  for (const size_t mebibytes : {2, 20, 2, 20, 2}) addresses.push_back(*space.Allocate(mebibytes * kMiB));
  space.KernelsBegin();
  addresses.push_back(*space.Allocate(18 * kMiB));
  space.HoldForLibrary(64 * kMiB);
  for (const size_t mebibytes : {32, 20, 24, 24}) addresses.push_back(*space.Allocate(mebibytes * kMiB));
  CHECK(Below(addresses) == std::vector<int64_t>{0, -10, -30, 446, 426, 414, 332, 300, 280, 256});
}

TEST_CASE("Reserved addresses follow the system's order, too") {
  AddressSpace on_linux(kCapacity);
  const uintptr_t first = *on_linux.Reserve(2 * kGranuleBytes);
  CHECK(*on_linux.Reserve(kGranuleBytes) == first - kGranuleBytes);
  REQUIRE(on_linux.Unreserve(first));
  CHECK(*on_linux.Reserve(kGranuleBytes) == first + kGranuleBytes);
  AddressSpace under_wsl(kCapacity, kWsl);
  const uintptr_t lowest = *under_wsl.Reserve(2 * kGranuleBytes);
  CHECK(*under_wsl.Reserve(kGranuleBytes) == lowest + 2 * kGranuleBytes);
}

}  // namespace tidemark::phantom
