// Whether kernels, memory copies and memsets are told: what the programs that are recorded find in their
// environment.
#pragma once

#include <string>

namespace tidemark::events {

inline constexpr const char* kDeviceWorkVariable = "TIDEMARK_KERNELS";
inline std::string DeviceWorkEntry() { return std::string(kDeviceWorkVariable) + "=1"; }  // they are

}  // namespace tidemark::events
