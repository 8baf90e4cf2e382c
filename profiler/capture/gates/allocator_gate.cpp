#include "profiler/capture/gates/allocator_gate.h"

#include "profiler/capture/gates/behind.h"

#define TIDEMARK_REPORT_MEMORY "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"

// NOLINTBEGIN(readability-identifier-naming): their name
extern "C" void TidemarkReportMemory(void* pointer, int64_t change, size_t allocated, size_t reserved,
                                     uint16_t device) TIDEMARK_GATE(TIDEMARK_REPORT_MEMORY);

void TidemarkReportMemory(void* pointer, int64_t change, size_t allocated, size_t reserved, uint16_t device) {
  using Function = void (*)(void*, int64_t, size_t, size_t, uint16_t);
  static constinit tidemark::capture::FunctionBehind<Function> next;
  const Function behind = next.Get("libc10.so", TIDEMARK_REPORT_MEMORY);
  tidemark::capture::OnMemoryReported(pointer, change, reserved, device);
  if (behind != nullptr) behind(pointer, change, allocated, reserved, device);
}
// NOLINTEND(readability-identifier-naming)
