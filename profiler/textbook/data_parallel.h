// What training on several ranks adds to a step's memory and takes from it, of each rank. Pure functions.
// Bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {

// The buckets in which DistributedDataParallel's reducer sends the gradients, in the order in which they are
// sent: a tensor after another, from the last layer to the first, until a bucket has 1 MiB (the first) or 25
// MiB (the others): torch/csrc/distributed/c10d/reducer.hpp (2.11), kDefaultFirstBucketBytes and
// kDefaultBucketBytesCap, filled by compute_bucket_assignment_by_size. Together they are as large as the
// gradients. None for one rank alone, and where nothing is trained. O(layers).
std::vector<int64_t> GradientBuckets(const networks::Network& network,
                                     const networks::TrainingSettings& settings);

// Which rank updates which tensor where the optimizer's state is shared: the largest first, each to the rank
// that has least so far (ZeroRedundancyOptimizer._partition_parameters, torch 2.11). O(tensors · (log tensors
// + ranks)).
std::vector<int> OwnersOf(const std::vector<int64_t>& tensor_sizes, int ranks);

// The parameters, in elements, that rank 0 updates: it has the largest tensor. All, where nothing is shared.
int64_t ParametersOfRank0(const networks::Network& network, const networks::TrainingSettings& settings);

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
