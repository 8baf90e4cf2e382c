// Whether a frame would paint what is on the screen already. UI thread; a tenth of a millisecond, where
// painting in software takes a tenth of a second.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>

namespace tidemark::gui {

// Frames of the same hash are the same picture (64 bits of XXH3); none where a texture is to be updated
// first.
std::optional<uint64_t> PictureHash(const ImDrawData& data);

}  // namespace tidemark::gui
