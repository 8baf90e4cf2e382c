// Differences in bytes, written with a true minus sign. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/base/format.h"

namespace tidemark::presenters {

std::string SignedBytes(int64_t bytes, ByteUnit unit);  // "+2.7 MB", "−45.4 MB", "±0 B"
std::string SignedExactBytes(int64_t bytes);            // "−45,400,064 B"

}  // namespace tidemark::presenters
