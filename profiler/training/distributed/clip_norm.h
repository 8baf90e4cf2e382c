// torch.nn.utils.clip_grad_norm_ of gradients that lie on several ranks, a part of them on each. One thread.
// What fails, because another rank is gone, for one, is an exception of LibTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "profiler/training/distributed/rank_group.h"

namespace tidemark::training {

// Scales the gradients of this rank's `parameters` so that those of all ranks have a norm of at most `most`;
// gives the norm that they had. `elsewhere`: one of them that another rank has, too, and counts; undefined if
// there is none.
double ClipNormOfAll(const RankGroup& group, const std::vector<at::Tensor>& parameters,
                     const at::Tensor& elsewhere, double most);

}  // namespace tidemark::training
