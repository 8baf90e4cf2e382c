// How PyTorch's allocator is set up: its settings, which a run's description keeps, so that its requests can
// be put to an allocator of the same ways again.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::events {

// What of them decides how large a block becomes.
struct AllocatorRules {
  int64_t max_split_bytes = -1;  // -1: no limit
  std::array<int64_t, 16>
      roundup_power2_divisions{};  // by power of two from 1 MiB; 0 = multiples of 512 bytes
};
// As PyTorch 2.11 reads them (c10/core/AllocatorConfig.cpp); what it would refuse is passed over.
AllocatorRules RulesOf(std::string_view settings);

// Whether they put cudaMallocAsync in the place of PyTorch's own allocator: it has no segments, and what it
// keeps for later is in a memory pool of the driver's.
bool IsAsyncAllocator(std::string_view settings);
// What to tell who asks then what a run reserves, or would on another card.
inline constexpr const char* kPoolIsTheDrivers =
    "With backend:cudaMallocAsync what is kept beside blocks is the driver's affair, and what a card needs "
    "for it is not known. Leave it out of PYTORCH_CUDA_ALLOC_CONF to ask of PyTorch's own allocator.";

// Of this process: PYTORCH_ALLOC_CONF, as the variable is called since PyTorch 2.9, else
// PYTORCH_CUDA_ALLOC_CONF.
std::string AllocatorSettings();

// The changes to a child's environment (profiler/base/child_environment.h) that set it up so.
std::vector<std::string> AllocatorEnvironment(const std::string& settings);

}  // namespace tidemark::events
