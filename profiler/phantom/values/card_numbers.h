// The random numbers that a card draws: those of PyTorch's own kernels, number by number, since what a
// program draws may decide sizes (a mask of torch.rand(n) > 0.5, a random order). A generator's state, the
// card's multiprocessors and the number of elements determine them.
//
// Sources: ATen/native/cuda/DistributionTemplates.h, Randperm.cuh and Randperm.cu, CUDAApplyUtils.cuh (each
// thread draws from a Philox4x32-10 sequence of its own, and takes the elements that lie a grid apart);
// cuRAND's curand_uniform.h and curand_normal.h. Whole numbers, conditions and even distributions are exact;
// normal and exponential ones may differ in the last digits, since a card takes fast logarithms and sines.
// Pure functions but for the card's properties, which are asked of PyTorch; any thread; O(elements), some
// 20 ns each.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "profiler/phantom/values/computed_operators.h"

namespace tidemark::phantom {

struct GeneratorState {
  uint64_t seed = 0;
  uint64_t offset = 0;  // of each thread's sequence, in numbers of 32 bits
};

// Whether DrawAsOnCard has operators of that name.
bool DrawsAsOnCard(std::string_view name);

// What `op` leaves on `card`, of its arguments, in `result`, which is on the CPU and has the shape and
// strides of the card's. False for what is written down nowhere here.
bool DrawAsOnCard(const ComputedOperator& op, const torch::jit::Stack& arguments, const GeneratorState& state,
                  at::Device card, at::Tensor& result);

}  // namespace tidemark::phantom
