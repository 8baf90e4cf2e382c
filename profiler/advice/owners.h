// Who holds the memory at a moment: live blocks, by layer and by what they hold. Pure function, any thread.
// O(chunk + live).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

struct Owner {
  std::string name;  // "conv1, activation"; "temporary of aten::add" where no layer is known
  int64_t bytes = 0;
  size_t blocks = 0;
  timeline::EventIndex largest = 0;  // birth of its largest block
};

// The largest first, at most `most`.
std::vector<Owner> LargestOwners(const timeline::View& view, timeline::EventIndex moment, size_t most);

}  // namespace tidemark::advice
