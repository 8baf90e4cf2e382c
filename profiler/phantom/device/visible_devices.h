// How a program names devices, and what CUDA_VISIBLE_DEVICES leaves it to see, as CUDA reads it (programming
// guide, "CUDA Environment Variables"). Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom::device {

// Sixteen bytes that are always the same for a card of that kind with that number in its machine, and differ
// between any two; and as the driver writes them ("GPU-68323030-...").
std::array<uint8_t, 16> UuidOf(const Card& card, int number);
std::string UuidTextOf(const Card& card, int number);

// The numbers in their machine, which has `gpus` of them, in the order in which the program sees them.
// `variable`: what it says; null where it is not set. A list ends at the first entry that is no device of the
// machine, and one that names a device twice names none.
std::vector<int> VisibleDevices(const char* variable, const Card& card, int gpus);

}  // namespace tidemark::phantom::device
