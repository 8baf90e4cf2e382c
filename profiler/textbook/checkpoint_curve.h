// The price list of checkpointing: how many bytes each way to checkpoint keeps at worst, and how much it runs
// again for that. Pure functions; planning the budgets takes a network of 200 layers a second: not for a
// thread that draws.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {

struct CurvePoint {
  networks::Checkpointing checkpoint;
  std::vector<CheckpointPiece> pieces;  // as planned; empty = nothing runs again
  int64_t saved_bytes = 0;              // what backward needs when it needs most; textbook.h's activations
  int64_t total_bytes = 0;              // textbook.h's total with it
  double share_run_again = 0;           // of forward's operations, 0 to 1
  bool is_best = false;                 // no other point has both fewer bytes and less run again
};

// Nothing, what `settings` say, one segment, by layer, √N segments, and budgets from the least that is
// possible upwards, in three digits; by their bytes, each figure once, but that what `settings` say is there
// beside another that comes to the same. Of a pipeline the first stage's. Empty where it was stopped.
std::vector<CurvePoint> CheckpointCurve(const networks::Network& network,
                                        const networks::TrainingSettings& settings,
                                        const Progress& progress = {});

}  // namespace tidemark::textbook
