// libcuda.so.1 for the process that asks cuDNN without a GPU: without a driver that can be loaded, the
// engines that cuDNN compiles at run time are silently missing from its answers (a half-precision depthwise
// gradient then takes 55.5 MB instead of 0). Nothing runs here: a kernel is a number. Export tables are
// refused, so that the CUDA runtime inside of cuDNN stays as it is, which planning does not need.
//
// The values are those of the driver's interface (cuda.h). cuDNN drops an engine when one name that it may
// need later is missing, so that what only running a kernel takes is there too, and refuses. The list is what
// cuDNN 9.8 to 9.26 look for; the oracle notices when another one looks for more (complaints.h).
#include <atomic>
#include <cstdint>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotFound = 500;         // CUDA_ERROR_NOT_FOUND
constexpr int kNotSupported = 801;     // CUDA_ERROR_NOT_SUPPORTED
constexpr int kDriverVersion = 13000;  // of CUDA 13.0, the newest that a cuDNN here is built for

void* NextHandle() {
  static std::atomic<uintptr_t> next{0x1000};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle is any address that is not null
  return reinterpret_cast<void*>(next += 16);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the driver's names
#define TIDEMARK_DRIVER extern "C" __attribute__((visibility("default"))) int

TIDEMARK_DRIVER cuInit(unsigned) { return kSuccess; }
TIDEMARK_DRIVER cuDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return kSuccess;
}
TIDEMARK_DRIVER cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
TIDEMARK_DRIVER cuDeviceGet(int* device, int number) {
  *device = number;
  return kSuccess;
}
TIDEMARK_DRIVER cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return kNotFound;
}
TIDEMARK_DRIVER cuGetErrorString(int, const char** text) {
  *text = "there is no GPU";
  return kSuccess;
}
TIDEMARK_DRIVER cuGetErrorName(int, const char** name) {
  *name = "CUDA_ERROR_NO_DEVICE";
  return kSuccess;
}

// Code: the present interface, and the one before it that engines of older architectures use.
TIDEMARK_DRIVER cuLibraryLoadData(void** library, const void*, void*, void**, unsigned, void*, void**,
                                  unsigned) {
  *library = NextHandle();
  return kSuccess;
}
TIDEMARK_DRIVER cuLibraryUnload(void*) { return kSuccess; }
TIDEMARK_DRIVER cuLibraryGetKernel(void** kernel, void*, const char*) {
  *kernel = NextHandle();
  return kSuccess;
}
TIDEMARK_DRIVER cuKernelGetFunction(void** function, void*) {
  *function = NextHandle();
  return kSuccess;
}
TIDEMARK_DRIVER cuModuleLoadData(void** module, const void*) {
  *module = NextHandle();
  return kSuccess;
}
TIDEMARK_DRIVER cuModuleGetFunction(void** function, void*, const char*) {
  *function = NextHandle();
  return kSuccess;
}
TIDEMARK_DRIVER cuModuleUnload(void*) { return kSuccess; }

// What loads, links and starts kernels, which nobody asks for here.
#define TIDEMARK_REFUSED(name) \
  TIDEMARK_DRIVER name(...) { return kNotSupported; }
TIDEMARK_REFUSED(cuCtxGetCurrent)
TIDEMARK_REFUSED(cuCtxGetLimit)
TIDEMARK_REFUSED(cuCtxPopCurrent)
TIDEMARK_REFUSED(cuCtxPushCurrent)
TIDEMARK_REFUSED(cuDeviceGetAttribute)
TIDEMARK_REFUSED(cuFuncGetName)
TIDEMARK_REFUSED(cuFuncSetAttribute)
TIDEMARK_REFUSED(cuGraphAddDependencies)
TIDEMARK_REFUSED(cuGraphAddDependencies_v2)
TIDEMARK_REFUSED(cuGraphAddKernelNode_v2)
TIDEMARK_REFUSED(cuGraphKernelNodeGetParams)
TIDEMARK_REFUSED(cuGraphKernelNodeSetAttribute)
TIDEMARK_REFUSED(cuGraphKernelNodeSetParams_v2)
TIDEMARK_REFUSED(cuGraphNodeGetDependentNodes)
TIDEMARK_REFUSED(cuGraphNodeGetDependentNodes_v2)
TIDEMARK_REFUSED(cuKernelGetAttribute)
TIDEMARK_REFUSED(cuKernelSetAttribute)
TIDEMARK_REFUSED(cuLaunchCooperativeKernel)
TIDEMARK_REFUSED(cuLaunchKernel)
TIDEMARK_REFUSED(cuLaunchKernelEx)
TIDEMARK_REFUSED(cuLibraryLoadFromFile)
TIDEMARK_REFUSED(cuLinkAddData)
TIDEMARK_REFUSED(cuLinkComplete)
TIDEMARK_REFUSED(cuLinkCreate)
TIDEMARK_REFUSED(cuLinkDestroy)
TIDEMARK_REFUSED(cuOccupancyAvailableDynamicSMemPerBlock)
TIDEMARK_REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor)
TIDEMARK_REFUSED(cuOccupancyMaxActiveClusters)
TIDEMARK_REFUSED(cuOccupancyMaxPotentialClusterSize)
TIDEMARK_REFUSED(cuStreamGetCtx)
// NOLINTEND(readability-identifier-naming)
