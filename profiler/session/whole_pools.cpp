#include "profiler/session/whole_pools.h"

namespace tidemark::session {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// Whether a block is larger than splitting leaves any (c10/cuda/CUDACachingAllocator.cpp:
// get_allocation_size, should_split). Up to 1 MiB come from segments of 2 MiB, and are split from them
// whatever is left; up to 10 MiB from segments of 20 MiB. Of larger ones at most 1 MiB is left on. Each may
// have been rounded before, to less than its double (roundup_power2_divisions).
bool IsUnsplit(int64_t bytes, int64_t block_bytes) {
  if (bytes <= kMiB) return block_bytes >= 2 * kMiB;
  if (bytes < 10 * kMiB) return block_bytes >= 20 * kMiB;
  return block_bytes / 2 - kMiB > bytes;
}

}  // namespace

void WholePools::Take(const events::Event& event) {
  if (event.kind != events::EventKind::kAllocate || event.pool == 0) return;
  if (IsUnsplit(event.bytes, event.rounded_bytes)) pools_.emplace(event.device, event.pool);
}

}  // namespace tidemark::session
