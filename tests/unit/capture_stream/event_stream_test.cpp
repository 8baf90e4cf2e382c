#include "profiler/capture/stream/event_stream.h"

#include <array>

#include "tests/support/catch.h"

namespace tidemark::capture {

TEST_CASE("What is told without a device is on the stream's; who knows the device may mean the first one") {
  Result<transport::RingReader> ring = transport::RingReader::Create(64);
  REQUIRE(ring);
  OpenEventStream(transport::RingWriter::Beside(*ring), /*device=*/1);
  events::Event without;
  Emit(without);
  for (const int device : {0, 1, 2}) {
    events::Event on;
    on.device = static_cast<uint8_t>(device);
    EmitOnDevice(on);
  }
  std::array<events::Event, 8> told;
  REQUIRE(ring->Pop(told, true) == 4);
  CHECK(told[0].device == 1);
  CHECK(told[1].device == 0);
  CHECK(told[2].device == 1);
  CHECK(told[3].device == 2);
}

}  // namespace tidemark::capture
