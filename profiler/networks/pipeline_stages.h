// Where a pipeline cuts a network into stages, each some layers in a row. Pure functions; O(cuts² · stages).
//
// A cut lies before a layer that begins a group (specification.h, GroupStarts), where exactly one tensor
// passes from the layers before to those behind: a residual connection, or a skip over several layers, stays
// within a stage. Of all ways to make as many stages the one is taken whose sizes have the least sum of
// squares, that is, whose stages are as alike as can be. A stage's size is its layers' parameters, or what
// they give.
#pragma once

#include <cstddef>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::networks {

// Layers [first, end).
struct Stage {
  size_t first = 0;
  size_t end = 0;
  bool operator==(const Stage&) const = default;
};

// The layers before which it may be cut, ascending. Of two layers that share a weight each may be on another
// stage; of more they all stay on one.
std::vector<size_t> StageCuts(const Network& network);

// One stage for each rank, in order. None where the settings ask for no pipeline, or for more stages than the
// network can be cut into.
std::vector<Stage> StagesOf(const Network& network, const TrainingSettings& settings);

// Error: a sentence, where the settings ask for more stages than the network can be cut into.
Status CheckStages(const Network& network, const TrainingSettings& settings);

}  // namespace tidemark::networks
