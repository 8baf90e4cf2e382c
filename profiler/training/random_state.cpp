#include "profiler/training/random_state.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <mutex>

namespace tidemark::training {
namespace {

at::CPUGeneratorImpl* CpuGenerator() {
  return at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
}

at::CUDAGeneratorImpl* CudaGenerator(c10::Device device) {
  return at::check_generator<at::CUDAGeneratorImpl>(at::globalContext().defaultGenerator(device));
}

}  // namespace

RandomState RandomState::Current(c10::Device device) {
  RandomState state(device);
  auto* const cpu = CpuGenerator();
  {
    const std::lock_guard lock(cpu->mutex_);
    state.engine_ = cpu->engine();
    state.next_float_ = cpu->next_float_normal_sample();
    state.next_double_ = cpu->next_double_normal_sample();
  }
  if (!device.is_cuda()) return state;
  auto* const cuda = CudaGenerator(device);
  const std::lock_guard lock(cuda->mutex_);
  state.cuda_seed_ = cuda->current_seed();
  state.cuda_offset_ = cuda->philox_offset_per_thread();
  return state;
}

void RandomState::Restore() const {
  auto* const cpu = CpuGenerator();
  {
    const std::lock_guard lock(cpu->mutex_);
    cpu->set_engine(engine_);
    cpu->set_next_float_normal_sample(next_float_);
    cpu->set_next_double_normal_sample(next_double_);
  }
  if (!device_.is_cuda()) return;
  auto* const cuda = CudaGenerator(device_);
  const std::lock_guard lock(cuda->mutex_);
  cuda->set_current_seed(cuda_seed_);
  cuda->set_philox_offset_per_thread(cuda_offset_);
}

}  // namespace tidemark::training
