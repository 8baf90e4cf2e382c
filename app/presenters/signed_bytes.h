// Differences, in bytes or nanoseconds: saturating, for recordings may claim anything, and written with a
// true minus sign. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/base/format.h"

namespace tidemark::presenters {

int64_t Difference(int64_t from, int64_t taken);

std::string SignedBytes(int64_t bytes, ByteUnit unit);  // "+2.7 MB", "−45.4 MB", "±0 B"

}  // namespace tidemark::presenters
