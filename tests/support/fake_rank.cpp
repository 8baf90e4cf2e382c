// A process of a user's program without LibTorch: fake_rank SOCKET ALLOCATIONS asks for a ring as the probe
// would, makes so many blocks of 1 MiB, one after the other, and ends. Its rank is in its environment. Exit
// code 3: it got no ring.
#include <cstdlib>

#include "profiler/base/clock.h"
#include "profiler/capture/transport/listener.h"

int main(int count, char** words) {
  using namespace tidemark;
  if (count != 3) return 2;
  auto ring = transport::AskForRing(words[1]);
  if (!ring || !ring->has_value()) return 3;
  constexpr int64_t kBlockBytes = 1 << 20;
  for (int i = 1; i <= std::atoi(words[2]); ++i) {
    events::Event event;
    event.time_ns = RealtimeNs();
    event.kind = events::EventKind::kAllocate;
    event.source = events::Source::kAllocator;
    event.address = static_cast<uint64_t>(i * kBlockBytes);
    event.bytes = event.rounded_bytes = kBlockBytes;
    (*ring)->Push(event);
  }
  return 0;
}
