// Each category's colour on white: in the light window, and in pages and pictures.
#pragma once

#include <array>
#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::events {

// 0xRRGGBB, by category; tests/gui/palette_test.cpp says what they have to be.
inline constexpr std::array<uint32_t, kCategoryCount> kColoursOnWhite = {
    0x415DA0, 0x8E64D2, 0xCC8A39, 0x8499AA, 0x1A8977, 0xDA3D51,
    0xD6B114, 0x4FB7EB, 0xB3BDB7, 0x401018, 0xB0F06A};

}  // namespace tidemark::events
