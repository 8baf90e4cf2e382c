// The device's memory at one moment, to scale: every segment, the blocks inside it and the gaps between them.
// Pure. O((segments + blocks) · log).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/timeline/free_lists.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct MapBlock {
  int64_t offset_bytes = 0;    // in its segment
  int64_t bytes = 0;           // as far as it lies in the segment
  int64_t rounding_bytes = 0;  // beyond what was requested
  size_t block = 0;            // index into State::blocks
  events::Category category = events::Category::kUnknown;
  bool pending_free = false;
};

struct MapGap {
  int64_t offset_bytes = 0;
  int64_t bytes = 0;
  bool is_largest = false;  // of those for usual requests; of several as large the first
};

struct MapSegment {
  uint64_t address = 0;
  int64_t position_bytes = 0;  // in the map: the sizes of all segments before it
  int64_t bytes = 0;
  bool expandable = false;
  events::EventIndex born = 0;
  timeline::FreeList list;
  // What keeps its gaps from usual requests; none = they are theirs.
  std::optional<timeline::Barrier> barrier;
  std::vector<MapBlock> blocks;  // by address, without overlap; blocks that wait to be freed are there too
  std::vector<MapGap> gaps;      // what is free
};

// What of a map can be lit up.
enum class MapPart : uint8_t { kNone, kSegments, kFree, kRounding };

struct MemoryMap {
  std::vector<MapSegment> segments;  // by address
  int64_t reserved_bytes = 0;
  int64_t occupied_bytes = 0;      // by blocks
  int64_t rounding_bytes = 0;      // of these, beyond what was requested
  int64_t pending_bytes = 0;       // of these, freed, but kept until another stream is done with it
  int64_t largest_free_bytes = 0;  // gap for usual requests: on the usual stream, of no private pool
  double share_free = 0;           // of what is reserved
  int64_t pool_bytes = 0;          // reserved by private pools
  timeline::BarredBytes barred{};  // free, but not for usual requests
  bool has_streams = false;        // more than one, which share no memory
  int64_t outside_bytes = 0;       // of blocks that lie in no segment: all, where nobody reports segments
};

MemoryMap MakeMemoryMap(const timeline::State& state);

// Why a map of it would mislead, as one of a trace that tells how much was reserved, but not where; "" where
// there is one to draw.
std::string WhyNoMap(const MemoryMap& map);

// What a map says in one line: "10 segments · 37 blocks · 39 % free · 6.1 kB (< 0.1 %) rounding", and what
// waits to be freed.
std::string MapSummary(const MemoryMap& map, ByteUnit unit);

// Whose requests its gaps serve, where that is not everybody's: "private pool 1 · stream 0x5555"; "" =
// nothing to tell.
std::string WhoseSegment(const MemoryMap& map, const MapSegment& segment);

// What the gaps mean for the next request, in words; "" where nobody reports segments.
std::string ExplainFreeMemory(const MemoryMap& map, ByteUnit unit);

}  // namespace tidemark::presenters
