// Pixels to a PNG file. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "profiler/base/result.h"

namespace tidemark::gui {

// `rgba` has width · height · 4 bytes, the lowest row first, as OpenGL gives them; alpha is ignored.
Status WritePngBottomUp(const std::filesystem::path& file, int width, int height,
                        std::span<const uint8_t> rgba);

}  // namespace tidemark::gui
