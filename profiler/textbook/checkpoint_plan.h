// Which layers run again in backward: the pieces that a network is cut into, by a person's rule or, for a
// budget of bytes, by dynamic programming. Pure functions. By rule O(layers); for a budget O(groups² ·
// states), with at most kMostStates of them, milliseconds.
//
// For a budget each group of layers (networks::GroupStarts) either keeps what it saves or is part of a piece
// that keeps its input only. What is alive when backward comes to a piece (saved_tensors.h, FindWorstMoment)
// must fit, and among all ways that do, the one that computes least again is taken: the one-level problem of
// Beaumont et al., Optimal checkpointing for heterogeneous chains, arXiv 1911.13214 (2019), with exact bytes
// in place of their slots. In a chain it is solved exactly; where a tensor jumps over pieces it counts with
// each that needs it, so a plan may keep less than it could, never more than the budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {

struct CheckpointPlan {
  std::vector<CheckpointPiece> pieces;  // of all layers, in order; empty = nothing runs again
  // Of a budget that is too small for any plan: what the least needs, which is then planned. Else 0.
  int64_t least_bytes = 0;
};

CheckpointPlan PlanCheckpoints(const networks::Network& network, const networks::TrainingSettings& settings);
CheckpointPlan PlanCheckpoints(const networks::Network& network, const SavedTensors& saved,
                               const networks::TrainingSettings& settings);

// √N of N layers: the segments that Chen et al., Training Deep Nets with Sublinear Memory Cost, arXiv
// 1604.06174 (2016), cut a chain into.
int SquareRootSegments(const networks::Network& network);

// Forward operations of a batch that backward runs again (operations.h), and one for each value that a layer
// gives: those without products are not free either.
int64_t OperationsAgain(const networks::Network& network, const std::vector<CheckpointPiece>& pieces,
                        int64_t batch);

}  // namespace tidemark::textbook
