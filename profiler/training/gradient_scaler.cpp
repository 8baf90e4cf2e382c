#include "profiler/training/gradient_scaler.h"

#include <ATen/Functions.h>

#include "profiler/capture/stream/event_stream.h"

namespace tidemark::training {
namespace {

// torch.amp.GradScaler's defaults.
constexpr double kGrowthFactor = 2.0;
constexpr double kBackoffFactor = 0.5;
constexpr int64_t kGrowthInterval = 2000;

}  // namespace

void GradientScaler::Prepare(c10::Device device) {
  if (scale_.defined()) return;
  scale_ = at::full({}, scaling_.scale, at::dtype(at::kFloat).device(device));
  // It lives as long as the optimizer's state and decides about its steps.
  const auto category = events::Category::kOptimizerState;
  scale_tag_ = std::make_unique<capture::KeptTag>(scale_, category, capture::Intern("loss scale"));
  if (!scaling_.dynamic) return;
  growth_tracker_ = at::full({}, 0, at::dtype(at::kInt).device(device));
  growth_tag_ =
      std::make_unique<capture::KeptTag>(growth_tracker_, category, capture::Intern("loss scale growth"));
}

at::Tensor GradientScaler::Scale(const at::Tensor& loss) {
  Prepare(loss.device());
  return loss.mul(scale_);
}

void GradientScaler::Unscale(const std::vector<at::Tensor>& parameters) {
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  if (found_infinity_.defined()) {
    found_earlier_ = found_earlier_.defined() ? found_earlier_ + found_infinity_ : found_infinity_;
  }
  found_infinity_ = at::full({}, 0.0, at::dtype(at::kFloat).device(scale_.device()));
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_infinity_, inverse);
}

bool GradientScaler::FoundInfinity() const { return found_infinity_.item<float>() != 0; }

void GradientScaler::Update() {
  if (found_earlier_.defined()) found_infinity_ = found_infinity_ + found_earlier_;
  if (scaling_.dynamic) {
    at::_amp_update_scale_(scale_, growth_tracker_, found_infinity_, kGrowthFactor, kBackoffFactor,
                           kGrowthInterval);
  }
  found_infinity_.reset();
  found_earlier_.reset();
}

double GradientScaler::scale() const { return scale_.item<float>(); }

}  // namespace tidemark::training
