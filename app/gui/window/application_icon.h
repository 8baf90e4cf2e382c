// The program's icon, drawn in code: a tide line over water, in the accent colour. The same picture for
// desktops is assets/icons/tidemark.svg. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemark::gui {

// `size` · `size` pixels of RGBA, the highest row first.
std::vector<uint8_t> ApplicationIcon(int size);

}  // namespace tidemark::gui
