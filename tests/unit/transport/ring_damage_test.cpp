// What a producer that misbehaves can do to the reader: nothing. The tests write into the shared memory by
// the layout that ring.h gives: a header page, the stamps, the slots.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "profiler/capture/transport/ring.h"
#include "tests/support/catch.h"

namespace tidemark::transport {
namespace {

using events::Event;

constexpr size_t kCapacity = 64;
constexpr size_t kHead = 64;  // offset in the header page
constexpr size_t kTail = 192;
constexpr size_t kStamps = 4096;
constexpr size_t kSlots = kStamps + kCapacity * 8;

// The reader, and all of its memory as another process sees it.
struct Bench {
  RingReader reader = std::move(*RingReader::Create(kCapacity));
  size_t bytes = RingMemory::BytesFor(kCapacity);
  std::byte* memory =
      static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader.fd(), 0));
  std::vector<Event> batch = std::vector<Event>(4 * kCapacity);

  Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { munmap(memory, bytes); }

  void Poke(size_t offset, uint64_t value) { std::memcpy(memory + offset, &value, sizeof value); }
  uint64_t Peek(size_t offset) const {
    uint64_t value = 0;
    std::memcpy(&value, memory + offset, sizeof value);
    return value;
  }
  RingWriter Writer() {
    return std::move(*RingWriter::Map(UniqueFd(fcntl(reader.fd(), F_DUPFD_CLOEXEC, 0))));
  }
  // As a thread that dies between claiming a slot and publishing it, before it has said whose it is.
  void ClaimAndDie() { Poke(kHead, Peek(kHead) + 1); }
  // And after that, of the claim with this index.
  void ClaimMarkAndDie(events::Source source, uint64_t marked_index) {
    const uint64_t slot = Peek(kHead) % kCapacity;
    Poke(kSlots + slot * sizeof(Event) + 56, 0xff | static_cast<uint64_t>(source) << 8 | marked_index << 16);
    ClaimAndDie();
  }
};

TEST_CASE("a slot that was claimed and never published is skipped when its producer is dead", "[ring]") {
  Bench bench;
  RingWriter writer = bench.Writer();
  REQUIRE(writer.Push(Event{.bytes = 1}));
  bench.ClaimAndDie();
  REQUIRE(writer.Push(Event{.bytes = 2}));
  REQUIRE(bench.reader.Pop(bench.batch, false) == 1);
  REQUIRE(bench.reader.Pop(bench.batch, false) == 0);
  REQUIRE(bench.reader.Pop(bench.batch, true) == 1);
  CHECK(bench.batch[0].bytes == 2);
  CHECK(bench.reader.torn() == 1);
  CHECK(bench.reader.torn_of_nobody() == 1);
  CHECK(bench.reader.Pop(bench.batch, true) == 0);
}

TEST_CASE("a slot that was never published is a loss of the source that its claimer marked it with",
          "[ring]") {
  Bench bench;
  RingWriter writer = bench.Writer();
  bench.ClaimMarkAndDie(events::Source::kDriver, 0);
  REQUIRE(writer.Push(Event{.bytes = 1, .source = events::Source::kAllocator}));
  bench.ClaimMarkAndDie(events::Source::kDevice, 2);
  bench.ClaimMarkAndDie(events::Source::kDriver, 3 + kCapacity);  // of another lap
  REQUIRE(bench.reader.Pop(bench.batch, true) == 1);
  CHECK(bench.reader.torn(events::Source::kDriver) == 1);
  CHECK(bench.reader.torn(events::Source::kDevice) == 1);
  CHECK(bench.reader.torn(events::Source::kTrainer) == 0);
  CHECK(bench.reader.torn_of_nobody() == 1);
  CHECK(bench.reader.torn() == 3);
}

TEST_CASE("who comes to its slot after it was given up counts its event no second time", "[ring]") {
  Bench bench;
  RingWriter writer = bench.Writer();
  bench.ClaimMarkAndDie(events::Source::kDriver, 0);
  REQUIRE(bench.reader.Pop(bench.batch, false) == 0);
  std::this_thread::sleep_for(std::chrono::nanoseconds(kTornAfterNs));
  REQUIRE(bench.reader.Pop(bench.batch, false) == 0);
  CHECK(bench.reader.torn(events::Source::kDriver) == 1);
  // The same claim again, by the writer itself, as if it had slept until now.
  bench.Poke(kHead, 0);
  bench.Poke(kTail, 0);
  CHECK_FALSE(writer.Push(Event{.source = events::Source::kDriver}));
  CHECK(bench.reader.dropped(events::Source::kDriver) == 0);
}

