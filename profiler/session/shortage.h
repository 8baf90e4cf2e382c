// A request for which the card had no room: what was asked for, what there was, why that did not do, and
// whether the program went on without. Pure functions, O(failures · (steps + live blocks · log)), of failures
// in no step O(failures · events).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/timeline/free_lists.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

struct Shortage {
  timeline::EventIndex index = 0;
  int64_t step = -1;         // in which it was; -1 = between steps
  int64_t step_before = -1;  // of one between steps, the latest before it; -1 = there was none
  events::Phase phase = events::Phase::kIdle;
  std::string op;     // that asked, "aten::cat", or a function's frame; "" = not known
  std::string layer;  // in whose call; "" = in none, or not known
  // In a run on several cards the one without room, as the program counts: what was allocated, waited and was
  // cached is its own.
  std::optional<uint8_t> device;
  int64_t requested_bytes = 0;
  int64_t driver_bytes = 0;  // what PyTorch takes of the driver for such a request
  int64_t free_bytes = 0;    // on the card, after PyTorch gave back what it could
  int64_t allocated_bytes = 0;
  int64_t waiting_bytes = 0;       // freed, but another stream may still use them
  bool tells_segments = true;      // else nobody told of any: nothing cached is known, as of the CPU's memory
  int64_t cached_bytes = 0;        // the rest of what is reserved: gaps in segments that hold live blocks
  timeline::BarredBytes barred{};  // of these, what the request could not have, by why
  uint8_t pool = 0;                // the private one that asked; kManyPools = not told whether one did
  bool while_loading = false;  // nothing had run forward, and nearly all of what was allocated are parameters
  // The program caught the error: its step came to its end, or a later one; or where none ever did, or it lay
  // in none, memory was allocated later. PyTorch catches it, too: a convolution whose workspace finds no room
  // takes another plan.
  bool survived = false;
};
std::vector<Shortage> ShortagesIn(const timeline::View& view);

// What PyTorch's allocator takes of the driver for a request that no cached block serves
// (c10/cuda/CUDACachingAllocator.cpp, get_allocation_size; of expandable segments what is mapped at once).
int64_t BytesFromDriver(int64_t requested_bytes, bool expandable);

// Whether its blocks are of the driver's pool (backend:cudaMallocAsync): of a card, and nobody told of
// segments.
bool IsOfPool(const Shortage& shortage);

// What the card had beside what PyTorch reserved and what was free: contexts, and what other processes took.
// 0 = not known. `card_bytes`: all of the card's memory; 0 = not known.
int64_t OutsidePyTorch(const Shortage& shortage, int64_t card_bytes);

// Of what is cached, what the request could not have; and what it could have had: on the card, and of the
// rest.
int64_t BytesOutOfReach(const Shortage& shortage);
int64_t BytesInReach(const Shortage& shortage);
// Whether other segments might have held it: enough was in reach in all, but not in one piece.
bool IsForWantOfSegments(const Shortage& shortage);

// What was free out of reach, where that would have done: the fewest parts, the largest first. None where
// that is not why the request failed.
struct BarredPart {
  timeline::Barrier barrier;
  int64_t bytes = 0;
};
std::vector<BarredPart> BarredPartsOf(const Shortage& shortage);
// "90.0 MiB of it in private pools (CUDA graphs have theirs), 34.0 MiB in memory of another stream"
std::string WhereBarred(const Shortage& shortage, const std::vector<BarredPart>& parts);

// The last of the run's failures since `begin`, where it did not go on after it; null where it went on after
// all, or there were none.
const timeline::OutOfMemory* FailureThatEnded(const timeline::View& view, timeline::EventIndex begin = 0);
// Whether there is no such failure: the run's steps then tell what it needs.
bool WentOnAfterFailures(const timeline::View& view, timeline::EventIndex begin = 0);

// "24.5 MiB", whatever else is told in: what is said of memory that ran out is to be found again in PyTorch's
// own words.
std::string BytesAsPyTorch(int64_t bytes);

// "on cuda:1, in step 3, forward, in aten::linear of blocks.3.mlp", "after step 5, in aten::cat"; empty where
// nothing is known of it.
std::string PlaceOf(const Shortage& shortage);

// A sentence; and one that tells the figure of PyTorch's own message, where that is another than what was
// asked for. `usable_bytes`: of the card, without the context; 0 = not known.
std::string WhyShort(const Shortage& shortage, int64_t usable_bytes);

}  // namespace tidemark::session
