// Whatever a modelled function answers, it sets: each is called with its outputs full of one pattern, then of
// another, and no byte of them may keep both. What it does not answer with, it leaves alone.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom/child.h"
#include "tests/unit/phantom/classes.h"

namespace tidemark::phantom {
namespace {

[[maybe_unused]] const int kCardOfGetters =
    setenv(kCardVariable, (AssetsFolder() / "cards" / "h200.json").c_str(), 1);

constexpr size_t kMostArguments = 21;
using AnyArguments = uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                  uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                  uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
using Arguments = std::array<uint64_t, kMostArguments>;

uint64_t CallWith(const std::string& name, const Arguments& a) {
  auto* function = reinterpret_cast<AnyArguments>(AddressOf(name));
  if (function == nullptr) {
    std::printf("%s is not there. ", name.c_str());
    return 1;
  }
  return function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
                  a[14], a[15], a[16], a[17], a[18], a[19], a[20]);
}

// Zeros, for what is only read or of which nothing is asked.
uint64_t Room() {
  static std::array<char, 4096> room{};
  return reinterpret_cast<uint64_t>(room.data());
}

uint64_t Made(const std::string& creator, const Arguments& further = {}) {
  uint64_t object = 0;
  Arguments arguments = further;
  std::copy_backward(further.begin(), further.end() - 1, arguments.end());
  arguments[0] = reinterpret_cast<uint64_t>(&object);
  if (CallWith(creator, arguments) != 0) std::printf("%s failed. ", creator.c_str());
  return object;
}

uint64_t MadeEvent() {
  const uint64_t event = Made("cudaEventCreate");
  CallWith("cudaEventRecord", {event});
  return event;
}

uint64_t MadeCapturing() {
  const uint64_t stream = Made("cudaStreamCreate");
  CallWith("cudaStreamBeginCapture", {stream});
  return stream;
}

uint64_t MadeGraph() {
  uint64_t graph = 0;
  CallWith("cudaStreamEndCapture", {MadeCapturing(), reinterpret_cast<uint64_t>(&graph)});
  return graph;
}

uint64_t MadeTensor() {
  const uint64_t tensor = Made("cudnnCreateTensorDescriptor");
  static constexpr std::array<int, 4> kSizes = {8, 4, 2, 1};
  const auto sizes = reinterpret_cast<uint64_t>(kSizes.data());
  CallWith("cudnnSetTensorNdDescriptor", {tensor, 0, 4, sizes, sizes});
  return tensor;
}

uint64_t MadeRnn() {
  const uint64_t rnn = Made("cudnnCreateRNNDescriptor");
  constexpr uint64_t kLstm = 2;
  CallWith("cudnnSetRNNDescriptor_v8", {rnn, 0, kLstm, 2, 0, 0, 0, 0, 0, 16, 16, 16, 1});
  return rnn;
}

constexpr uint64_t kInt64 = 3;  // CUDNN_TYPE_INT64
uint64_t MadeBackendDescriptor() {
  uint64_t descriptor = 0;
  CallWith("cudnnBackendCreateDescriptor", {0, reinterpret_cast<uint64_t>(&descriptor)});
  CallWith("cudnnBackendSetAttribute", {descriptor, 7, kInt64, 1, Room()});
  return descriptor;
}

uint64_t MadeProgram() {
  const uint64_t program = Made("nvrtcCreateProgram");
  CallWith("nvrtcAddNameExpression", {program, Room()});
  return program;
}

uint64_t MadeExternalId() {
  constexpr uint64_t kKind = 3;  // CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
  CallWith("cuptiActivityPushExternalCorrelationId", {kKind, 7});
  return kKind;
}

// There is one subscriber at a time.
uint64_t MadeUnsubscribed() { return CallWith("cuptiFinalize", {}); }
uint64_t MadeSubscriber() {
  MadeUnsubscribed();
  return Made("cuptiSubscribe", {Room()});
}

// This process has a context there.
uint64_t MadeGpu() {
  uint64_t gpu = 0;
  CallWith("cudaFree", {0});
  CallWith("nvmlDeviceGetHandleByIndex_v2", {0, reinterpret_cast<uint64_t>(&gpu)});
  return gpu;
}

constexpr size_t kUuidBytes = 41;
uint64_t MadeUuid() {
  static std::array<char, kUuidBytes> uuid;
  const auto text = reinterpret_cast<uint64_t>(uuid.data());
  CallWith("nvmlDeviceGetUUID", {MadeGpu(), text, kUuidBytes});
  return text;
}

uint64_t MadePair(const std::string& creator) { return Made(creator, {1, 0}); }

struct Argument {
  template <typename Number>
  requires(std::is_integral_v<Number> || std::is_enum_v<Number>)
      // NOLINTNEXTLINE(google-explicit-constructor): rows are read more easily so
      Argument(Number its_number)
      : number(static_cast<uint64_t>(its_number)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Argument(uint64_t (*maker)()) : make(maker) {}
  explicit Argument(std::function<uint64_t()> maker) : make(std::move(maker)) {}
  uint64_t number = 0;
  std::function<uint64_t()> make;
  size_t output_bytes = 0;
  bool may_be_null = false;
  std::vector<unsigned char> asked;  // what its first bytes hold before the call
};

Argument Out(size_t bytes) {
  Argument argument(uint64_t{0});
  argument.output_bytes = bytes;
  return argument;
}
Argument OutOrNull(size_t bytes) {
  Argument argument = Out(bytes);
  argument.may_be_null = true;
  return argument;
}
// Says in its first bytes what is asked for.
template <typename Asked>
Argument InOut(size_t bytes, Asked asked) {
  Argument argument = Out(bytes);
  argument.asked.resize(sizeof asked);
  std::memcpy(argument.asked.data(), &asked, sizeof asked);
  return argument;
}
Argument Of(const char* creator) {
  return Argument(std::function<uint64_t()>([creator] { return Made(creator); }));
}
Argument Text(const char* text) { return reinterpret_cast<uint64_t>(text); }

struct Getter {
  std::string name;
  std::vector<Argument> arguments;
};

Argument Device() {
  return Argument(std::function<uint64_t()>([] { return Made("cudaMalloc", {1024}); }));
}
// A CUmemAllocationProp: pinned, no handle to share, on device 0.
Argument OnTheCard() {
  static const int properties[16] = {1, 0, 1, 0};
  return reinterpret_cast<uint64_t>(properties);
}
Argument Pinned() {
  return Argument(std::function<uint64_t()>([] { return Made("cudaHostAlloc", {1024}); }));
}
Argument Comm() {
  return Argument(std::function<uint64_t()>([] { return MadePair("ncclCommInitRank"); }));
}

// Arguments that nothing is asked of, then an output.
Getter At(const std::string& name, size_t place, size_t bytes) {
  Getter getter{name, std::vector<Argument>(place, Argument(&Room))};
  getter.arguments.push_back(Out(bytes));
  return getter;
}
// Two outputs side by side.
Getter TwoAt(const std::string& name, size_t place, size_t bytes) {
  Getter getter = At(name, place, bytes);
  getter.arguments.push_back(Out(bytes));
  return getter;
}

constexpr uint64_t kGranule = uint64_t{2} << 20;

std::vector<Getter> OfRuntime() {
  std::vector<Getter> rows = {
      {"__cudaGetKernel", {Out(8), &Room}},
      {"cudaGetDeviceCount", {Out(4)}},
      {"cudaGetDevice", {Out(4)}},
      {"cudaGetDeviceProperties", {Out(sizeof(cudaDeviceProp)), 0}},
      {"cudaDeviceGetAttribute", {Out(4), cudaDevAttrMultiProcessorCount, 0}},
      {"cudaDeviceGetStreamPriorityRange", {OutOrNull(4), OutOrNull(4)}},
      {"cudaDeviceGetPCIBusId", {Out(13), 13, 0}},
      {"cudaDeviceCanAccessPeer", {Out(4), 0, 0}},
      {"cudaDriverGetVersion", {Out(4)}},
      {"cudaRuntimeGetVersion", {Out(4)}},
      {"cudaGetDriverEntryPointByVersion", {Text("cuInit"), Out(8), 12000, 0, OutOrNull(4)}},
      {"cudaMalloc", {Out(8), 1024}},
      {"cudaMallocAsync", {Out(8), 1024, 0}},
      {"cudaHostAlloc", {Out(8), 1024, 0}},
      {"cudaMallocHost", {Out(8), 1024}},
      {"cudaMallocManaged", {Out(8), 1024, 1}},
      {"cudaHostGetDevicePointer", {Out(8), Pinned(), 0}},
      {"cudaIpcGetMemHandle", {Out(sizeof(cudaIpcMemHandle_t)), Device()}},
      {"cudaIpcGetEventHandle", {Out(sizeof(cudaIpcEventHandle_t)), &MadeEvent}},
      {"cudaMemGetInfo", {Out(8), Out(8)}},
      {"cudaPointerGetAttributes", {Out(sizeof(cudaPointerAttributes)), Device()}},
      {"cudaPointerGetAttributes", {Out(sizeof(cudaPointerAttributes)), Pinned()}},
      {"cudaPointerGetAttributes", {Out(sizeof(cudaPointerAttributes)), &Room}},
      {"cudaDeviceGetDefaultMemPool", {Out(8), 0}},
      {"cudaStreamCreate", {Out(8)}},
      {"cudaStreamCreateWithFlags", {Out(8), 0}},
      {"cudaStreamCreateWithPriority", {Out(8), 0, 0}},
      {"cudaUserObjectCreate", {Out(8), 0, 0, 1, 0}},
      {"cudaDeviceGetGraphMemAttribute", {0, 0, Out(8)}},
      {"cuLogsRegisterCallback", {0, 0, Out(8)}},
      {"cudaStreamGetPriority", {Of("cudaStreamCreate"), Out(4)}},
      {"cudaStreamIsCapturing", {Of("cudaStreamCreate"), Out(4)}},
      {"cudaStreamEndCapture", {&MadeCapturing, Out(8)}},
      {"cudaEventCreate", {Out(8)}},
      {"cudaEventCreateWithFlags", {Out(8), 0}},
      {"cudaEventElapsedTime", {Out(4), &MadeEvent, &MadeEvent}},
      {"cudaGraphInstantiateWithFlags", {Out(8), &MadeGraph, 0}},
      {"cudaGraphGetNodes", {&MadeGraph, 0, Out(8)}},
      {"cudaFuncGetAttributes", {Out(sizeof(cudaFuncAttributes)), &Room}},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", {Out(4), &Room, 32, 0}},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", {Out(4), &Room, 32, 0, 0}},
  };
  for (uint64_t (*stream)() : {&MadeCapturing, +[] { return Made("cudaStreamCreate"); }}) {
    rows.push_back({"cudaStreamGetCaptureInfo",
                    {stream, Out(4), OutOrNull(8), OutOrNull(8), OutOrNull(8), OutOrNull(8), OutOrNull(8)}});
  }
  const Argument pool(std::function<uint64_t()>([] { return Made("cudaDeviceGetDefaultMemPool"); }));
  for (uint64_t attribute = cudaMemPoolReuseFollowEventDependencies;
       attribute <= cudaMemPoolReuseAllowInternalDependencies; ++attribute) {
    rows.push_back({"cudaMemPoolGetAttribute", {pool, attribute, Out(4)}});
  }
  for (uint64_t attribute = cudaMemPoolAttrReleaseThreshold; attribute <= cudaMemPoolAttrUsedMemHigh;
       ++attribute) {
    rows.push_back({"cudaMemPoolGetAttribute", {pool, attribute, Out(8)}});
  }
  return rows;
}

std::vector<Getter> OfDriver() {
  return {
      {"cuCtxGetCurrent", {Out(8)}},
      {"cuDeviceGet", {Out(4), 0}},
      {"cuDeviceGetAttribute", {Out(4), cudaDevAttrMultiProcessorCount, 0}},
      {"cuDeviceGetCount", {Out(4)}},
      {"cuDeviceGetName", {Out(5), 5, 0}},
      {"cuDeviceGetUuid_v2", {Out(16), 0}},
      {"cuDevicePrimaryCtxGetState", {0, Out(4), Out(4)}},
      {"cuDevicePrimaryCtxRetain", {Out(8), 0}},
      {"cuDriverGetVersion", {Out(4)}},
      {"cuFuncGetAttribute", {Out(4), 0, &Room}},
      {"cuGetProcAddress_v2", {Text("cuInit"), Out(8), 12000, 0, OutOrNull(4)}},
      {"cuGetErrorName", {0, Out(8)}},
      {"cuGetErrorString", {0, Out(8)}},
      {"cuMemAddressReserve", {Out(8), kGranule, 0, 0, 0}},
      {"cuMemAlloc_v2", {Out(8), 1024}},
      {"cuMemCreate", {Out(8), kGranule, OnTheCard(), 0}},
      {"cuMemGetAllocationGranularity", {Out(8), &Room, 0}},
      {"cuMemGetInfo_v2", {Out(8), Out(8)}},
      {"cuPointerGetAttribute", {Out(8), 3, Device()}},
      {"cuModuleGetFunction", {Out(8), Of("cuModuleLoadData"), &Room}},
      {"cuModuleLoad", {Out(8), Text("/proc/self/exe")}},
      {"cuModuleLoadData", {Out(8), &Room}},
      {"cuModuleLoadDataEx", {Out(8), &Room, 0, 0, 0}},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", {Out(4), &Room, 32, 0}},
      {"cuTensorMapEncodeTiled", {Out(128), 0, 2}},
  };
}

std::vector<Getter> OfBlas() {
  std::vector<Getter> rows = {
      {"cublasCreate_v2", {Out(8)}},
      {"cublasGetMathMode", {Of("cublasCreate_v2"), Out(4)}},
      {"cublasGetPointerMode_v2", {Of("cublasCreate_v2"), Out(4)}},
      {"cublasGetMatrixAsync", {8, 1, 1, Device(), 8, Out(8), 8, 0}},
      {"cublasGetVectorAsync", {8, 1, Device(), 1, Out(8), 1, 0}},
      {"cublasLtMatmulDescCreate", {Out(8), 0, 0}},
      {"cublasLtMatrixLayoutCreate", {Out(8), 0, 1, 1, 1}},
      {"cublasLtMatmulPreferenceCreate", {Out(8)}},
      {"cublasLtMatmulAlgoGetHeuristic",
       {&Room, &Room, &Room, &Room, &Room, &Room, &Room, 1, Out(96), Out(4)}},
  };
  for (const char* type : {"S", "D", "C", "Z"}) {
    const std::string prefix = std::string("cublas") + type;
    rows.push_back(At(prefix + "geqrfBatched", 6, 4));
    rows.push_back(At(prefix + "getrsBatched", 9, 4));
    rows.push_back(At(prefix + "gelsBatched", 9, 4));
  }
  return rows;
}

std::vector<Getter> OfDnn() {
  std::vector<Getter> rows = {
      {"cudnnBackendCreateDescriptor", {0, Out(8)}},
      {"cudnnBackendGetAttribute", {&MadeBackendDescriptor, 7, kInt64, 1, OutOrNull(8), OutOrNull(8)}},
      {"cudnnGetLastErrorString", {Out(1), 1}},
      {"cudnnGetStream", {Of("cudnnCreate"), Out(8)}},
      {"cudnnGetRNNTempSpaceSizes",
       {&Room, &MadeRnn, 1, Of("cudnnCreateRNNDataDescriptor"), OutOrNull(8), OutOrNull(8)}},
      {"cudnnGetRNNWeightSpaceSize", {&Room, &MadeRnn, Out(8)}},
      {"cudnnGetRNNWeightParams",
       {&Room, &MadeRnn, 0, 0, &Room, 0, &MadeTensor, OutOrNull(8), &MadeTensor, OutOrNull(8)}},
      {"cudnnGetTensorNdDescriptor", {&MadeTensor, 4, Out(4), Out(4), Out(16), Out(16)}},
      {"cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize",
       {&Room, 1, 0, &MadeTensor, &Room, &Room, &Room, &Room, Out(8)}},
      {"cudnnGetBatchNormalizationBackwardExWorkspaceSize",
       {&Room, 1, 0, &MadeTensor, &Room, &Room, &Room, &Room, &Room, &Room, Out(8)}},
      {"cudnnGetBatchNormalizationTrainingExReserveSpaceSize", {&Room, 1, 0, &Room, &MadeTensor, Out(8)}},
      At("cudnnDropoutGetStatesSize", 1, 8),
      At("cudnnGetCTCLossWorkspaceSize", 8, 8),
      At("cudnnGetCTCLossWorkspaceSize_v8", 5, 8),
  };
  for (uint64_t property = 0; property < 3; ++property)
    rows.push_back({"cudnnGetProperty", {property, Out(4)}});
  for (const char* name : {"cudnnCreate", "cudnnCreateActivationDescriptor", "cudnnCreateCTCLossDescriptor",
                           "cudnnCreateDropoutDescriptor", "cudnnCreateFilterDescriptor",
                           "cudnnCreateRNNDataDescriptor", "cudnnCreateRNNDescriptor",
                           "cudnnCreateSpatialTransformerDescriptor", "cudnnCreateTensorDescriptor"}) {
    rows.push_back(At(name, 0, 8));
  }
  return rows;
}

std::vector<Getter> OfSolver() {
  std::vector<Getter> rows = {
      TwoAt("cusolverDnXpotrf_bufferSize", 8, 8),        TwoAt("cusolverDnXgeqrf_bufferSize", 10, 8),
      TwoAt("cusolverDnXsyevd_bufferSize", 11, 8),       TwoAt("cusolverDnXsytrs_bufferSize", 11, 8),
      TwoAt("cusolverDnXsyevBatched_bufferSize", 11, 8), TwoAt("cusolverDnXgeev_bufferSize", 17, 8),
  };
  for (const char* name : {"cusolverDnCreate", "cusolverDnCreateGesvdjInfo", "cusolverDnCreateParams",
                           "cusolverDnCreateSyevjInfo"}) {
    rows.push_back(At(name, 0, 8));
  }
  for (const char* type : {"S", "D", "C", "Z"}) {
    const bool is_real = *type == 'S' || *type == 'D';
    const auto sized = [&](const std::string& routine, size_t place) {
      rows.push_back(At(std::string("cusolverDn") + type + routine + "_bufferSize", place, 4));
    };
    for (const char* routine : {"potrf", "getrf", "geqrf"}) sized(routine, 5);
    sized("sytrf", 4);
    sized("gesvd", 3);
    sized(is_real ? "orgqr" : "ungqr", 7);
    sized(is_real ? "ormqr" : "unmqr", 11);
    sized(is_real ? "syevd" : "heevd", 7);
    sized(is_real ? "syevj" : "heevj", 7);
    sized(is_real ? "syevjBatched" : "heevjBatched", 7);
    sized("gesvdj", 12);
    sized("gesvdjBatched", 11);
    sized("gesvdaStridedBatched", 16);
    Getter residuals{std::string("cusolverDn") + type + "gesvdaStridedBatched",
                     std::vector<Argument>(19, Argument(&Room))};
    residuals.arguments.push_back(OutOrNull(8));
    residuals.arguments.emplace_back(uint64_t{1});
    rows.push_back(residuals);
  }
  return rows;
}

std::vector<Getter> OfSparse() {
  std::vector<Getter> rows = {
      At("cusparseSpMV_bufferSize", 9, 8),
      At("cusparseSpMM_bufferSize", 10, 8),
      At("cusparseSDDMM_bufferSize", 10, 8),
      At("cusparseSpSV_bufferSize", 9, 8),
      At("cusparseSpSM_bufferSize", 10, 8),
      At("cusparseSpGEMM_workEstimation", 11, 8),
      At("cusparseSpGEMM_compute", 11, 8),
      At("cusparseXcsrgeam2Nnz", 13, 4),
      At("cusparseXcoosort_bufferSizeExt", 6, 8),
      At("cusparseXcsrsort_bufferSizeExt", 6, 8),
      At("cusparseXbsrsv2_zeroPivot", 2, 4),
      At("cusparseXbsrsm2_zeroPivot", 2, 4),
      {"cusparseSpMatGetSize", {Of("cusparseCreateCsr"), Out(8), Out(8), Out(8)}},
      {"cusparseSpMatGetSize", {Of("cusparseCreateCoo"), Out(8), Out(8), Out(8)}},
  };
  for (const char* name :
       {"cusparseCreate", "cusparseCreateBsrsm2Info", "cusparseCreateBsrsv2Info", "cusparseCreateCoo",
        "cusparseCreateCsr", "cusparseCreateDnMat", "cusparseCreateDnVec", "cusparseCreateMatDescr",
        "cusparseSpGEMM_createDescr", "cusparseSpSM_createDescr", "cusparseSpSV_createDescr"}) {
    rows.push_back(At(name, 0, 8));
  }
  for (const char* type : {"S", "D", "C", "Z"}) {
    const std::string prefix = std::string("cusparse") + type;
    rows.push_back(At(prefix + "csrgeam2_bufferSizeExt", 19, 8));
    rows.push_back(At(prefix + "bsrsv2_bufferSize", 11, 4));
    rows.push_back(At(prefix + "bsrsm2_bufferSize", 13, 4));
  }
  return rows;
}

std::vector<Getter> OfCupti() {
  return {
      {"cuptiGetVersion", {Out(4)}},
      {"cuptiGetResultString", {0, Out(8)}},
      {"cuptiGetErrorMessage", {0, Out(8)}},
      {"cuptiGetTimestamp", {Out(8)}},
      {"cuptiActivityGetNextRecord", {&Room, 4096, InOut(8, uint64_t{0})}},
      {"cuptiActivityGetNumDroppedRecords", {0, 0, Out(8)}},
      {"cuptiActivityGetAttribute", {0, InOut(8, uint64_t{8}), Out(8)}},
      {"cuptiActivityPopExternalCorrelationId", {&MadeExternalId, OutOrNull(8)}},
      {"cuptiSubscribe", {Out(8), &Room, &MadeUnsubscribed}},
      {"cuptiSubscribe_v2", {Out(8), &Room, &MadeUnsubscribed, 0}},
      {"cuptiGetCallbackState", {Out(4), &MadeSubscriber, 1, 1}},
  };
}

std::vector<Getter> OfManagement() {
  constexpr uint64_t kMemoryV2 = 40U | (2U << 24);
  constexpr uint64_t kFabricV3 = 40U | (3U << 24);
  const auto text = [](const char* name, std::vector<Argument> of, size_t bytes) {
    of.push_back(Out(bytes));
    of.emplace_back(bytes);
    return Getter{name, of};
  };
  std::vector<Getter> rows = {
      text("nvmlSystemGetDriverVersion", {}, sizeof "580.95.05"),
      text("nvmlSystemGetNVMLVersion", {}, sizeof "13.580.95.05"),
      text("nvmlDeviceGetName", {&MadeGpu}, sizeof "NVIDIA H200"),
      text("nvmlDeviceGetUUID", {&MadeGpu}, kUuidBytes),
      {"nvmlSystemGetCudaDriverVersion", {Out(4)}},
      {"nvmlSystemGetCudaDriverVersion_v2", {Out(4)}},
      {"nvmlDeviceGetCount", {Out(4)}},
      {"nvmlDeviceGetCount_v2", {Out(4)}},
      {"nvmlDeviceGetHandleByIndex", {0, Out(8)}},
      {"nvmlDeviceGetHandleByIndex_v2", {0, Out(8)}},
      {"nvmlDeviceGetHandleByPciBusId_v2", {Text("00000000:00:00.0"), Out(8)}},
      {"nvmlDeviceGetHandleByUUID", {&MadeUuid, Out(8)}},
      {"nvmlDeviceGetCudaComputeCapability", {&MadeGpu, Out(4), Out(4)}},
      {"nvmlDeviceGetMemoryInfo", {&MadeGpu, Out(24)}},
      {"nvmlDeviceGetP2PStatus", {&MadeGpu, &MadeGpu, 0, Out(4)}},
      {"nvmlDeviceGetNvLinkState", {&MadeGpu, 17, Out(4)}},
      {"nvmlDeviceGetNvLinkCapability", {&MadeGpu, 0, 0, Out(4)}},
      {"nvmlDeviceGetNvLinkRemoteDeviceType", {&MadeGpu, 0, Out(4)}},
      {"nvmlDeviceGetMemoryInfo_v2", {&MadeGpu, InOut(40, uint32_t{kMemoryV2})}},
      {"nvmlDeviceGetGpuFabricInfoV", {&MadeGpu, InOut(40, uint32_t{kFabricV3})}},
      {"nvmlDeviceGetComputeRunningProcesses", {&MadeGpu, InOut(4, uint32_t{1}), Out(16)}},
      {"nvmlDeviceGetComputeRunningProcesses_v2", {&MadeGpu, InOut(4, uint32_t{1}), Out(24)}},
      {"nvmlDeviceGetComputeRunningProcesses_v3", {&MadeGpu, InOut(4, uint32_t{1}), Out(24)}},
      {"nvmlDeviceGetGraphicsRunningProcesses_v3", {&MadeGpu, InOut(4, uint32_t{1}), 0}},
      {"nvmlDeviceGetUtilizationRates", {&MadeGpu, Out(8)}},
  };
  for (const char* name : {"nvmlDeviceGetIndex", "nvmlDeviceGetMinorNumber"}) {
    rows.push_back({name, {&MadeGpu, Out(4)}});
  }
  return rows;
}

std::vector<Getter> OfOthers() {
  return {
      {"cusparseLtStructuredDescriptorInit", {&Room, Out(12), 8, 8, 8, 16, 2, 1, 0}},
      {"cusparseLtSpMMACompressedSize2", {&Room, &Room, Out(8), Out(8)}},
      {"cusparseLtMatmulGetWorkspace", {&Room, &Room, Out(8)}},
      {"cusparseLtMatmulAlgGetAttribute", {&Room, &Room, 1, Out(4), 4}},
      {"cufftCreate", {Out(4)}},
      At("cufftXtMakePlanMany", 12, 8),
      {"ncclGetVersion", {Out(4)}},
      {"ncclGetUniqueId", {Out(128)}},
      {"ncclCommInitRank", {Out(8), 1, 0}},
      {"ncclCommInitRankConfig", {Out(8), 1, 0, 0}},
      {"ncclCommInitRankScalable", {Out(8), 1, 0, 1, &Room, 0}},
      {"ncclCommInitAll", {Out(16), 2, 0}},
      {"ncclCommSplit", {Comm(), 0, 0, Out(8), 0}},
      {"ncclCommShrink", {Comm(), &Room, 0, Out(8), 0, 0}},
      {"ncclCommGetAsyncError", {Comm(), Out(4)}},
      {"ncclCommCount", {Comm(), Out(4)}},
      {"ncclCommUserRank", {Comm(), Out(4)}},
      {"ncclCommRegister", {Comm(), &Room, 8, Out(8)}},
      {"ncclRedOpCreatePreMulSum", {Out(4), &Room, 0, 0, Comm()}},
      {"ncclMemAlloc", {Out(8), 1024}},
      {"nvrtcVersion", {Out(4), Out(4)}},
      {"nvrtcCreateProgram", {Out(8), &Room, 0, 0, 0, 0}},
      {"nvrtcGetPTXSize", {&MadeProgram, Out(8)}},
      {"nvrtcGetPTX", {&MadeProgram, Out(1)}},
      {"nvrtcGetCUBINSize", {&MadeProgram, Out(8)}},
      {"nvrtcGetCUBIN", {&MadeProgram, Out(1)}},
      {"nvrtcGetProgramLogSize", {&MadeProgram, Out(8)}},
      {"nvrtcGetProgramLog", {&MadeProgram, Out(1)}},
      {"nvrtcGetLoweredName", {&MadeProgram, &Room, Out(8)}},
  };
}

std::vector<Getter> Getters() {
  std::vector<Getter> all;
  for (const auto& rows : {OfRuntime(), OfDriver(), OfBlas(), OfDnn(), OfSolver(), OfSparse(), OfCupti(),
                           OfManagement(), OfOthers()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

// What else is modelled has no outputs on the host beside its status, or one that it returns.
const std::regex kWithoutOutputs(
    "__cuda(InitModule|LaunchKernel|PushCallConfiguration|RegisterFatBinary|RegisterFatBinaryEnd|"
    "RegisterFunction|RegisterVar|UnregisterFatBinary)"
    "|cu(Ctx|Func)Set.*|cuInit|cuLaunch.*|cuLogsUnregisterCallback|cuModuleUnload|cuMem(AddressFree|Free_v2|"
    "Map|Release|SetAccess|"
    "Unmap)"
    "|cublas[SDCZI].*(dot|dotu|dotc|asum|nrm2|amax|amin)_v2|cublasDotEx|cublas(Lt.*)?Destroy(_v2)?"
    "|cublasLt.*Destroy|cublasLtMatmul|cublasSet.*"
    "|cudaDevice(Dis|En)ablePeerAccess|cuda(Device|Stream|Event)Synchronize|cuda(Stream|Event)(Query|Destroy)"
    "|cudaEventRecord(WithFlags)?"
    "|cudaFree(Async|Host)?|cudaGet(ErrorName|ErrorString|LastError)|cudaPeekAtLastError"
    "|cudaIpcCloseMemHandle|cudaGraph(Destroy|ExecDestroy|Launch|DebugDotPrint|RetainUserObject)|"
    "cudaUserObject(Retain|Release)|cudaHost(Unr|R)egister|"
    "cudaLaunch.*"
    "|cudaMemPool(Set.*|TrimTo)|cudaMem(cpy|set).*|cudaSetDevice|cudaStream(AddCallback|BeginCapture|"
    "WaitEvent)"
    "|cudnn(Backend)?Destroy.*|cudnnBackend(Execute|Finalize)|cudnn(Backend)?Set.*"
    "|(cudnn|cublasLt)Get(Cudart)?Version|(cudnn|cusparse|nccl|nvrtc)GetErrorString|ncclGetLastError"
    "|cufft(Destroy|SetAutoAllocation|SetStream)|cusolverDn(Destroy.*|SetStream|XsyevjSetSortEig)"
    "|cusparse(SetStream|Destroy.*|Sp.*_destroyDescr|CreateIdentityPermutation)"
    "|cusparseLt(Init|SpMMACompress2|Matmul(Search)?)"
    "|nccl(All.*|Bcast|Broadcast|Comm(Abort|Deregister|Destroy|Finalize)|Group.*|MemFree|Recv|RedOpDestroy|"
    "Reduce|ReduceScatter|Send)"
    "|nvrtc(AddNameExpression|CompileProgram|DestroyProgram)"
    "|cupti(Activity(Register.*|Enable.*|Disable|Flush.*|SetAttribute|PushExternalCorrelationId)|"
    "Unsubscribe|Enable(Callback|Domain)|Finalize)"
    "|nvml(Init.*|Shutdown|ErrorString)");
// What is given back is what went in before, which their own tests do: runtime_test.cpp.
const std::regex kTestedElsewhere(
    "__cudaPopCallConfiguration|cudaIpcOpen.*|cudaThreadExchangeStreamCaptureMode");

constexpr size_t kGuardBytes = 16;

struct Answered {
  uint64_t status = 0;
  std::vector<std::vector<unsigned char>> outputs;  // of each argument; empty if it is none
};

Answered CallGetter(const Getter& getter, unsigned char poison, const std::set<size_t>& nulls) {
  Answered answered;
  answered.outputs.resize(getter.arguments.size());
  Arguments arguments{};
  for (size_t i = 0; i < getter.arguments.size(); ++i) {
    const Argument& argument = getter.arguments[i];
    if (argument.output_bytes > 0 && !nulls.contains(i)) {
      answered.outputs[i].assign(argument.output_bytes + kGuardBytes, poison);
      std::ranges::copy(argument.asked, answered.outputs[i].begin());
      arguments[i] = reinterpret_cast<uint64_t>(answered.outputs[i].data());
    } else if (argument.output_bytes == 0) {
      arguments[i] = argument.make ? argument.make() : argument.number;
    }
  }
  // Statuses are of 32 bits; this one has none.
  const uint64_t status = CallWith(getter.name, arguments) & 0xFFFFFFFF;
  answered.status = getter.name == "cudnnGetLastErrorString" ? 0 : status;
  return answered;
}

// Says on standard output what is wrong.
void CheckGetter(const Getter& getter, const std::set<size_t>& nulls) {
  constexpr unsigned char kFirst = 0xAB;
  constexpr unsigned char kSecond = 0x54;
  const Answered first = CallGetter(getter, kFirst, nulls);
  const Answered second = CallGetter(getter, kSecond, nulls);
  if (first.status != 0 || second.status != 0) std::printf("fails with %d. ", static_cast<int>(first.status));
  for (size_t i = 0; i < getter.arguments.size(); ++i) {
    for (size_t byte = 0; byte < first.outputs[i].size(); ++byte) {
      const bool kept = first.outputs[i][byte] == kFirst && second.outputs[i][byte] == kSecond;
      const bool is_output = byte < getter.arguments[i].output_bytes;
      if (kept == is_output) {
        std::printf("%s byte %zu of argument %zu. ", is_output ? "leaves" : "writes", byte, i);
        break;
      }
    }
  }
}

TEST_CASE("Every modelled function is known to set its outputs, or to have none") {
  std::set<std::string> rows;
  for (const Getter& getter : Getters()) rows.insert(getter.name);
  for (const StandInFunction& function : StandInFunctions()) {
    if (function.kind != "modelled") continue;
    INFO(function.name);
    const int places = static_cast<int>(rows.erase(function.name)) +
                       static_cast<int>(std::regex_match(function.name, kWithoutOutputs)) +
                       static_cast<int>(std::regex_match(function.name, kTestedElsewhere));
    CHECK(places == 1);
  }
  for (const std::string& name : rows) FAIL_CHECK(name << " is not modelled, or twice in a library");
}

TEST_CASE(
    "What answers sets all of its answer and nothing else, with outputs left out where CUDA allows it") {
  LoadStandIn("libcuda.so.1");  // the runtime looks the driver's functions up where it is already loaded
  for (const Getter& getter : Getters()) {
    INFO(getter.name);
    const Ended ended = RunInChild([&] {
      CheckGetter(getter, {});
      std::set<size_t> nulls;
      for (size_t i = 0; i < getter.arguments.size(); ++i) {
        if (!getter.arguments[i].may_be_null) continue;
        CheckGetter(getter, {i});
        nulls.insert(i);
      }
      if (nulls.size() > 1) CheckGetter(getter, nulls);
      std::fflush(stdout);
    });
    CHECK(ended.status == 0);
    CHECK(ended.output == "");
  }
}

}  // namespace
}  // namespace tidemark::phantom
