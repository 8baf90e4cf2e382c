#include "profiler/timeline/device_work.h"

#include <cstdint>
#include <limits>

#include "profiler/timeline/timeline.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {
namespace {

using events::EventKind;

void AddWork(Stream& stream, EventKind kind, int64_t begin_ns, int64_t duration_ns, int64_t bytes = 0) {
  events::Event& event = stream.Add(kind, static_cast<uint64_t>(begin_ns), bytes);
  event.rounded_bytes = duration_ns;
  event.stream = 7;
  event.name = 1;
}

}  // namespace

TEST_CASE("Kernels and copies take no place on the axis of events, and pages sum them up") {
  Stream stream;
  stream.Name("gemm");
  stream.Allocate(0x1000, 512);
  for (int i = 0; i < 300; ++i) AddWork(stream, EventKind::kKernel, Stream::kStartNs + 1000 - i, i);
  AddWork(stream, EventKind::kMemoryCopy, Stream::kStartNs, 5, 4096);
  AddWork(stream, EventKind::kMemorySet, Stream::kStartNs, 0, 64);
  stream.Free(0x1000);
  const auto view = stream.Publish();
  CHECK(view->end() == 3);
  CHECK(view->health().events == stream.events().size());
  CHECK(view->event(2).kind == EventKind::kFreeCompleted);
  const DeviceWorkPages& pages = view->device_work();
  REQUIRE(pages.size() == 3);
  CHECK(pages[0].begin_ns == Stream::kStartNs + 1000 - 127);
  CHECK(pages[0].end_ns == Stream::kStartNs + 1000);
  CHECK(pages[1].items[pages[1].longest].duration_ns == 255);
  CHECK(pages[2].counts == std::array<int64_t, kDeviceWorkKinds>{44, 1, 1});
  CHECK(pages[2].items[44].bytes == 4096);
  CHECK(pages[2].bytes == 4096 + 64);
  CHECK(pages[2].latest_ns == pages[0].end_ns);
  CHECK(EventFrom(pages[2].items[44]).address == static_cast<uint64_t>(Stream::kStartNs));
  CHECK(DeviceWorkFrom(EventFrom(pages[2].items[44])).stream == 7);
}

TEST_CASE("Any numbers are taken, and a time that CUPTI does not know is that of the telling") {
  Stream stream;
  AddWork(stream, EventKind::kKernel, -1, -5, -7);
  AddWork(stream, EventKind::kKernel, 0, std::numeric_limits<int64_t>::max());
  const auto view = stream.Publish();
  const DeviceWorkPage& page = view->device_work()[0];
  CHECK(page.items[0].begin_ns == 0);
  CHECK(page.items[0].duration_ns == 0);
  CHECK(page.items[0].bytes == 0);
  CHECK(page.items[1].begin_ns == stream.events()[1].time_ns);
  CHECK(page.items[1].end_ns() > page.items[1].begin_ns);
}

TEST_CASE("Old work goes with the events that it was told with") {
  Stream stream;
  for (int i = 0; i < 100'000; ++i) {
    stream.Allocate(0x1000, 512);
    stream.Free(0x1000);
    if (i % 10 == 0) AddWork(stream, EventKind::kKernel, Stream::kStartNs + i, 1);
  }
  const auto view = stream.Publish(32'768);
  REQUIRE(view->first() > 0);
  size_t kept = 0;
  for (const DeviceWorkPage& page : view->device_work()) kept += page.count;
  // One for 20 events; a page, and the one that is open, are kept whole.
  const size_t events = view->end() - view->first();
  CHECK(kept * 20 <= events + 20 * 2 * DeviceWorkPage::kSize);
  CHECK(kept * 20 + 20 * DeviceWorkPage::kSize >= events);
  CHECK(view->health().work_let_go == 10'000 - kept);
}

TEST_CASE("However many kernels a few events bring, memory has a bound, the newest stay, and it is told") {
  constexpr size_t kWorks = 60'000;
  Stream stream;
  stream.Allocate(0x1000, 512);
  for (size_t i = 0; i < kWorks; ++i)
    AddWork(stream, EventKind::kKernel, Stream::kStartNs + static_cast<int64_t>(i), 1);
  const auto view = stream.Publish(32'768);  // a megabyte
  size_t kept = 0;
  for (const DeviceWorkPage& page : view->device_work()) kept += page.count;
  CHECK(kept * sizeof(DeviceWork) <= 512 * 1024);
  CHECK(kept * sizeof(DeviceWork) >= 450 * 1024);
  CHECK(view->device_work().back().end_ns == Stream::kStartNs + int64_t{kWorks});
  CHECK(view->health().work_let_go == kWorks - kept);
  CHECK(view->health().let_go == 0);
  REQUIRE(DescribeHealth(*view).size() == 1);
  CHECK(DescribeHealth(*view).front().find("memsets, the oldest, were let go") != std::string::npos);
}

}  // namespace tidemark::timeline
