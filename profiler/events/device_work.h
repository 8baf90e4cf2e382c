// Whether kernels, memory copies and memsets are told: what the programs that are recorded find in their
// environment.
#pragma once

namespace tidemark::events {

inline constexpr const char* kDeviceWorkVariable = "TIDEMARK_KERNELS";
inline constexpr const char* kDeviceWorkEntry = "TIDEMARK_KERNELS=1";  // they are

}  // namespace tidemark::events
