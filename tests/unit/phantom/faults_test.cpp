#include "profiler/phantom/faults.h"

#include <optional>
#include <vector>

#include "profiler/phantom/device/memory.h"
#include "tests/support/catch.h"

namespace tidemark::phantom {
namespace {

using device::kGranuleBytes;
using device::Memory;

constexpr int64_t kTotalBytes = 64 * static_cast<int64_t>(kGranuleBytes);

Memory MemoryWith(const char* faults) { return {kTotalBytes, 0, *FaultsFromText(faults)}; }

// Which of five requests for a granule are answered.
std::vector<bool> Answered(Memory& memory) {
  std::vector<bool> answered;
  for (int i = 0; i < 5; ++i) answered.push_back(memory.Allocate(kGranuleBytes, 0) != nullptr);
  return answered;
}

}  // namespace

TEST_CASE("Faults are read from text, several at once; what is none is told with what they are") {
  const Faults faults =
      *FaultsFromText("out-of-memory=3..,fragmentation=64MiB,slow-driver=2ms,other-process=1GiB@9");
  CHECK(faults == Faults{3, true, 64 << 20, 2'000'000, 1 << 30, 9});
  CHECK(FaultsFromText("slow-driver=20us")->request_delay_ns == 20'000);
  CHECK(FaultsFromText("other-process=1GiB")->taken_after == 0);
  for (const char* text :
       {"", "out-of-memory", "out-of-memory=0", "out-of-memory=..", "fragmentation=x", "slow-driver=2",
        "slow-driver=99999999ms", "other-process=1GiB@", "rust=1", "slow-driver=2ms,"}) {
    CAPTURE(text);
    const Result<Faults> none = FaultsFromText(text);
    REQUIRE(!none);
    CHECK(none.error().message.find("must be out-of-memory=37") != std::string::npos);
  }
}

TEST_CASE("A request fails on purpose, alone or with all that follow") {
  Memory once = MemoryWith("out-of-memory=3");
  CHECK(Answered(once) == std::vector<bool>{true, true, false, true, true});
  Memory from_then_on = MemoryWith("out-of-memory=3..");
  CHECK(Answered(from_then_on) == std::vector<bool>{true, true, false, false, false});
  Memory mapped = MemoryWith("out-of-memory=2");
  CHECK(mapped.TakePhysical(kGranuleBytes, 0));
  CHECK(!mapped.TakePhysical(kGranuleBytes, 0));
}

TEST_CASE("In fragmented memory no large piece is free, however much is") {
  Memory memory = MemoryWith("fragmentation=8MiB");
  CHECK(memory.Allocate(9 << 20, 0) == nullptr);
  CHECK(memory.Allocate(8 << 20, 0) != nullptr);
}

TEST_CASE("Another process takes memory once, as much as there is") {
  Memory memory = MemoryWith("other-process=100MiB@2");
  REQUIRE(memory.Allocate(kGranuleBytes, 0) != nullptr);
  REQUIRE(memory.Allocate(kGranuleBytes, 0) != nullptr);
  CHECK(memory.free_bytes(0) == kTotalBytes - 2 * kGranuleBytes);
  REQUIRE(memory.Allocate(kGranuleBytes, 0) != nullptr);
  CHECK(memory.free_bytes(0) == kTotalBytes - 3 * kGranuleBytes - (100 << 20));
  Memory small = MemoryWith("other-process=1GiB");
  CHECK(small.Allocate(kGranuleBytes, 0) == nullptr);
  CHECK(small.free_bytes(0) == 0);
}

TEST_CASE("What did not happen of the faults asked for is told, and that figures are a failing card's") {
  CHECK(FaultNotes("", {}).empty());
  const std::string text = "out-of-memory=3,slow-driver=2ms";
  const std::vector<std::string> none = FaultNotes(text, {});
  REQUIRE(none.size() == 3);
  CHECK(none[0].find(text) != std::string::npos);
  CHECK(SpeakOfFaults(none));
  CHECK_FALSE(SpeakOfFaults({"Another doubt."}));
  CHECK(none[1] == "The fault out-of-memory did not happen: nothing came to meet it.");
  CHECK(FaultNotes(text, {FaultStruck(kOutOfMemoryFault) + "first at request 3."}).size() == 2);
}

}  // namespace tidemark::phantom
