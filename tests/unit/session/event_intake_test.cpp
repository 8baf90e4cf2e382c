// The way from the ring to the timeline: what the ring lost is told there, of the source that lost it.
#include "profiler/session/event_intake.h"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <map>

#include "profiler/session/recorded_run.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

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

TEST_CASE("Hints are taken from the ring, and what follows from them is in the run and its recording") {
  transport::RingReader reader = std::move(*transport::RingReader::Create(64));
  transport::RingWriter writer = transport::RingWriter::Beside(reader);
  EventIntake intake(std::move(reader), timeline::kDefaultBudgetEvents);
  const trace::Scratch scratch;
  auto recording = trace::TideWriter::Create(scratch / "run.tide", {});
  REQUIRE(recording.ok());
  intake.RecordTo(RecordingOf(std::move(*recording)));
  const auto push = [&](events::EventKind kind, uint64_t address, int64_t bytes) {
    REQUIRE(
        writer.Push(Event{.address = address, .bytes = bytes, .kind = kind, .source = Source::kAllocator}));
  };
  push(events::EventKind::kSegmentAllocate, 4096, 4096);
  push(events::EventKind::kAllocate, 4096, 512);
  push(events::EventKind::kTensorSaved, 4096, 0);
  push(events::EventKind::kTensorSaved, 4096, 0);
  CHECK(intake.Take(true) == 4);
  CHECK(intake.captured() == 3);
  const auto view = intake.Publish();
  REQUIRE(view->end() == 3);
  CHECK(view->event(2).kind == events::EventKind::kCategorize);
  CHECK(view->event(2).category == events::Category::kActivation);
  (void)intake.CloseRecording();
  CHECK(intake.recording_error().empty());
  const auto read = RecordedRun::Open(scratch / "run.tide", nullptr);
  REQUIRE(read.ok());
  CHECK((*read)->view()->end() == 3);
}

}  // namespace tidemark::session
