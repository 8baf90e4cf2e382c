#include "profiler/timeline/live_blocks.h"

#include <map>
#include <random>

#include "tests/support/catch.h"

namespace tidemark::timeline {

TEST_CASE("The table of live blocks agrees with a map, through growth and removal") {
  LiveBlocks blocks;
  std::map<uint64_t, EventIndex> expected;
  std::mt19937_64 random(3);
  for (EventIndex n = 0; n < 50'000; ++n) {
    const uint64_t address = (random() % 3'000) << 20;
    if (expected.contains(address)) {
      CHECK(blocks.Remove(address).born == expected.at(address));
      expected.erase(address);
    } else {
      LiveBlock block;
      block.address = address;
      block.born = n;
      blocks.Add(block);
      expected[address] = n;
    }
  }
  CHECK(blocks.size() == expected.size());
  for (uint64_t number = 0; number < 3'000; ++number) {
    const LiveBlock* found = blocks.Find(number << 20);
    CHECK((found != nullptr) == expected.contains(number << 20));
  }
  std::vector<LiveBlock> by_birth;
  blocks.AppendTo(by_birth);
  REQUIRE(by_birth.size() == expected.size());
  for (size_t k = 1; k < by_birth.size(); ++k) CHECK(by_birth[k - 1].born < by_birth[k].born);
}

}  // namespace tidemark::timeline
