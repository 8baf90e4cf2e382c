// What the card itself reports of its memory, as events of events::Level::kCard (all that is taken) and
// kProcess (what this process takes, its context among it) on the process's stream: asked of NVML ten times a
// second, told when it changes. How the source fares is told as its state. One in a process, for as long as
// it lives.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/base/result.h"
#include "profiler/capture/nvml/functions.h"

namespace tidemark::capture {

// "GPU-00112233-4455-...", as NVML names the card with these 16 bytes (cudaDeviceProp::uuid).
std::string CardUuid(const char* bytes);

// After the event stream was opened and the card's context was made. Once; a second call changes nothing.
void WatchCard(const Result<nvml::Functions>& functions, const std::string& uuid);

// The same for a process that does not know its card, or has not used it yet: the first card that this
// process takes memory of, once it does.
void WatchCardOfProcess(const Result<nvml::Functions>& functions);

// Asks now; otherwise done every 100 ms. What the card has left, in bytes; 0 where nobody knows.
int64_t SampleCard();

}  // namespace tidemark::capture
