// The functions of NVML that we call, as a table that is filled at run time (on a phantom by the phantom's),
// in tests by hand. Types and numbers are those of nvml.h 13.0, which is not needed to build.
#pragma once

#include <cstdint>

#include "profiler/base/result.h"

namespace tidemark::capture::nvml {

// nvmlReturn_t.
using Code = int;
inline constexpr Code kSuccess = 0;
inline constexpr Code kNoPermission = 4;
inline constexpr Code kNotFound = 6;
inline constexpr Code kInsufficientSize = 7;
inline constexpr Code kDriverNotLoaded = 9;
inline constexpr Code kLibraryRmVersionMismatch = 18;

using Device = void*;

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // what the driver keeps for itself is in it
};

struct Process {
  unsigned process_id;
  unsigned long long used_bytes;  // kNotAvailable under Windows' display driver, and so under WSL
  unsigned gpu_instance;
  unsigned compute_instance;
};
inline constexpr unsigned long long kNotAvailable = ~0ULL;

struct Functions {
  Code (*init)() = nullptr;
  Code (*driver_version)(char* text, unsigned bytes) = nullptr;
  Code (*device_by_uuid)(const char* uuid, Device*) = nullptr;
  Code (*device_uuid)(Device, char* text, unsigned bytes) = nullptr;
  Code (*device_count)(unsigned*) = nullptr;
  Code (*device_by_index)(unsigned index, Device*) = nullptr;
  Code (*memory_info)(Device, Memory*) = nullptr;
  Code (*compute_processes)(Device, unsigned* count, Process*) = nullptr;
};

// Error: a sentence, if there is no NVML or one that lacks a function.
Result<Functions> LoadFunctions();

// Why nothing of the card is recorded.
std::string RefusalSentence(Code code);

}  // namespace tidemark::capture::nvml
