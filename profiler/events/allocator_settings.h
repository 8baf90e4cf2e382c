// How PyTorch's allocator is set up: its settings, which a run's description keeps, so that its requests can
// be put to an allocator of the same ways again.
#pragma once

#include <string>
#include <vector>

namespace tidemark::events {

// Of this process: PYTORCH_ALLOC_CONF, as the variable is called since PyTorch 2.9, else
// PYTORCH_CUDA_ALLOC_CONF.
std::string AllocatorSettings();

// The changes to a child's environment (profiler/base/child_environment.h) that set it up so.
std::vector<std::string> AllocatorEnvironment(const std::string& settings);

}  // namespace tidemark::events
