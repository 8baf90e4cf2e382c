// What NVML's functions return. From nvml.h, whose package is not needed to build.
#pragma once

namespace tidemark::phantom::nvml {

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kInvalidArgument = 2;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kNotFound = 6;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kDriverNotLoaded = 9;
inline constexpr Return kVersionMismatch = 25;

}  // namespace tidemark::phantom::nvml
