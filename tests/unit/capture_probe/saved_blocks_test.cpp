#include "profiler/capture/probe/saved_blocks.h"

#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

constexpr uint64_t kFirst = 0x7000'0000'0000;

}  // namespace

TEST_CASE("Most of a training's blocks have places of their own; of two that share one the last is there") {
  constexpr uint64_t kMany = 1000;
  for (const uint64_t distance : {uint64_t{512}, uint64_t{4096}, uint64_t{1} << 20, uint64_t{2} << 20}) {
    static SavedBlocks blocks;
    for (uint64_t i = 1; i <= kMany; ++i) blocks.Add(kFirst + i * distance);
    uint64_t there = 0;
    for (uint64_t i = 1; i <= kMany; ++i) there += blocks.Has(kFirst + i * distance) ? 1 : 0;
    CHECK(there > kMany * 3 / 4);
    CHECK(there <= kMany);
    CHECK(blocks.Has(kFirst + kMany * distance));
  }
  SavedBlocks full;
  uint64_t other = kFirst;
  full.Add(kFirst);
  while (full.Has(kFirst)) full.Add(other += 512);
  CHECK(full.Has(other));
  full.Remove(kFirst);  // which is not there
  CHECK(full.Has(other));
  full.Remove(other);
  CHECK_FALSE(full.Has(other));
}

}  // namespace tidemark::capture
