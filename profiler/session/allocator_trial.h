// The requests of a run, put to PyTorch's own allocator with other settings, or on a card of another size:
// what it would have reserved. Any thread; in a process of its own, some 20 ms and 0.1 us for each request.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/replay/replay.h"

namespace tidemark::session {

// Whose allocator it is: that of the LibTorch beside us, unless the run had another; and in which order the
// driver under it hands out addresses.
struct AllocatorOf {
  std::filesystem::path replayer = ReplayerExecutable();
  std::filesystem::path stand_ins = PhantomFolder();
  phantom::AddressOrder addresses = {};
};

// Whether PyTorch takes these settings (PYTORCH_CUDA_ALLOC_CONF); else an error with its words.
Status TakesSettings(const std::string& settings, const phantom::Card& card,
                     const AllocatorOf& allocator = {});

// `card` with the memory that it shall have. `settings`: PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own.
// Settings that PyTorch refuses are TakesSettings's error. `columns`: of its curve, `progress`: replay.h.
Result<phantom::Replayed> TryAllocator(const std::vector<phantom::Request>& requests,
                                       const phantom::Card& card, const std::string& settings,
                                       const AllocatorOf& allocator = {}, size_t columns = 0,
                                       const Progress& progress = {});

}  // namespace tidemark::session
