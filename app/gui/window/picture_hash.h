// Whether a frame would paint what is on the screen already. UI thread; O(vertices), and counted in
// the window's own time for a frame (tests/bench/bench_gui_frame).
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>

namespace tidemark::gui {

// Frames of the same hash are the same picture (64 bits of XXH3); none where a texture is to be updated
// first.
std::optional<uint64_t> PictureHash(const ImDrawData& data);

}  // namespace tidemark::gui
