// What the card says about itself, in the form of the runtime's and the driver's attributes (their numbers
// are the same).
#pragma once

#include <cstddef>
#include <optional>

#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/cards/limits.h"

namespace tidemark::phantom {

// Of every kernel, since their real counts are in their machine code: few enough that registers never limit
// how many blocks a multiprocessor holds, as for the small kernels whose scratch depends on it.
inline constexpr int kRegistersPerThread = 32;

// How many blocks of a kernel a multiprocessor holds at once; none where no block may be as large.
std::optional<int> BlocksPerMultiprocessor(const Card& card, int threads, size_t shared_bytes);

// None for an attribute that nobody has modelled. `attribute` is a cudaDeviceAttr or a CUdevice_attribute,
// `number` which of the machine's cards it is.
std::optional<int> AttributeOf(const Card& card, int attribute, int number = 0);

}  // namespace tidemark::phantom
