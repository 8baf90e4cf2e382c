#include "profiler/capture/transport/ring.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::transport {
namespace {

using events::Event;
using events::Source;

UniqueFd Duplicate(int fd) { return UniqueFd(fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

RingWriter WriterOf(const RingReader& reader) {
  Result<RingWriter> writer = RingWriter::Map(Duplicate(reader.fd()));
  REQUIRE(writer.ok());
  return std::move(*writer);
}

Event Numbered(uint32_t producer, int64_t number, Source source = Source::kAllocator) {
  Event event;
  event.thread = producer;
  event.bytes = number;
  event.rounded_bytes = number * 3;
  event.address = static_cast<uint64_t>(number) * 5;
  event.source = source;
  return event;
}

bool IsWhole(const Event& event) {
  return event.rounded_bytes == event.bytes * 3 && event.address == static_cast<uint64_t>(event.bytes) * 5;
}

std::vector<Event> PopAll(RingReader& reader, bool producer_dead = false) {
  std::vector<Event> all;
  std::vector<Event> batch(1000);
  while (const size_t count = reader.Pop(batch, producer_dead)) {
    all.insert(all.end(), batch.begin(), batch.begin() + static_cast<ptrdiff_t>(count));
  }
  return all;
}

TEST_CASE("events come out as and in the order they went in, over many laps", "[ring]") {
  RingReader reader = std::move(*RingReader::Create(64));
  RingWriter writer = WriterOf(reader);
  int64_t next = 0;
  int64_t expected = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 41; ++i) REQUIRE(writer.Push(Numbered(1, next++)));
    for (const Event& event : PopAll(reader)) REQUIRE(event == Numbered(1, expected++));
  }
  CHECK(expected == 4100);
  CHECK(reader.received(Source::kAllocator) == 4100);
  CHECK(reader.torn() == 0);
}

TEST_CASE("a full ring drops the newest events and counts them by source", "[ring]") {
  RingReader reader = std::move(*RingReader::Create(64));
  RingWriter writer = WriterOf(reader);
  CHECK(writer.fill() == 0);
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += writer.Push(Numbered(1, i)) ? 1 : 0;
  for (int i = 0; i < 7; ++i) CHECK_FALSE(writer.Push(Numbered(1, i, Source::kTrainer)));
  CHECK(kept == 64);
  CHECK(writer.fill() == 1);
  CHECK(reader.dropped(Source::kAllocator) == 36);
  CHECK(reader.dropped(Source::kTrainer) == 7);
  const std::vector<Event> events = PopAll(reader);
  REQUIRE(events.size() == 64);
  CHECK(reader.received(Source::kAllocator) == 64);
  CHECK(events.back().bytes == 63);
  CHECK(writer.fill() == 0);
  CHECK(writer.Push(Numbered(1, 200)));
  CHECK(PopAll(reader).at(0).bytes == 200);
}

TEST_CASE("names of any length travel in consecutive pieces, all or none", "[ring]") {
  RingReader reader = std::move(*RingReader::Create(64));
  RingWriter writer = WriterOf(reader);
  const size_t length = GENERATE(0, 1, 31, 32, 33, 64, 500, 64 * 32);
  std::string text;
  for (size_t i = 0; i < length; ++i) text += static_cast<char>('a' + i % 26);
  REQUIRE(writer.PushName(7, text, 123));
  std::string again;
  for (const Event& event : PopAll(reader)) {
    CHECK(event.kind == events::EventKind::kName);
    CHECK(event.name == 7);
    CHECK(event.time_ns == 123);
    CHECK(event.layer == again.size());
    CHECK(event.op == length);
    again += events::NamePiece(event);
  }
  CHECK(again == text);
  CHECK_FALSE(writer.PushName(8, std::string(64 * 32 + 1, 'x'), 0));
  CHECK(PopAll(reader).empty());
  CHECK(reader.dropped(Source::kTrainer) == 65);
}

TEST_CASE("a name is received, or lost, as an event of the source that wanted it", "[ring]") {
  RingReader reader = std::move(*RingReader::Create(64));
  RingWriter writer = WriterOf(reader);
  REQUIRE(writer.PushName(7, std::string(33, 'x'), 0, Source::kDriver));
  for (const Event& event : PopAll(reader)) CHECK(event.source == Source::kDriver);
  CHECK(reader.received(Source::kDriver) == 2);
  CHECK_FALSE(writer.PushName(8, std::string(64 * 32 + 1, 'x'), 0, Source::kDevice));
  CHECK(reader.dropped(Source::kDevice) == 65);
  CHECK(reader.dropped(Source::kTrainer) == 0);
}

TEST_CASE("what was lost before it came to the ring is counted there, also by a full one", "[ring]") {
  RingReader reader = std::move(*RingReader::Create(64));
  RingWriter writer = WriterOf(reader);
  for (int i = 0; i < 65; ++i) writer.Push(Numbered(1, i, Source::kDriver));
  writer.CountLost(Source::kDriver, 1000);
  writer.CountLost(Source::kDevice, 1);
  CHECK(reader.dropped(Source::kDriver) == 1001);
  CHECK(reader.dropped(Source::kDevice) == 1);
  CHECK(PopAll(reader).size() == 64);
}

struct Tally {
  std::map<uint32_t, int64_t> last;  // by producer
  uint64_t popped = 0;
  bool ordered = true;
  bool whole = true;

