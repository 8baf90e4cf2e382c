// Limits that all cards from compute capability 7.0 to 12.0 share (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
#pragma once

#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom {

inline constexpr int kWarpThreads = 32;
inline constexpr int kThreadsPerBlock = 1024;
inline constexpr int kBlockSize[3] = {1024, 1024, 64};
inline constexpr int kGridSize[3] = {2147483647, 65535, 65535};
inline constexpr int kRegisters = 65536;  // per block and per multiprocessor
inline constexpr int kConstantBytes = 65536;
inline constexpr int kTextureAlignment = 512;
inline constexpr int kTexturePitchAlignment = 32;
inline constexpr int kPitchBytes = 2147483647;

// Shared memory that the system takes of each block, from compute capability 8.0 on (same table).
inline int ReservedSharedBytes(const Card& card) { return card.compute_capability >= 80 ? 1024 : 0; }

}  // namespace tidemark::phantom
