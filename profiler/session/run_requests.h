// What a run asked PyTorch's allocator for, in order: what is put to it again with other settings, in other
// orders of addresses, on another card, or for longer. Pure functions, any thread, O(events).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/phantom/replay/request.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

// `usable_bytes`: how much of the card it could reserve; where segments are freed with that in reach, the
// allocator made room for a request, and will again; where not, the program emptied the cache. Fails with a
// sentence where the view lacks the run's beginning, or `begin`, where a run on an emptied cache began anew,
// or had more private pools than are told apart (events::kManyPools).
Result<std::vector<phantom::Request>> RequestsOf(const timeline::View& view, int64_t usable_bytes,
                                                 timeline::EventIndex begin = 0);

// Whether PyTorch gave segments of its cache back for want of room in such a run, or memory ran out and it
// went on. What could tell of it lies in the view alone: false of what it does not hold any more.
bool EmptiesCacheForRoom(const timeline::View& view, int64_t usable_bytes);

// The same requests, but blocks that waited for other streams when they were freed (record_stream) come back
// with the end of their step, or when the cache is emptied, and not with the next request as on a phantom,
// whose streams are always done. None where no block waited.
Result<std::vector<phantom::Request>> LateRequestsOf(const timeline::View& view, int64_t usable_bytes);

// The same, and then its last step so many times more: the allocator's blocks settle later than the requests
// do, and a run that has room for three steps may have none in its fifth. Each round frees what the round
// before left for it. As they are where there are fewer than two steps, or the last one leaves other blocks
// than it found. `rounds` are fewer where they would make more than kMostProlonged requests.
Result<std::vector<phantom::Request>> ProlongedRequestsOf(const timeline::View& view, int64_t usable_bytes,
                                                          timeline::EventIndex begin, size_t rounds);
inline constexpr size_t kMostProlonged = 500'000;

}  // namespace tidemark::session
