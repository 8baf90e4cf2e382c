#include "app/gui/window/screenshot.h"

#include <vector>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>

namespace tidemark::gui {

Status WritePngBottomUp(const std::filesystem::path& file, int width, int height,
                        std::span<const uint8_t> rgba) {
  std::vector<uint8_t> rgb(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  for (int y = 0; y < height; ++y) {
    const uint8_t* from = rgba.data() + static_cast<size_t>(height - 1 - y) * static_cast<size_t>(width) * 4;
    uint8_t* to = rgb.data() + static_cast<size_t>(y) * static_cast<size_t>(width) * 3;
    for (int x = 0; x < width; ++x, from += 4, to += 3) std::copy(from, from + 3, to);
  }
  if (stbi_write_png(file.c_str(), width, height, 3, rgb.data(), width * 3) == 0) {
    return Error{"The screenshot could not be written to " + file.string() +
                 ". Choose a folder that exists and that you may write to."};
  }
  return Done{};
}

}  // namespace tidemark::gui
