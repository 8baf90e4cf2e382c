#include "profiler/capture/stream/event_stream.h"

#include <array>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

// A process has one stream.
transport::RingReader& Stream() {
  static transport::RingReader& stream = *[] {
    Result<transport::RingReader> ring = transport::RingReader::Create(256);
    REQUIRE(ring);
    OpenEventStream(transport::RingWriter::Beside(*ring), /*device=*/1);
    return new transport::RingReader(std::move(*ring));
  }();
  return stream;
}

std::vector<events::Event> Told() {
  std::array<events::Event, 256> told;
  return {told.begin(), told.begin() + static_cast<std::ptrdiff_t>(Stream().Pop(told, true))};
}

// What sources said of themselves.
std::vector<std::string> SentencesTold() {
  std::vector<std::string> sentences;
  for (const events::Event& event : Told()) {
    if (event.kind == events::EventKind::kMarker) sentences.push_back(NameOf(event.name));
  }
  return sentences;
}

}  // namespace

TEST_CASE("What is told without a device is on the stream's; who knows the device may mean the first one") {
  Stream();
  events::Event without;
  Emit(without);
  for (const int device : {0, 1, 2}) {
    events::Event on;
    on.device = static_cast<uint8_t>(device);
    EmitOnDevice(on);
  }
  const std::vector<events::Event> told = Told();
  REQUIRE(told.size() == 4);
  CHECK(told[0].device == 1);
  CHECK(told[1].device == 0);
  CHECK(told[2].device == 1);
  CHECK(told[3].device == 2);
}

TEST_CASE("What a source cannot tell is said with every state in which it tells") {
  Stream();
  EmitLack(events::Source::kAllocator, "Python's stacks are not told.");
  EmitState(events::Source::kAllocator, "waiting: for PyTorch");
  EmitState(events::Source::kAllocator, "live (blocks)");
  EmitLack(events::Source::kAllocator, "operators are not known.");
  EmitState(events::Source::kAllocator, "live (of both)");
  EmitState(events::Source::kAllocator, "given up to another tool");
  CHECK(SentencesTold() ==
        std::vector<std::string>{
            "live, but Python's stacks are not told.", "waiting: for PyTorch",
            "live (blocks), but Python's stacks are not told.",
            "live (blocks), but Python's stacks are not told. Also, operators are not known.",
            "live (of both), but Python's stacks are not told. Also, operators are not known.",
            "given up to another tool"});
}

}  // namespace tidemark::capture
