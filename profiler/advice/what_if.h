// A recording's requests, replayed with other settings of PyTorch's allocator or on a card of another size:
// what would have been reserved, and whether it would have run out of memory. Any thread; each replay takes a
// process of its own, some 20 ms and 0.1 us for each request.
#pragma once

#include <string>

#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/replay/replay.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

struct AllocatorSetup {
  phantom::Card card;    // with the memory that it has
  std::string settings;  // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own
};

struct WhatIf {
  phantom::Replayed before;  // with the run's own setup
  phantom::Replayed after;
  // Whether `before` has the peaks that were recorded. Where not, the run did what requests do not hold (CUDA
  // graphs, say) or had another allocator, and only the difference tells something.
  bool is_as_recorded = false;
};

// Fails with a sentence where the view lacks the run's beginning or PyTorch refuses the settings.
Result<WhatIf> AskWhatIf(const timeline::View& view, const AllocatorSetup& own, const AllocatorSetup& other,
                         const session::AllocatorOf& allocator = {});

// Reserved at most beyond what was ever allocated.
int64_t UnusedBytes(const phantom::Replayed& replayed);

}  // namespace tidemark::advice
