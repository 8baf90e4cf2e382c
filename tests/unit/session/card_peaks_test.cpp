#include "profiler/session/card_peaks.h"

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::session {
namespace {

using events::EventKind;

TEST_CASE("Of several cards each has peaks of its own, which need not be at one moment") {
  timeline::Stream stream;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 4096).device = 0;
  stream.Allocate(0x100000, 1000).device = 0;
  stream.Add(EventKind::kFreeRequested, 0x100000).device = 0;
  stream.Add(EventKind::kFreeCompleted, 0x100000).device = 0;
  CHECK(PeaksOfCards(*stream.Publish()).empty());
  stream.Add(EventKind::kSegmentAllocate, 0x900000, 8192).device = 1;
  stream.Allocate(0x900000, 3000).device = 1;
  stream.Allocate(0x100000, 500).device = 0;
  const auto view = stream.Publish();
  const std::vector<CardPeaks> cards = PeaksOfCards(*view);
  REQUIRE(cards.size() == 2);
  CHECK((cards[0].device == 0 && cards[1].device == 1));
  CHECK((cards[0].requested_bytes == 1000 && cards[1].requested_bytes == 3000));
  CHECK((cards[0].allocated_bytes == 1024 && cards[1].allocated_bytes == 3072));
  CHECK((cards[0].reserved_bytes == 4096 && cards[1].reserved_bytes == 8192));
}

}  // namespace
}  // namespace tidemark::session
