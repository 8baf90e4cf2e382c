// Loss scaling for float16, the algorithm and the allocations of torch.amp.GradScaler (PyTorch 2.11,
// torch/amp/grad_scaler.py): the loss is multiplied by a scale so that small gradients do not vanish in half
// precision; gradients are divided by it again; a step whose gradients overflowed is skipped and halves the
// scale, and 2,000 good steps in a row double it. A static scale is never changed; its steps are skipped,
// too. One thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/networks/training_settings.h"
#include "profiler/training/distributed/rank_group.h"

namespace tidemark::training {

class GradientScaler {
 public:
  explicit GradientScaler(const networks::LossScaling& scaling) : scaling_(scaling) {}
  const networks::LossScaling& scaling() const { return scaling_; }
  // Where the loss is another rank's; Scale does so by itself.
  void Prepare(c10::Device device);
  // loss × scale.
  at::Tensor Scale(const at::Tensor& loss);
  // Divides the gradients by the scale and notes whether one of them is infinite or not a number.
  void Unscale(const std::vector<at::Tensor>& parameters);
  // After Unscale, where each rank has gradients of its own: what one of them found counts for all.
  void ShareWith(const RankGroup& ranks) { ranks.Sum(found_infinity_); }
  // After Unscale, of those gradients alone; waits for the device.
  bool FoundInfinity() const;
  // At the end of a step, however many optimizers' gradients were unscaled in it: adapts a dynamic scale to
  // whether any was infinite.
  void Update();
  // Waits for the device.
  double scale() const;

 private:
  networks::LossScaling scaling_;
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_infinity_;
  at::Tensor found_earlier_;  // in this step, of other gradients
  std::unique_ptr<capture::KeptTag> scale_tag_;
  std::unique_ptr<capture::KeptTag> growth_tag_;
};

}  // namespace tidemark::training
