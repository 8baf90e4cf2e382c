// The optimizers of optimizer.h, stepping over all parameters at once: by torch._foreach_* operators, in the
// order of Python's _multi_tensor_* functions (torch/optim, 2.11), so with the same temporaries; or by one
// fused kernel. States are those of torch::optim; a fused step counts itself in 4 B on the device for each
// tensor, but for SGD's. One thread.
#pragma once

#include <torch/optim/optimizer.h>

#include <memory>
#include <vector>

#include "profiler/networks/training_settings.h"

namespace tidemark::training {

// `implementation` is foreach or fused; there is no fused RMSprop (networks::Validate).
std::unique_ptr<torch::optim::Optimizer> MakeWholeOptimizer(networks::OptimizerKind kind,
                                                            networks::OptimizerImplementation implementation,
                                                            const std::vector<at::Tensor>& parameters,
                                                            double learning_rate, double momentum);

}  // namespace tidemark::training
