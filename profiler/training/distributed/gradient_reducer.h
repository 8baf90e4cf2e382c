// What makes ranks train one model: after each backward every rank has the mean of all ranks' gradients. The
// work is done by the C++ core of PyTorch's DistributedDataParallel, c10d::Reducer, driven as
// torch/nn/parallel/distributed.py (2.11) drives it: gradients are copied into buckets, which are sent while
// backward goes on and copied back. (What it does besides, to send batch norm's statistics before each
// forward, is not done: every rank keeps its own.) Buckets are made once for all parameters, and anew before
// the second reduction, in the order in which gradients came: the first of at least 1 MiB, the others of at
// least 25 MiB (reducer.hpp, kDefaultFirstBucketBytes and kDefaultBucketBytesCap). Their memory is tagged as
// communication. One thread; LibTorch's backward thread takes part.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "profiler/training/distributed/rank_group.h"

namespace tidemark::training {

class GradientReducer {
 public:
  // All ranks have the same values of the parameters. `group` outlives this.
  GradientReducer(const RankGroup& group, const std::vector<at::Tensor>& parameters);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  // Around the forward pass of the micro-batch whose backward is to reduce: the last one of a step.
  void BeginForward();
  void EndForward();

 private:
  class Core;
  const RankGroup& group_;
  std::unique_ptr<Core> core_;
};

}  // namespace tidemark::training
