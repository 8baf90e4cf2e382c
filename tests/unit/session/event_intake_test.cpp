// The way from the ring to the timeline: what the ring lost is told there, of the source that lost it.
#include "profiler/session/event_intake.h"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <map>

#include "tests/support/catch.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::Source;

std::map<Source, uint64_t> LostIn(const timeline::View& view) {
  std::map<Source, uint64_t> lost;
  for (const timeline::SourceState& state : view.sources()) lost[state.source] = state.lost;
  return lost;
}

}  // namespace

TEST_CASE(
    "What the ring dropped and what was torn are losses of their sources, and of the session what is "
    "nobody's") {
  constexpr size_t kCapacity = 64;
  transport::RingReader reader = std::move(*transport::RingReader::Create(kCapacity));
  transport::RingWriter writer = transport::RingWriter::Beside(reader);
  const size_t bytes = transport::RingMemory::BytesFor(kCapacity);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader.fd(), 0);
  REQUIRE(memory != MAP_FAILED);
  EventIntake intake(std::move(reader), timeline::kDefaultBudgetEvents);
  REQUIRE(writer.Push(Event{.bytes = 512, .rounded_bytes = 512, .source = Source::kAllocator}));
  // Two threads that die between claiming a slot and publishing it (ring.h): one has said whose it is.
  const uint64_t mark = 0xff | static_cast<uint64_t>(Source::kDevice) << 8 | uint64_t{1} << 16;
  std::memcpy(static_cast<std::byte*>(memory) + 4096 + kCapacity * 8 + 64 + 56, &mark, sizeof mark);
  const uint64_t head = 3;
  std::memcpy(static_cast<std::byte*>(memory) + 64, &head, sizeof head);
  for (size_t i = head; i < kCapacity + 5; ++i)
    writer.Push(Event{.address = i, .source = Source::kAllocator});
  writer.CountLost(Source::kDriver, 7);
  while (intake.Take(true) > 0) {
  }
  const auto view = intake.Publish();
  CHECK(LostIn(*view) ==
        std::map<Source, uint64_t>{
            {Source::kAllocator, 5}, {Source::kDriver, 7}, {Source::kDevice, 1}, {Source::kSession, 1}});
  CHECK(intake.lost() == 14);
  CHECK(intake.captured() == kCapacity - 2);
  munmap(memory, bytes);
}

}  // namespace tidemark::session
