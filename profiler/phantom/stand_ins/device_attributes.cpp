#include "profiler/phantom/stand_ins/device_attributes.h"

#include <cuda.h>
#include <driver_types.h>

#include <algorithm>
#include <cmath>

namespace tidemark::phantom {
namespace {

// Data move on each edge of the clock: over stacks of 1024 bits (HBM), or over far fewer channels of 64
// (GDDR).
int MemoryBusBits(const Card& card) {
  constexpr double kBitsPerByte = 8;
  constexpr double kEdges = 2;
  constexpr double kHzPerKhz = 1000;
  const double bits =
      card.memory_bytes_per_second * kBitsPerByte / (kEdges * kHzPerKhz * card.memory_clock_khz);
  const int unit = bits > 2048 ? 1024 : 64;
  return static_cast<int>(std::lround(bits / unit)) * unit;
}

std::optional<int> SizeOf(const Card& card, int attribute) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      return card.compute_capability / 10;
    case cudaDevAttrComputeCapabilityMinor:
      return card.compute_capability % 10;
    case cudaDevAttrMultiProcessorCount:
      return card.multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return card.threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return card.blocks_per_multiprocessor;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(card.shared_bytes_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(card.shared_bytes_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(card.shared_bytes_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return ReservedSharedBytes(card);
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(card.l2_bytes);
    case cudaDevAttrClockRate:
      return card.clock_khz;
    case cudaDevAttrMemoryClockRate:
      return card.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return MemoryBusBits(card);
    default:
      return {};
  }
}

// The same on all cards.
std::optional<int> LimitOf(int attribute) {
  switch (attribute) {
    case cudaDevAttrWarpSize:
      return kWarpThreads;
    case cudaDevAttrMaxThreadsPerBlock:
      return kThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return kBlockSize[0];
    case cudaDevAttrMaxBlockDimY:
      return kBlockSize[1];
    case cudaDevAttrMaxBlockDimZ:
      return kBlockSize[2];
    case cudaDevAttrMaxGridDimX:
      return kGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return kGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return kGridSize[2];
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return kRegisters;
    case cudaDevAttrTotalConstantMemory:
      return kConstantBytes;
    case cudaDevAttrTextureAlignment:
      return kTextureAlignment;
    case cudaDevAttrTexturePitchAlignment:
      return kTexturePitchAlignment;
    case cudaDevAttrMaxPitch:
      return kPitchBytes;
    default:
      return {};
  }
}

std::optional<int> AbilityOf(const Card& card, int attribute) {
  switch (attribute) {
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrManagedMemory:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      return 1;
    case cudaDevAttrClusterLaunch:
      return card.compute_capability >= 90 ? 1 : 0;
    // NVSwitch's: HGX boards have it, of Hopper's and Blackwell's cards for data centres (9.0 to 10.3).
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
      return card.compute_capability >= 90 && card.compute_capability < 110 ? 1 : 0;
    // What the phantom has none of: peers, managed memory that moves, other devices on the bus.
    case cudaDevAttrIntegrated:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrComputeMode:
    case cudaDevAttrGPUDirectRDMASupported:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
      return 0;
    default:
      return {};
  }
}

}  // namespace

std::optional<int> AttributeOf(const Card& card, int attribute, int number) {
  if (attribute == cudaDevAttrPciBusId) return number;
  if (const std::optional<int> size = SizeOf(card, attribute)) return size;
  if (const std::optional<int> limit = LimitOf(attribute)) return limit;
  return AbilityOf(card, attribute);
}

std::optional<int> BlocksPerMultiprocessor(const Card& card, int threads, size_t shared_bytes) {
  if (threads <= 0 || threads > kThreadsPerBlock) return {};
  const int warps = (threads + kWarpThreads - 1) / kWarpThreads;
  int64_t count =
      std::min(card.blocks_per_multiprocessor, card.threads_per_multiprocessor / kWarpThreads / warps);
  count = std::min<int64_t>(count, kRegisters / (kRegistersPerThread * kWarpThreads * warps));
  if (shared_bytes > 0) {
    const int64_t taken_bytes = static_cast<int64_t>(shared_bytes) + ReservedSharedBytes(card);
    count = std::min(count, card.shared_bytes_per_multiprocessor / taken_bytes);
  }
  return static_cast<int>(count);
}

}  // namespace tidemark::phantom
