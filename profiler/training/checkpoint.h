// Activation checkpointing: a piece of the network runs without keeping what its backward needs, and runs
// again when backward asks for it. Works as torch.utils.checkpoint(use_reentrant=False) of PyTorch 2.11 does:
// the piece's backward nodes are made as usual, their saved tensors are dropped, and the first one that
// backward unpacks makes all of them again, from the piece's kept inputs, with the random and autocast state
// of the first time; the second run stops at the last tensor that is needed. So gradients flow and accumulate
// as without checkpointing, bit for bit, even for a piece whose inputs need no gradient. Backward runs once
// (no retain_graph).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace tidemark::training {

using Piece = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

// Runs `piece` on `inputs`; `piece` must stay callable until backward is over, and may only depend on its
// arguments, the parameters, and the random and autocast state.
std::vector<at::Tensor> RunCheckpointed(Piece piece, const std::vector<at::Tensor>& inputs);

}  // namespace tidemark::training
