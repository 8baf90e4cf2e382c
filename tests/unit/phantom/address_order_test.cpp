#include "profiler/phantom/address_order.h"

#include <algorithm>
#include <vector>

#include "profiler/phantom/device/address_space.h"
#include "tests/support/catch.h"

namespace tidemark::phantom {
namespace {

using device::AddressSpace;
using device::kGranuleBytes;

constexpr size_t kCapacity = 8 * kGranuleBytes;

std::vector<uintptr_t> Allocated(AddressSpace& space, int count) {
  std::vector<uintptr_t> addresses;
  for (int i = 0; i < count; ++i) addresses.push_back(*space.Allocate(1));
  return addresses;
}

}  // namespace

TEST_CASE("Orders of addresses are written and read alike") {
  for (const AddressOrder& order : LikelyOrders()) CHECK(*AddressOrderFromText(TextOf(order)) == order);
  for (const char* text : {"", "sideways", "scattered", "scattered-", "scattered-x", "falling "}) {
    CHECK(!AddressOrderFromText(text));
  }
}

TEST_CASE("Addresses rise, fall or lie anywhere, never in one another, and begin again at their end") {
  for (const AddressOrder& order : LikelyOrders()) {
    CAPTURE(TextOf(order));
    AddressSpace space(kCapacity, order);
    const std::vector<uintptr_t> first = Allocated(space, 8);
    CHECK(!space.Allocate(1));
    CHECK(std::is_sorted(first.begin(), first.end()) == (order.kind == AddressOrder::Kind::kRising));
    CHECK(std::is_sorted(first.rbegin(), first.rend()) == (order.kind == AddressOrder::Kind::kFalling));
    for (const uintptr_t address : first) CHECK(space.AllocationOf(address + kGranuleBytes - 1) == address);
    for (int round = 0; round < 100; ++round) {
      REQUIRE(space.Free(first[0]).has_value() == (round == 0));
      const auto next = space.Allocate(round == 0 ? 1 : 2 * kGranuleBytes);
      REQUIRE(next.has_value() == (round == 0));
    }
  }
  AddressSpace rising(kCapacity, {AddressOrder::Kind::kRising, 0});
  const uintptr_t held = *rising.Allocate(1);
  for (int round = 0; round < 200; ++round) {
    const auto address = rising.Allocate(3 * kGranuleBytes);
    REQUIRE(address.has_value());
    CHECK(*address >= held + kGranuleBytes);
    REQUIRE(rising.Free(*address).has_value());
  }
}

}  // namespace tidemark::phantom