  void Take(const Event& event) {
    auto [entry, is_new] = last.try_emplace(event.thread, -1);
    ordered = ordered && event.bytes > entry->second;
    whole = whole && IsWhole(event);
    entry->second = event.bytes;
    ++popped;
  }
};

constexpr int64_t kNameEvery = 100;
const std::string kTwoPieces(40, 'n');
constexpr uint64_t PiecesAmong(int64_t events) {
  return 2 * static_cast<uint64_t>((events + kNameEvery - 1) / kNameEvery);
}

Tally RunProducers(RingReader& reader, RingWriter& writer, int producers, int64_t events_each,
                   bool wait_when_full) {
  std::atomic<int> running = producers;
  std::vector<std::thread> threads;
  for (int producer = 0; producer < producers; ++producer) {
    threads.emplace_back([&, producer] {
      for (int64_t i = 0; i < events_each; ++i) {
        while (wait_when_full && writer.fill() > 0.5) std::this_thread::yield();
        const auto source = static_cast<Source>(producer % 4);
        writer.Push(Numbered(static_cast<uint32_t>(producer), i, source));
        if (i % kNameEvery == 0) writer.PushName(1, kTwoPieces, 0, source);
      }
      --running;
    });
  }
  Tally tally;
  std::vector<Event> batch(4096);
  while (true) {
    const bool done = running == 0;
    const size_t count = reader.Pop(batch, false);
    for (size_t i = 0; i < count; ++i) {
      if (batch[i].kind != events::EventKind::kName) tally.Take(batch[i]);
    }
    if (count == 0 && done) break;
  }
  for (std::thread& thread : threads) thread.join();
  return tally;
}

TEST_CASE("four producers: no event lost, each one's order kept", "[ring]") {
  constexpr int64_t kEach = 50'000;
  RingReader reader = std::move(*RingReader::Create(1 << 12));
  RingWriter writer = RingWriter::Beside(reader);
  const Tally tally = RunProducers(reader, writer, 4, kEach, true);
  CHECK(tally.popped == 4 * kEach);
  CHECK(tally.ordered);
  CHECK(tally.whole);
  for (int source = 0; source < 4; ++source) {
    CHECK(reader.received(static_cast<Source>(source)) == kEach + PiecesAmong(kEach));
    CHECK(reader.dropped(static_cast<Source>(source)) == 0);
  }
  CHECK(reader.torn() == 0);
}

TEST_CASE("four producers on a ring that overflows: received + dropped == attempted", "[ring]") {
  constexpr int64_t kEach = 50'000;
  RingReader reader = std::move(*RingReader::Create(64));
  RingWriter writer = RingWriter::Beside(reader);
  const Tally tally = RunProducers(reader, writer, 4, kEach, false);
  uint64_t received = 0;
  for (int source = 0; source < 4; ++source) {
    const auto each = static_cast<Source>(source);
    CHECK(reader.received(each) + reader.dropped(each) + reader.torn(each) == kEach + PiecesAmong(kEach));
    received += reader.received(each);
  }
  CHECK(tally.popped <= received);  // names are not among them
  CHECK(tally.ordered);
  CHECK(tally.whole);
}

// What a killed child had reached: one line a producer, in memory that outlives it.
struct Progress {
  std::array<std::atomic<int64_t>, 2> begun;
  std::array<std::atomic<int64_t>, 2> ended;
  std::array<std::atomic<int64_t>, 2> pushed;
};
constexpr std::array kSources = {Source::kAllocator, Source::kDriver};  // one a producer

[[noreturn]] void PushUntilKilled(int fd, Progress* progress) {
  Result<RingWriter> writer = RingWriter::Map(Duplicate(fd));
  if (!writer.ok()) _exit(1);
  const auto push = [&](uint32_t producer) {
    for (int64_t i = 0;; ++i) {
      progress->begun[producer] = i + 1;
      if (writer->Push(Numbered(producer, i, kSources[producer]))) progress->pushed[producer] = i + 1;
      progress->ended[producer] = i + 1;
    }
  };
  std::thread second([&] { push(1); });
  push(0);
  _exit(1);  // it is killed before
}

TEST_CASE("a producer killed at any moment loses nothing that it published", "[ring]") {
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  for (int round = 0; round < 40; ++round) {
    RingReader reader = std::move(*RingReader::Create(1 << 10));
    auto* progress = new (shared) Progress{};
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) PushUntilKilled(reader.fd(), progress);
    Tally tally;
    std::vector<Event> batch(256);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(1000 + 731 * round);
    while (std::chrono::steady_clock::now() < until) {
      const size_t count = reader.Pop(batch, false);
      for (size_t i = 0; i < count; ++i) tally.Take(batch[i]);
    }
    kill(child, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    for (const Event& event : PopAll(reader, true)) tally.Take(event);
    for (uint32_t producer = 0; producer < 2; ++producer) {
      const int64_t last = tally.last.contains(producer) ? tally.last[producer] : -1;
      CHECK(last >= progress->pushed[producer] - 1);
    }
    CHECK(tally.ordered);
    CHECK(tally.whole);
    CHECK(reader.torn() <= 2);
    CHECK(tally.popped == reader.received(kSources[0]) + reader.received(kSources[1]));
    // An event was attempted once its push began, and at the latest when that ended.
    for (uint32_t producer = 0; producer < 2; ++producer) {
      const Source source = kSources[producer];
      const auto told =
          static_cast<int64_t>(reader.received(source) + reader.dropped(source) + reader.torn(source));
      CHECK(told <= progress->begun[producer]);
      CHECK(told >= progress->ended[producer]);
      CHECK(told + static_cast<int64_t>(reader.torn_of_nobody()) + 1 >= progress->begun[producer]);
    }
    CHECK(reader.torn_of_nobody() + reader.torn(kSources[0]) + reader.torn(kSources[1]) == reader.torn());
  }
  munmap(shared, sizeof(Progress));
}

}  // namespace
}  // namespace tidemark::transport
