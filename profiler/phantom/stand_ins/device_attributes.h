// What the card says about itself, in the form of the runtime's and the driver's attributes (their numbers
// are the same).
#pragma once

#include <cstddef>
#include <optional>

#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom {

// Limits that all cards from compute capability 7.0 to 12.0 share (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
inline constexpr int kWarpThreads = 32;
inline constexpr int kThreadsPerBlock = 1024;
inline constexpr int kBlockSize[3] = {1024, 1024, 64};
inline constexpr int kGridSize[3] = {2147483647, 65535, 65535};
inline constexpr int kRegisters = 65536;  // per block and per multiprocessor
inline constexpr int kConstantBytes = 65536;
inline constexpr int kTextureAlignment = 512;
inline constexpr int kTexturePitchAlignment = 32;
inline constexpr int kPitchBytes = 2147483647;

// Of every kernel, since their real counts are in their machine code: few enough that registers never limit
// how many blocks a multiprocessor holds, as for the small kernels whose scratch depends on it.
inline constexpr int kRegistersPerThread = 32;

// How many blocks of a kernel a multiprocessor holds at once; none where no block may be as large.
std::optional<int> BlocksPerMultiprocessor(const Card& card, int threads, size_t shared_bytes);

// None for an attribute that nobody has modelled. `attribute` is a cudaDeviceAttr or a CUdevice_attribute,
// `number` which of the machine's cards it is.
std::optional<int> AttributeOf(const Card& card, int attribute, int number = 0);

}  // namespace tidemark::phantom
