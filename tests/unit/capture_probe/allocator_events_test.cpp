// The probe as `tidemark record` loads it; the test calls its gates as PyTorch's allocator does.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/library_names.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/events/event.h"
#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

using events::Event;
using events::EventKind;

using MemoryGate = void (*)(void* pointer, int64_t change, size_t allocated, size_t reserved,
                            uint16_t device);
using OutOfMemoryGate = void (*)(int64_t bytes, size_t allocated, size_t reserved, uint16_t device);

constexpr size_t kSegment = size_t{2} << 20;
constexpr uint16_t kCpu = 0xff00;  // c10::Device(c10::kCPU): its number is -1

uint16_t Card(unsigned number) { return static_cast<uint16_t>(number << 8 | kCudaDevice); }

// The one of this process, and what it tells.
class Probe {
 public:
  Probe() {
    setenv(kProbeSocketVariable, listener_.name().c_str(), 1);
    setenv(kProbeCpuVariable, "1", 1);
    void* const probe = dlopen(TIDEMARK_PROBE, RTLD_NOW);
    REQUIRE(probe != nullptr);
    memory_ =
        reinterpret_cast<MemoryGate>(dlsym(probe, "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"));
    out_of_memory_ = reinterpret_cast<OutOfMemoryGate>(
        dlsym(probe, "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"));
    REQUIRE(memory_ != nullptr);
    REQUIRE(out_of_memory_ != nullptr);
    std::jthread answering([&] {
      while (!caller_) caller_ = listener_.Accept();
      (void)transport::Listener::Answer(*caller_, ring_);
    });
    Report(0x1000, 0, 0, kCpu);  // its first: the probe asks for the ring
  }

  void Report(uint64_t block, int64_t change, size_t reserved, uint16_t device) {
    memory_(reinterpret_cast<void*>(block), change, 0, reserved, device);
  }
  void RunOut(int64_t bytes, size_t reserved, uint16_t device) { out_of_memory_(bytes, 0, reserved, device); }
  // Since it was asked last, by kind.
  std::vector<Event> Told(EventKind kind) {
    std::array<Event, 256> batch;
    const size_t count = ring_.Pop(batch, true);
    told_.insert(told_.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<Event> of_kind;
    std::ranges::copy_if(told_, std::back_inserter(of_kind),
                         [kind](const Event& event) { return event.kind == kind; });
    std::erase_if(told_, [kind](const Event& event) { return event.kind == kind; });
    return of_kind;
  }

 private:
  transport::Listener listener_ = std::move(*transport::Listener::Create());
  transport::RingReader ring_ = std::move(*transport::RingReader::Create(1024));
  std::optional<transport::Listener::Caller> caller_;
  MemoryGate memory_ = nullptr;
  OutOfMemoryGate out_of_memory_ = nullptr;
  std::vector<Event> told_;
};

Probe& TheProbe() {
  static auto& probe = *new Probe;
  return probe;
}

std::vector<std::pair<uint64_t, int>> AddressesAndDevices(const std::vector<Event>& events) {
  std::vector<std::pair<uint64_t, int>> places;
  for (const Event& event : events) places.emplace_back(event.address, event.device);
  return places;
}

using Places = std::vector<std::pair<uint64_t, int>>;

// What each thread has of the probe's own.
size_t BytesOfEachThread() {
  size_t bytes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* found) {
        if (!std::string_view(library->dlpi_name).ends_with(kProbeLibrary)) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          if (library->dlpi_phdr[i].p_type == PT_TLS) {
            *static_cast<size_t*>(found) = library->dlpi_phdr[i].p_memsz;
          }
        }
        return 1;
      },
      &bytes);
  return bytes;
}

}  // namespace

TEST_CASE(
    "A thread has little of the probe's own: libraries that come in late share 1,664 bytes of glibc's") {
  (void)TheProbe();
  const size_t bytes = BytesOfEachThread();
  CHECK(bytes > 0);
  CHECK(bytes <= 512);
}

TEST_CASE("Each card's blocks, segments and shortages are told as that card's; the CPU's are the first's") {
  Probe& probe = TheProbe();
  (void)probe.Told(EventKind::kAllocate);
  probe.Report(0x10'0000'0000, 512, kSegment, Card(0));
  probe.Report(0x20'0000'0000, 512, kSegment, Card(1));
  probe.Report(0x2000, 64, 0, kCpu);
  probe.Report(0x20'0000'0000, -512, kSegment, Card(1));
  probe.RunOut(1 << 30, kSegment, Card(1));
  CHECK(AddressesAndDevices(probe.Told(EventKind::kAllocate)) ==
        Places{{0x10'0000'0000, 0}, {0x20'0000'0000, 1}, {0x2000, 0}});
  CHECK(AddressesAndDevices(probe.Told(EventKind::kFreeCompleted)) == Places{{0x20'0000'0000, 1}});
  CHECK(AddressesAndDevices(probe.Told(EventKind::kSegmentAllocate)) ==
        Places{{0x10'0000'0000, 0}, {0x20'0000'0000, 1}});
  CHECK(AddressesAndDevices(probe.Told(EventKind::kOutOfMemory)) == Places{{0, 1}});
}

TEST_CASE("What a card gives back is none of another card's segments, though one of those is the highest") {
  Probe& probe = TheProbe();
  probe.Report(0x30'0000'0000, 512, 2 * kSegment, Card(0));
  probe.Report(0x40'0000'0000, 512, 2 * kSegment, Card(1));
  probe.Report(0x30'0000'0000, -512, 2 * kSegment, Card(0));
  (void)probe.Told(EventKind::kSegmentFree);
  probe.Report(0x10'0000'0200, 512, kSegment, Card(0));
  CHECK(AddressesAndDevices(probe.Told(EventKind::kSegmentFree)) == Places{{0x30'0000'0000, 0}});
}

}  // namespace tidemark::capture
