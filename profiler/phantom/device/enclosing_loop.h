// Which loop a line of Python stands in: as far as it tells whether that comes to its end by itself. Read
// from the indentation that Python demands, so a text inside of a string may mislead it. Pure, O(size of the
// source).
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::phantom::device {

enum class Loop : uint8_t { kNone, kFor, kWhile };

// The innermost one of the line's own function, or of the file where it is in none; lines count from 1.
Loop LoopAround(std::string_view source, int line);

}  // namespace tidemark::phantom::device
