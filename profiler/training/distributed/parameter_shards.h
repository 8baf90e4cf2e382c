// ZeRO's first stage, as torch.distributed.optim.ZeroRedundancyOptimizer does it (2.11): each tensor of
// parameters belongs to one rank, whose optimizer alone has state for it and updates it; then it goes to all.
// Gradients are every rank's, from the reducer. One thread. What fails, because another rank is gone, for
// one, is an exception of LibTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "profiler/training/distributed/rank_group.h"

namespace tidemark::training {

class ParameterShards {
 public:
  // `owners`: a rank for each parameter. `group` outlives this.
  ParameterShards(const RankGroup& group, std::vector<at::Tensor> parameters, std::vector<int> owners);

  std::vector<at::Tensor> own() const;
  // After a step: all get what the owners made of theirs.
  void Share() const;

 private:
  const RankGroup& group_;
  std::vector<at::Tensor> parameters_;
  std::vector<int> owners_;
};

}  // namespace tidemark::training
