// A user's program on the phantom GPU: its environment, and waiting for it as a shell would. One at a time,
// main thread only: it takes over the process's signals while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

// One rank of a distributed program; the others are pretended.
struct Rank {
  int64_t rank = 0;
  int64_t world = 1;
};

// What torchrun would set for it.
std::vector<std::string> RankEnvironment(const Rank& rank);

// Starts `words` with these "NAME=value" entries added, and waits. Ctrl-C and Ctrl-\ reach it from the
// terminal, and what ends us is passed on to it. The exit code is its own, 128 + N if signal N ended it.
Result<int> RunProgram(const std::vector<std::string>& words, const std::vector<std::string>& environment);

}  // namespace tidemark::phantom
