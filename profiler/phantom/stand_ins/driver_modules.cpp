// The CUDA driver's modules, kernels that were compiled at run time (by NVRTC, by Triton), and their
// launches.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <optional>
#include <string_view>

#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/device_attributes.h"

using namespace tidemark::phantom;
using device::Device;
using device::TheDevice;

// The driver declares these and leaves what they are to itself.
struct CUfunc_st {};
struct CUmod_st {
  CUfunc_st function;  // all of them: what one differs in, no one asks
};

namespace {

CUresult Load(CUmodule* module) {
  if (TheDevice() == nullptr) return CUDA_ERROR_NO_DEVICE;
  *module = new CUmod_st;
  return CUDA_SUCCESS;
}

// PyTorch compiles some kernels of its own operators as they are needed, of which it is known where they
// write (profiler/phantom/values); all others (Triton's, a program's) come from elsewhere.
bool IsPyTorchs(const void* caller) {
  thread_local const void* last = nullptr;
  thread_local bool is_pytorchs = false;
  if (caller == last) return is_pytorchs;
  Dl_info from = {};
  last = caller;
  is_pytorchs = dladdr(caller, &from) != 0 && from.dli_fname != nullptr &&
                std::string_view(from.dli_fname).ends_with("/libtorch_cuda.so");
  return is_pytorchs;
}

CUresult Launch(CUstream stream, const void* caller) {
  if (TheDevice() == nullptr) return CUDA_ERROR_NO_DEVICE;
  device::Submit(stream, [is_pytorchs = IsPyTorchs(caller)] {
    is_pytorchs ? device::NoteKernel(nullptr, nullptr) : device::NoteCompiledKernel();
    device::KernelRan();
  });
  return CUDA_SUCCESS;
}

std::optional<int> AttributeOfKernel(const Card& card, CUfunction_attribute attribute) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return kThreadsPerBlock;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return kRegistersPerThread;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return static_cast<int>(card.shared_bytes_per_block);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return card.compute_capability;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:  // it never spills registers
      return 0;
    default:
      return {};
  }
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return access(file, R_OK) == 0 ? Load(module) : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult cuModuleLoadData(CUmodule* module, const void*) { return Load(module); }

CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned int, CUjit_option*, void**) {
  return Load(module);
}

CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char*) {
  *function = &module->function;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  if (TheDevice() == nullptr) return CUDA_ERROR_NO_DEVICE;
  const std::optional<int> known = AttributeOfKernel(TheDevice()->card, attribute);
  if (!known) device::Refuse("cuFuncGetAttribute", {static_cast<uint64_t>(attribute)});
  *value = *known;
  return CUDA_SUCCESS;
}

// They allow a kernel more shared memory, or prefer a division of the cache; kernels do not run.
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads,
                                                     size_t shared_bytes) {
  if (TheDevice() == nullptr) return CUDA_ERROR_NO_DEVICE;
  const std::optional<int> count = BlocksPerMultiprocessor(TheDevice()->card, threads, shared_bytes);
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *blocks = *count;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                        unsigned int, unsigned int, CUstream stream, void**, void**) {
  return Launch(stream, __builtin_return_address(0));
}

CUresult cuLaunchCooperativeKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int,
                                   unsigned int, unsigned int, unsigned int, CUstream stream, void**) {
  return Launch(stream, __builtin_return_address(0));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* configuration, CUfunction, void**, void**) {
  return Launch(configuration->hStream, __builtin_return_address(0));
}

// How kernels that were compiled for Hopper find their tiles in memory: read by the card alone.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void*,
                                const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  constexpr cuuint32_t kMostDimensions = 5;
  if (map == nullptr || rank == 0 || rank > kMostDimensions) return CUDA_ERROR_INVALID_VALUE;
  *map = {};
  return CUDA_SUCCESS;
}

}  // extern "C"
