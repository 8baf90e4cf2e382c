// What the process holds from the CUDA driver, as events of events::Level::kDriver on the process's stream,
// told by CUPTI: its callbacks count at once what is allocated and mapped, its records
// say what memory pools have reserved, and are compared with the callbacks. How the source fares is told as
// its state: live, blocked by another tool, given up, absent, ...; the program runs on.
//
// One in a process, for as long as it lives. The callbacks run inside of CUDA's functions: they call nothing
// of CUDA. Pinned host memory is not device memory and is left out; managed memory, which may lie on either,
// is told as a counter of its own (events/driver_memory.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/capture/cupti/driver_memory.h"
#include "profiler/capture/cupti/functions.h"

namespace tidemark::capture {

// After the event stream was opened and before the first allocation that is to be seen. Once; a second call
// changes nothing.
void AttachToDriver(const Result<cupti::Functions>& functions);

// Who is told that what begins in these bytes is given back, in the thread that does, before the driver has
// it again, and under no lock of ours: allocations and mapped pieces. The last who asked.
void OnDriverMemoryLeaves(void (*listener)(uint64_t address, uint64_t bytes));

// Takes what CUPTI has recorded so far. Otherwise done within 50 ms of a call that is watched, four times a
// second while a memory pool holds more than it keeps, and when the process exits.
void FlushDriver();

// What of it lies in these bytes; nothing if nobody counts.
std::vector<cupti::Region> DriverRegions(uint64_t address, uint64_t bytes);

// The program asks for CUPTI itself, which serves one tool at a time: it gets what it would have without us,
// and from here on nothing is told of the driver, which its state says. `who` = the library that asked. Not
// so where kernels are wanted (WantsDeviceWork), for then that was chosen. A second call changes nothing.
void GiveUpDriver(const std::string& who);

// Device memory that is held at the moment, in bytes; 0 if nobody counts.
int64_t DriverBytes();

}  // namespace tidemark::capture
