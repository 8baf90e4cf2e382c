// Which loop a line of Python stands in, and whether it ends that. Read from the indentation that
// Python demands, so a text inside of a string may mislead it. Pure, O(size of the source).
#pragma once

#include <string_view>

namespace tidemark::phantom::device {

// A `while` of the line's own function, or of the file where it is in none, whatever `for` is in between;
// lines count from 1.
bool StandsInWhile(std::string_view source, int line);

enum class LoopEnd { kNone, kWhenTrue, kWhenFalse };

// When an `if` in that line, of one condition, leaves the innermost loop by `break` or `return`, and that is
// a `for`, which would end by itself.
LoopEnd EndOfFor(std::string_view source, int line);

}  // namespace tidemark::phantom::device
