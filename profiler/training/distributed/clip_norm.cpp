#include "profiler/training/distributed/clip_norm.h"

#include <ATen/Functions.h>

namespace tidemark::training {

// What pads a shard is 0.
double ClipNormOfAll(const RankGroup& group, const std::vector<at::Tensor>& parameters,
                     const at::Tensor& elsewhere, double most) {
  constexpr double kTiny = 1e-6;
  at::Tensor squares = at::zeros({}, parameters.front().options().dtype(at::kFloat).requires_grad(false));
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined() && !parameter.is_same(elsewhere))
      squares += at::linalg_vector_norm(parameter.grad(), 2, {}, false, at::kFloat).square();
  }
  group.Sum(squares);
  const double norm = squares.sqrt().item<float>();
  const double scale = most / (norm + kTiny);
  for (const at::Tensor& parameter : parameters) {
    if (scale < 1 && parameter.grad().defined()) parameter.grad().mul_(scale);
  }
  return norm;
}

}  // namespace tidemark::training
