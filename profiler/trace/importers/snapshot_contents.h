// What a PyTorch memory snapshot (torch.cuda.memory._snapshot(), 1.13 to today's main) says, taken out of the
// objects that its file holds. Keys that are not known are passed over; what is missing keeps its default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/trace/importers/block_sizes.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/pickle.h"

namespace tidemark::trace {

// As they were when the snapshot was taken.
struct SnapshotBlock {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t requested_bytes = 0;
  uint64_t stream = 0;
  StackId stack = 0;
  TextId shape = 0;
  events::Category category = events::Category::kUnknown;
  uint8_t device = 0;
  bool pending_free = false;
};

struct SnapshotSegment {
  uint64_t address = 0;
  int64_t bytes = 0;
  uint64_t stream = 0;
  StackId stack = 0;
  PoolIndex pool = 0;
  uint8_t device = 0;
  bool expandable = false;
};

struct SnapshotAnnotation {
  std::string name;
  int64_t time_us = 0;
  uint8_t device = 0;
  bool begins = true;
};

struct SnapshotContents {
  bool any = false;  // it is a snapshot at all
  std::vector<SnapshotSegment> segments;
  std::vector<SnapshotBlock> blocks;   // that are allocated, or wait to be free
  std::vector<Objects::Range> traces;  // by device
  uint64_t entries_left_out = 0;       // of traces: listed twice, or of a device that has no number here
  uint64_t no_entries = 0;             // in traces; of a file that was cut, what had not become one
  std::vector<SnapshotAnnotation> annotations;  // by time
  AllocatorRules rules;
  std::string allocator_settings;  // PYTORCH_CUDA_ALLOC_CONF
};

// Of what was read before damage, too.
SnapshotContents ContentsOf(const ReadObjects& read, Objects& objects);

}  // namespace tidemark::trace
