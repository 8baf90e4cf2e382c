// What the GPU did, from CUPTI's records of kernels, memory copies and memsets, as events; only where it is
// asked for (profiler/events/device_work.h), for a record is written for each.
//
// Any thread. A kernel's name is put into words once, under a lock.
#pragma once

#include <cstdint>
#include <optional>

#include "profiler/capture/cupti/functions.h"

namespace tidemark::capture {

bool WantsDeviceWork();

// How many of the kinds of records CUPTI does not give.
int EnableDeviceWork(const cupti::Functions& functions);
// What CUPTI reserves for that of a card's memory in each context, from the beginning: a context whose work
// needs more gets more. 0 where it takes the host's; nothing where it does not tell.
std::optional<int64_t> BytesReservedForWork(const cupti::Functions& functions);
void DisableDeviceWork(const cupti::Functions& functions);

// A record of any kind; tells nothing of those that are something else.
void TellDeviceWork(const int* record);

}  // namespace tidemark::capture
