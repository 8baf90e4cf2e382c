// ZeRO's second and third stage (Rajbhandari, Rasley, Ruwase and He, arXiv 1910.02054, 2020), layer by layer
// as torch.distributed.fsdp does it (2.11, _flat_param.py; its SHARD_GRAD_OP and FULL_SHARD): a layer's
// parameters lie one after another in one flat tensor, padded to a multiple of the ranks, of which each rank
// updates an N-th. As soon as a layer's gradients are complete they are reduce-scattered, and a rank keeps
// those of its N-th only. In the second stage all ranks keep all parameters, and all-gather them after each
// update; in the third a rank keeps its N-th only, and a layer is gathered before it runs, and again before
// its backward, and released after.
//
// One thread; LibTorch's backward thread takes part, while the first waits. What fails, because another rank
// is gone, for one, is an exception of LibTorch. Elements.
#pragma once

#include <ATen/core/Tensor.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/training/distributed/rank_group.h"

namespace tidemark::training {

class ShardedLayers {
 public:
  // `group` outlives this. `parameters_too`: the third stage.
  ShardedLayers(const RankGroup& group, bool parameters_too);
  ~ShardedLayers();
  ShardedLayers(const ShardedLayers&) = delete;
  ShardedLayers& operator=(const ShardedLayers&) = delete;

  // Takes a layer's parameters over, with rank 0's values, and gives them their memory from here on.
  void Add(const std::string& layer, const std::vector<at::Tensor>& parameters);

  // Once parameters have their tags, which name what the shards are.
  void TagMemory();

  // Runs what needs a layer's parameters; a layer that was not added has none.
  at::Tensor Run(const std::string& layer, const std::function<at::Tensor()>& run);
  // After each backward: nothing stays gathered.
  void EndBackward();
  // After a step of the optimizer.
  void ShareUpdates();

  // What this rank updates: of each layer its N-th, flat, with a gradient after backward.
  const std::vector<at::Tensor>& shards() const { return shards_; }
  const std::deque<capture::ParameterTag>& tags() const { return tags_; }  // of the shards

 private:
  class Unit;
  Unit* Find(const std::string& layer);

  const RankGroup& group_;
  const bool parameters_too_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<at::Tensor> shards_;  // as units_
  std::deque<capture::ParameterTag> tags_;
};

}  // namespace tidemark::training
