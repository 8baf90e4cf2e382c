// Who holds the memory at a moment: live blocks, by layer and what they hold or by line of code; parameters,
// gradients and optimizer state of all layers together. Pure functions, any thread. O(chunk + live).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

struct Owner {
  // "conv1, activation", "parameter", or "temporary of aten::add" where no layer is known; of a line, "train
  // (train.py:40)".
  std::string name;
  int64_t bytes = 0;
  size_t blocks = 0;
  timeline::EventIndex largest = 0;  // birth of its largest block
  std::string shape;                 // of that one: "float32 [8, 1024, 50257]"; "" where it is not told
};

// The largest first, at most `most`. `device`: on that card alone.
std::vector<Owner> LargestOwners(const timeline::View& view, timeline::EventIndex moment, size_t most,
                                 std::optional<uint8_t> device = {});

// By the innermost line of code, for streams that were recorded with stacks; blocks without one are left out.
std::vector<Owner> LargestLines(const timeline::View& view, timeline::EventIndex moment, size_t most);

}  // namespace tidemark::advice
