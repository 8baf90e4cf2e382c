// What training on several ranks adds to a step's memory and takes from it, of each rank. Pure functions.
// Bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/textbook/saved_tensors.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {

// The buckets in which DistributedDataParallel's reducer sends the gradients, in the order in which they are
// sent: a tensor after another, from the last layer to the first, until a bucket has 1 MiB (the first) or 25
// MiB (the others): torch/csrc/distributed/c10d/reducer.hpp (2.11), kDefaultFirstBucketBytes and
// kDefaultBucketBytesCap, filled by compute_bucket_assignment_by_size. Together they are as large as the
// gradients. None for one rank alone, where nothing is trained, where ranks share gradients, and in a
// pipeline. O(layers).
std::vector<int64_t> GradientBuckets(const networks::Network& network,
                                     const networks::TrainingSettings& settings);

// Which rank updates which tensor where the optimizer's state is shared: the largest first, each to the rank
// that has least so far (ZeroRedundancyOptimizer._partition_parameters, torch 2.11). O(tensors · (log tensors
// + ranks)).
std::vector<int> OwnersOf(const std::vector<int64_t>& tensor_sizes, int ranks);

// The parameters, in elements, that a rank updates. All, where nothing is shared; in the first stage of ZeRO
// rank 0 has the largest tensor; in the second and third all ranks have as many, of each layer an N-th,
// rounded up.
int64_t ParametersOfRank(const networks::Network& network, const networks::TrainingSettings& settings,
                         int rank);

// What the second and third stage of ZeRO, layer by layer (training/distributed/sharded_layers.h), have of a
// rank, in elements. With n_l parameters in layer l and N ranks its shard has s_l = ⌈n_l / N⌉ elements:
//   shards          Σ s_l, of each layer this rank's N-th: of gradients, the optimizer's state and, in the
//                   third stage, parameters
//   largest layer   max N · s_l, whole: gathered to run in the third stage, and the bucket of its gradients
//   gathered        the largest layer; beside it an embedding whose table another layer shares, all through
//                   backward, or the last layer of a checkpointed piece, while that is made again
//   gradients       most at once: a layer's n_l, whole, or, if more, the g_l that autograd holds on to and
//   the
//                   layer's shard; and the shards that there are by then. Backward goes from the last layer
//                   to the first; where shards stay from the micro-batch or the step before, all are there.
//                   Autograd holds on to the tensor that came last until the shard is made, g_l elements: a
//                   single one, and without autocast a linear layer's weight and all of an LSTM's (measured
//                   on the phantom, all networks, torch 2.11).
// `pieces`: as planned for these settings (checkpoint_plan.h). O(layers).
struct LayerShards {
  int64_t shards = 0;
  int64_t largest_layer = 0;
  int64_t gathered = 0;
  int64_t gradients = 0;
};
LayerShards ShardLayers(const networks::Network& network, const networks::TrainingSettings& settings,
                        const std::vector<CheckpointPiece>& pieces);

// What a rank has of one layer's parameters in these stages: an N-th, rounded up.
int64_t ShardOf(const networks::Layer& layer, int64_t ranks);

// Whether backward finds all shards of gradients there, from the micro-batch or the step before.
bool ShardsStay(const networks::TrainingSettings& settings);

// What one of N ranks keeps of parameters, gradients and the optimizer's state under ZeRO (Rajbhandari,
// Rasley, Ruwase and He, arXiv 1910.02054, SC20, section 5): an N-th of the state in stage 1, of the
// gradients too in 2, of the parameters too in 3, rounded up; stage 0 shares nothing. What is gathered for a
// layer at a time, and buckets for sending, are left out, as in the paper. Activations, input and buffers are
// each rank's own.
struct Shares {
  int64_t parameters_bytes = 0;
  int64_t gradients_bytes = 0;
  int64_t optimizer_bytes = 0;
  int64_t total_bytes() const { return parameters_bytes + gradients_bytes + optimizer_bytes; }
};
// `ranks` ≥ 1, `stage` 0 to 3.
Shares SharesUnderZero(const Estimate& estimate, int stage, int64_t ranks);

}  // namespace tidemark::textbook
