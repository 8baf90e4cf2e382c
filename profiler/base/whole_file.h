// All that stands in a file, at once. Any thread; nothing here waits for who writes into a pipe, or throws.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>

#include "profiler/base/result.h"

namespace tidemark {

// An error, "FILE cannot be read: WHY.", of what is no regular file (a folder, a pipe), cannot be opened or
// read to its end, or holds more than `most_bytes`.
Result<std::string> ReadWholeFile(const std::filesystem::path& file,
                                  size_t most_bytes = std::numeric_limits<size_t>::max());

// "" where it cannot be read: for files that may as well not be there.
std::string WholeFileOrNothing(const std::filesystem::path& file);

}  // namespace tidemark
