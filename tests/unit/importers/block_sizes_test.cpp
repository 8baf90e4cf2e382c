#include "profiler/trace/importers/block_sizes.h"

#include "tests/support/catch.h"

namespace tidemark::trace {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST_CASE("requests are rounded as the allocator rounds", "[importers]") {
  const BlockSizes sizes({});
  CHECK(sizes.Rounded(0) == 512);
  CHECK(sizes.Rounded(1) == 512);
  CHECK(sizes.Rounded(513) == 1024);
  CHECK(sizes.Rounded(5'000'000) == 5'000'192);
  AllocatorRules rules;
  rules.roundup_power2_divisions.fill(4);
  const BlockSizes divided(rules);
  CHECK(divided.Rounded(1000) == 1024);  // at most 4 × 512: multiples of 512
  CHECK(divided.Rounded(1200 * 1024) == 1280 * 1024);
  CHECK(divided.Rounded(2 * kMiB) == 2 * kMiB);
}

TEST_CASE("what is not split off belongs to the block", "[importers]") {
  BlockSizes sizes({});
  sizes.Reserve(kMiB, 20 * kMiB, false);
  CHECK(sizes.Take(kMiB, 18 * kMiB) == 18 * kMiB);         // the rest is above 1 MiB
  CHECK(sizes.Take(19 * kMiB, 3 * kMiB / 2) == 2 * kMiB);  // of 2 MiB, half a MiB is not split off
  sizes.Free(kMiB);
  sizes.Free(19 * kMiB);
  CHECK(sizes.Take(kMiB, 39 * kMiB / 2) == 20 * kMiB);  // joined again
}

TEST_CASE("expandable segments split at 512 bytes, and join where they touch", "[importers]") {
  BlockSizes sizes({});
  sizes.Reserve(kMiB, 2 * kMiB, true);
  sizes.Reserve(3 * kMiB, 2 * kMiB, true);
  CHECK(sizes.Take(kMiB, 4 * kMiB - 512) == 4 * kMiB - 512);
  sizes.Free(kMiB);
  sizes.Release(3 * kMiB, 2 * kMiB);
  CHECK(sizes.Take(kMiB, 2 * kMiB - 100) == 2 * kMiB);
}

TEST_CASE("what fits nothing that is known is rounded", "[importers]") {
  BlockSizes sizes({});
  CHECK(sizes.Take(77, 100) == 512);
  sizes.Free(77);
  sizes.Reserve(kMiB, kMiB, false);
  CHECK(sizes.Take(kMiB + 512, 4 * kMiB) == 4 * kMiB);
  CHECK(sizes.Take(kMiB + 512, 1000) == 1024);
  sizes.Release(0, 64 * kMiB);
  sizes.Reserve(~uint64_t{0} - 5, kMiB, false);
  CHECK(sizes.Take(~uint64_t{0} - 5, -7) == 512);
}

}  // namespace
}  // namespace tidemark::trace
