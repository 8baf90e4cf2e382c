#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {
namespace {

using events::EventKind;

TEST_CASE("Of several devices each has peaks of its own, which need not be at one moment") {
  Stream stream;
  CHECK(stream.Publish()->devices().empty());
  stream.Add(EventKind::kSegmentAllocate, 0x900000, 4096).device = 1;
  stream.Allocate(0x900000, 1000).device = 1;
  stream.Add(EventKind::kFreeRequested, 0x900000).device = 1;
  stream.Add(EventKind::kFreeCompleted, 0x900000).device = 1;
  REQUIRE(stream.Publish()->devices().size() == 1);
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 8192).device = 0;
  stream.Allocate(0x100000, 3000).device = 0;
  stream.Allocate(0x900000, 500).device = 1;
  const auto view = stream.Publish();
  const std::vector<DevicePeaks>& devices = view->devices();
  REQUIRE(devices.size() == 2);
  CHECK((devices[0].device == 0 && devices[1].device == 1));
  CHECK((devices[0].requested_bytes == 3000 && devices[1].requested_bytes == 1000));
  CHECK((devices[0].allocated_bytes == 3072 && devices[1].allocated_bytes == 1024));
  CHECK((devices[0].reserved_bytes == 8192 && devices[1].reserved_bytes == 4096));
}

TEST_CASE("A block that takes another's address ends that where it was, and a device's memory comes back") {
  Stream stream;
  stream.Allocate(0x100000, 1024).device = 0;
  stream.Allocate(0x100000, 512).device = 1;  // what was there was never freed
  stream.Allocate(0x200000, 1024).device = 0;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 4096).device = 1;
  stream.Add(EventKind::kSegmentFree, 0x100000, 4096).device = 1;
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 2048).device = 1;
  const std::vector<DevicePeaks> devices = stream.Publish()->devices();
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].allocated_bytes == 1024);
  CHECK(devices[1].allocated_bytes == 512);
  CHECK(devices[1].reserved_bytes == 4096);
}

}  // namespace
}  // namespace tidemark::timeline
