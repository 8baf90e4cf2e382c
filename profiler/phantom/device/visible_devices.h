// How a program names devices, and what CUDA_VISIBLE_DEVICES leaves it to see, as CUDA reads it (programming
// guide, "CUDA Environment Variables"). Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom::device {

// Sixteen bytes that are always the same for a card, and differ between cards; and as the driver writes them
// ("GPU-68323030-...").
std::array<uint8_t, 16> UuidOf(const Card& card);
std::string UuidTextOf(const Card& card);

// Whether it names the machine's one card, number 0. `variable`: what it says; null where it is not set. A
// list ends at the first entry that is no device of the machine, and one that names a device twice names
// none.
bool IsVisible(const char* variable, const std::string& uuid);

}  // namespace tidemark::phantom::device