TEST_CASE("a slot whose thread alone died is given up after a while, and stays unused", "[ring]") {
  Bench bench;
  RingWriter writer = bench.Writer();
  bench.ClaimAndDie();
  REQUIRE(writer.Push(Event{.bytes = 2}));
  REQUIRE(bench.reader.Pop(bench.batch, false) == 0);
  CHECK(bench.reader.torn() == 0);
  std::this_thread::sleep_for(std::chrono::nanoseconds(kTornAfterNs));
  REQUIRE(bench.reader.Pop(bench.batch, false) == 1);
  CHECK(bench.reader.torn() == 1);
  // The late thread may still write into its slot, so the next lap leaves that slot out and counts its event.
  size_t popped = 0;
  int kept = 0;
  for (size_t i = 0; i < 2 * kCapacity; ++i) {
    kept += writer.Push(Event{.bytes = 3}) ? 1 : 0;
    popped += bench.reader.Pop(bench.batch, false);
  }
  CHECK(kept == 2 * kCapacity - 2);
  CHECK(popped == 2 * kCapacity - 2);
  CHECK(bench.reader.dropped(events::Source::kTrainer) == 2);
  CHECK(bench.reader.torn() == 1);
  // It publishes at last: the slot is back.
  bench.Poke(kStamps, 1);
  for (size_t i = 0; i < kCapacity; ++i) CHECK(writer.Push(Event{.bytes = 4}));
}

TEST_CASE("events with fields out of range are not handed on", "[ring]") {
  Bench bench;
  RingWriter writer = bench.Writer();
  Event bad;
  SECTION("kind") {
    bad.kind = static_cast<events::EventKind>(events::kEventKindCount + events::kHintKindCount);
  }
  SECTION("category") { bad.category = static_cast<events::Category>(200); }
  SECTION("phase") { bad.phase = static_cast<events::Phase>(5); }
  bad.source = events::Source::kDriver;
  SECTION("source") { bad.source = static_cast<events::Source>(events::kSourceCount); }
  const bool has_source = static_cast<int>(bad.source) < events::kSourceCount;
  if (has_source) REQUIRE(writer.Push(bad));
  if (!has_source) {  // which no writer of ours counts
    REQUIRE(writer.Push(Event{}));
    std::memcpy(bench.memory + kSlots, &bad, sizeof bad);
  }
  REQUIRE(writer.Push(Event{}));
  CHECK(bench.reader.Pop(bench.batch, false) == 1);
  CHECK(bench.reader.torn() == 1);
  CHECK(bench.reader.torn(events::Source::kDriver) == (has_source ? 1 : 0));
  CHECK(bench.reader.torn_of_nobody() == (has_source ? 0 : 1));
}

TEST_CASE("no header makes the reader crash, hang or read outside the ring", "[ring]") {
  Bench bench;
  std::mt19937_64 random(7);
  const std::array<uint64_t, 6> nasty = {0, 1, kCapacity, kCapacity + 1, ~uint64_t{0}, uint64_t{1} << 63};
  for (int round = 0; round < 2000; ++round) {
    for (size_t offset = 0; offset < 256; offset += 8) {
      const uint64_t roll = random();
      bench.Poke(offset, roll % 2 == 0 ? nasty[roll / 2 % nasty.size()] : random());
    }
    bench.Poke(kStamps + random() % kCapacity * 8, nasty[random() % nasty.size()]);
    CHECK(bench.reader.Pop(bench.batch, round % 2 == 0) <= bench.batch.size());
  }
}

TEST_CASE("a tail that others moved does not move the reader", "[ring]") {
  Bench bench;
  RingWriter writer = bench.Writer();
  for (int i = 0; i < 10; ++i) REQUIRE(writer.Push(Event{.bytes = i}));
  bench.Poke(kTail, 5);
  REQUIRE(bench.reader.Pop(bench.batch, false) == 10);
  CHECK(bench.batch[0].bytes == 0);
  CHECK(bench.Peek(kTail) == 10);
}

TEST_CASE("what is not a ring is refused with a sentence", "[ring]") {
  const auto refuse = [](UniqueFd fd) {
    const Result<RingWriter> writer = RingWriter::Map(std::move(fd));
    REQUIRE_FALSE(writer.ok());
    CHECK(writer.error().message.find("not one") != std::string::npos);
  };
  SECTION("nothing") { refuse(UniqueFd()); }
  SECTION("a file") { refuse(UniqueFd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC))); }
  SECTION("memory that can shrink") { refuse(UniqueFd(memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING))); }
  SECTION("an empty one") {
    UniqueFd fd(memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    refuse(std::move(fd));
  }
  SECTION("damaged headers") {
    Bench bench;
    const size_t offset = GENERATE(0, 8, 12, 16);  // magic, version, bytes of an event, capacity
    bench.Poke(offset, bench.Peek(offset) + 1);
    refuse(UniqueFd(fcntl(bench.reader.fd(), F_DUPFD_CLOEXEC, 0)));
  }
}

TEST_CASE("the memory cannot be resized under its users", "[ring]") {
  Bench bench;
  CHECK(ftruncate(bench.reader.fd(), 0) != 0);
  CHECK(ftruncate(bench.reader.fd(), 1 << 30) != 0);
}

}  // namespace
}  // namespace tidemark::transport
