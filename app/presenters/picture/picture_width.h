// A picture of picture.h, larger or smaller. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::presenters {

// The same, `width` pixels wide: what is on it grows or shrinks with it.
std::string WithWidth(std::string_view svg, int width);

}  // namespace tidemark::presenters
