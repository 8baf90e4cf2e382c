// The price list of checkpointing: how many bytes each way to checkpoint keeps at worst, and how much it runs
// again for that. Pure functions; a network of 100 layers takes tens of milliseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::textbook {

struct CurvePoint {
  networks::Checkpointing checkpoint;
  int64_t saved_bytes = 0;     // what backward needs when it needs most; textbook.h's activations
  double share_run_again = 0;  // of forward's operations, 0 to 1
  bool is_best = false;        // no other point has both fewer bytes and less run again
};

// Nothing, by layer, √N segments, and budgets from the least that is possible upwards; by their bytes, each
// figure once.
std::vector<CurvePoint> CheckpointCurve(const networks::Network& network,
                                        const networks::TrainingSettings& settings);

}  // namespace tidemark::textbook
