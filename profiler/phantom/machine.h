// The machine that the phantom GPU is in.
#pragma once

namespace tidemark::phantom {

// How many cards the stand-ins say it has, all alike; one where it is not set.
inline constexpr const char* kDeviceCountVariable = "TIDEMARK_PHANTOM_DEVICES";

}  // namespace tidemark::phantom
