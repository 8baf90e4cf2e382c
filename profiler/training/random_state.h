// The state of the random generators that operators on a device draw from. Plain numbers: taking it makes no
// tensor.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace tidemark::training {

class RandomState {
 public:
  static RandomState Current(c10::Device device);
  void Restore() const;

 private:
  explicit RandomState(c10::Device device) : device_(device) {}

  c10::Device device_;
  at::mt19937 engine_;
  std::optional<float> next_float_;
  std::optional<double> next_double_;
  uint64_t cuda_seed_ = 0;
  uint64_t cuda_offset_ = 0;
};

}  // namespace tidemark::training
