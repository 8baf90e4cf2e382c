// The stand-in of CUPTI: a tool asks for records and callbacks, the stand-in of the CUDA runtime is called,
// and what arrives is compared with what was called. This program is linked with both and sets its card
// itself.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/capture/cupti/functions.h"
#include "profiler/phantom/stand_ins/runtime_calls.h"
#include "tests/support/catch.h"

namespace tidemark::phantom {
namespace {

// Tools read the parameters through CUPTI's own structs.
static_assert(sizeof(runtime::AllocateParameters) == sizeof(cudaMalloc_v3020_params));
static_assert(sizeof(runtime::HostAllocParameters) == sizeof(cudaHostAlloc_v3020_params));
static_assert(sizeof(runtime::MemcpyAsyncParameters) == sizeof(cudaMemcpyAsync_v3020_params) &&
              offsetof(runtime::MemcpyAsyncParameters, stream) ==
                  offsetof(cudaMemcpyAsync_v3020_params, stream));
static_assert(sizeof(runtime::MemsetAsyncParameters) == sizeof(cudaMemsetAsync_v3020_params) &&
              offsetof(runtime::MemsetAsyncParameters, bytes) ==
                  offsetof(cudaMemsetAsync_v3020_params, count));
static_assert(sizeof(runtime::GraphLaunchParameters) == sizeof(cudaGraphLaunch_v10000_params) &&
              offsetof(runtime::GraphLaunchParameters, stream) ==
                  offsetof(cudaGraphLaunch_v10000_params, stream));
static_assert(sizeof(runtime::LaunchParameters) == sizeof(cudaLaunchKernel_v7000_params) &&
              offsetof(runtime::LaunchParameters, shared_bytes) ==
                  offsetof(cudaLaunchKernel_v7000_params, sharedMem));

// What profiler/capture/cupti reads without that header.
static_assert(sizeof(capture::cupti::CallbackData) == sizeof(CUpti_CallbackData) &&
              offsetof(capture::cupti::CallbackData, returned) ==
                  offsetof(CUpti_CallbackData, functionReturnValue) &&
              offsetof(capture::cupti::CallbackData, correlation_id) ==
                  offsetof(CUpti_CallbackData, correlationId) &&
              offsetof(capture::cupti::CallbackData, context) == offsetof(CUpti_CallbackData, context));
static_assert(offsetof(capture::cupti::ResourceData, context) == offsetof(CUpti_ResourceData, context));
static_assert(sizeof(capture::cupti::SubscriberParameters) == sizeof(CUpti_SubscriberParams) &&
              offsetof(capture::cupti::SubscriberParameters, holder) ==
                  offsetof(CUpti_SubscriberParams, oldSubscriberName));
static_assert(offsetof(capture::cupti::MemoryRecord, bytes) == offsetof(CUpti_ActivityMemory4, bytes) &&
              offsetof(capture::cupti::MemoryRecord, is_async) == offsetof(CUpti_ActivityMemory4, isAsync) &&
              offsetof(capture::cupti::MemoryRecord, pool_type) ==
                  offsetof(CUpti_ActivityMemory4, memoryPoolConfig.memoryPoolType) &&
              offsetof(capture::cupti::MemoryRecord, pool_release_threshold) ==
                  offsetof(CUpti_ActivityMemory4, memoryPoolConfig.releaseThreshold) &&
              offsetof(capture::cupti::MemoryRecord, pool_bytes) ==
                  offsetof(CUpti_ActivityMemory4, memoryPoolConfig.pool.size) &&
              sizeof(capture::cupti::MemoryRecord) <= sizeof(CUpti_ActivityMemory2));
static_assert(sizeof(capture::cupti::SourcedMemoryRecord) == sizeof(CUpti_ActivityMemory4) &&
              offsetof(capture::cupti::SourcedMemoryRecord, source) ==
                  offsetof(CUpti_ActivityMemory4, source));
static_assert(offsetof(capture::cupti::KernelRecord, times) == offsetof(CUpti_ActivityKernel10, start) &&
              offsetof(capture::cupti::KernelRecord, stream_id) ==
                  offsetof(CUpti_ActivityKernel10, streamId) &&
              offsetof(capture::cupti::KernelRecord, name) == offsetof(CUpti_ActivityKernel10, name) &&
              offsetof(capture::cupti::KernelRecord, name) == offsetof(CUpti_ActivityKernel9, name));
static_assert(
    offsetof(capture::cupti::TransferRecord, times) == offsetof(CUpti_ActivityMemcpy6, start) &&
    offsetof(capture::cupti::TransferRecord, times) == offsetof(CUpti_ActivityMemcpyPtoP4, start) &&
    offsetof(capture::cupti::TransferRecord, times) == offsetof(CUpti_ActivityMemset4, start) &&
    offsetof(capture::cupti::TransferRecord, stream_id) == offsetof(CUpti_ActivityMemcpy6, streamId) &&
    offsetof(capture::cupti::TransferRecord, stream_id) == offsetof(CUpti_ActivityMemset4, streamId) &&
    offsetof(capture::cupti::TransferRecord, copy_kind) == offsetof(CUpti_ActivityMemcpy6, copyKind));
static_assert(offsetof(capture::cupti::PoolRecord, address) == offsetof(CUpti_ActivityMemoryPool3, address) &&
              offsetof(capture::cupti::PoolRecord, bytes) == offsetof(CUpti_ActivityMemoryPool3, size) &&
              offsetof(capture::cupti::PoolRecord, pool_type) ==
                  offsetof(CUpti_ActivityMemoryPool3, memoryPoolType) &&
              offsetof(capture::cupti::PoolRecord, release_threshold) ==
                  offsetof(CUpti_ActivityMemoryPool3, releaseThreshold) &&
              offsetof(capture::cupti::PoolRecord, timestamp) ==
                  offsetof(CUpti_ActivityMemoryPool3, timestamp) &&
              sizeof(capture::cupti::PoolRecord) <= sizeof(CUpti_ActivityMemoryPool2));
static_assert(capture::cupti::kNoMoreRecords == CUPTI_ERROR_MAX_LIMIT_REACHED &&
              capture::cupti::kResources == CUPTI_CB_DOMAIN_RESOURCE &&
              capture::cupti::kContextGoes == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING &&
              capture::cupti::kImportedPool == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED);
static_assert(capture::cupti::kMemory2 == CUPTI_ACTIVITY_KIND_MEMORY2 &&
              capture::cupti::kMemoryPool == CUPTI_ACTIVITY_KIND_MEMORY_POOL &&
              capture::cupti::kBufferBytes == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE &&
              capture::cupti::kBuffersAtFirst == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE &&
              capture::cupti::kBuffersAreHosts == CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED &&
              capture::cupti::kDriverApi == CUPTI_CB_DOMAIN_DRIVER_API &&
              capture::cupti::kRuntimeApi == CUPTI_CB_DOMAIN_RUNTIME_API &&
              capture::cupti::kExit == CUPTI_API_EXIT &&
              capture::cupti::kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
              capture::cupti::kInsufficientPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES &&
              capture::cupti::kMigDevice == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED &&
              capture::cupti::kWslDevice == CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);

[[maybe_unused]] const int kCardIsChosen = [] {
  return setenv("TIDEMARK_PHANTOM_CARD", (AssetsFolder() / "cards" / "rtx-4090.json").c_str(), 1);
}();

constexpr size_t kMebibyte = size_t{1} << 20;

// A tool: hands out buffers, keeps copies of the records that come back.
struct Tool {
  std::mutex mutex;
  std::vector<CUpti_ActivityMemory4> memory;
  std::vector<CUpti_ActivityMemcpy6> copies;
  std::vector<CUpti_ActivityMemset4> fills;
  std::vector<CUpti_ActivityKernel10> kernels;
  std::vector<CUpti_ActivityAPI> calls;
  std::vector<CUpti_ActivityExternalCorrelation> externals;
  size_t buffer_bytes = 64 * 1024;
  size_t most_records = 0;
  int buffers = 0;
  bool refuse = false;

  void Forget() {
    const std::lock_guard lock(mutex);
    memory.clear();
    copies.clear();
    fills.clear();
    kernels.clear();
    calls.clear();
    externals.clear();
    buffers = 0;
  }
} tool;

void CUPTIAPI Requested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  const std::lock_guard lock(tool.mutex);
  *bytes = tool.buffer_bytes;
  *most_records = tool.most_records;
  *buffer = tool.refuse ? nullptr : static_cast<uint8_t*>(std::aligned_alloc(8, tool.buffer_bytes));
}

template <typename Record>
void Keep(std::vector<Record>& kept, const CUpti_Activity* record) {
  kept.push_back(*reinterpret_cast<const Record*>(record));
}

void Sort(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return Keep(tool.memory, record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return Keep(tool.copies, record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return Keep(tool.fills, record);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return Keep(tool.kernels, record);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return Keep(tool.calls, record);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return Keep(tool.externals, record);
    default:
      std::abort();
  }
}

void CUPTIAPI Completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  const std::lock_guard lock(tool.mutex);
  ++tool.buffers;
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) Sort(record);
  std::free(buffer);
}

// Kinds that are on while it lives; starts with empty hands.
class Recording {
 public:
  explicit Recording(std::vector<CUpti_ActivityKind> kinds) : kinds_(std::move(kinds)) {
    REQUIRE(cuptiActivityRegisterCallbacks(Requested, Completed) == CUPTI_SUCCESS);
    REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
    tool.Forget();
    for (const CUpti_ActivityKind kind : kinds_) REQUIRE(cuptiActivityEnable(kind) == CUPTI_SUCCESS);
  }
  ~Recording() {
    for (const CUpti_ActivityKind kind : kinds_) cuptiActivityDisable(kind);
    tool.most_records = 0;
    tool.refuse = false;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  std::vector<CUpti_ActivityKind> kinds_;
};

TEST_CASE("An allocation and its release are two records with the address and the size that were given") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  uint64_t before = 0;
  REQUIRE(cuptiGetTimestamp(&before) == CUPTI_SUCCESS);
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, 5 * kMebibyte) == cudaSuccess);
  void* pinned = nullptr;
  REQUIRE(cudaHostAlloc(&pinned, 4096, 0) == cudaSuccess);
  REQUIRE(cudaFree(block) == cudaSuccess);
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  REQUIRE(tool.memory.size() == 4);
  const CUpti_ActivityMemory4& allocated = tool.memory[0];
  CHECK(allocated.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  CHECK(allocated.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  CHECK(allocated.address == reinterpret_cast<uint64_t>(block));
  CHECK(allocated.bytes == 5 * kMebibyte);
  CHECK(allocated.timestamp >= before);
  CHECK(tool.memory[1].memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  CHECK(tool.memory[1].bytes == 4096);
  CHECK(tool.memory[2].memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
  CHECK(tool.memory[2].address == allocated.address);
  CHECK(tool.memory[2].bytes == allocated.bytes);
  CHECK(tool.memory[3].address == reinterpret_cast<uint64_t>(pinned));
  CHECK(tool.memory[3].correlationId > tool.memory[0].correlationId);
}

TEST_CASE("Memory is told with the file that asked for it, where a tool wants to know") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  REQUIRE(cuptiActivityEnableAllocationSource(1) == CUPTI_SUCCESS);
  void* told = nullptr;
  REQUIRE(cudaMalloc(&told, 4096) == cudaSuccess);
  REQUIRE(cuptiActivityEnableAllocationSource(0) == CUPTI_SUCCESS);
  void* untold = nullptr;
  REQUIRE(cudaMalloc(&untold, 4096) == cudaSuccess);
  cudaFree(told);
  cudaFree(untold);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  REQUIRE(tool.memory.size() == 4);
  REQUIRE(tool.memory[0].source != nullptr);
  CHECK(std::string(tool.memory[0].source).ends_with("phantom_cupti_test"));
  CHECK(tool.memory[1].source == nullptr);
}

TEST_CASE("What fails leaves no record, and nothing is recorded that nobody asked for") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  void* block = nullptr;
  CHECK(cudaMalloc(&block, size_t{1} << 50) == cudaErrorMemoryAllocation);
  static_cast<void>(cudaGetLastError());
  REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
  REQUIRE(cudaMemset(block, 0, kMebibyte) == cudaSuccess);
  REQUIRE(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMORY2) == CUPTI_SUCCESS);
  REQUIRE(cudaFree(block) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(tool.memory.size() == 1);
  CHECK(tool.fills.empty());
}

TEST_CASE("Copies, fills and kernels say what they did and share their call's correlation") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                             CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME});
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
  std::vector<char> host(1000);
  REQUIRE(cudaMemcpyAsync(block, host.data(), host.size(), cudaMemcpyDefault, nullptr) == cudaSuccess);
  REQUIRE(cudaMemcpy(host.data(), block, host.size(), cudaMemcpyDefault) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(block, 3, 77, nullptr) == cudaSuccess);
  REQUIRE(cudaLaunchKernel(&kMebibyte, {4, 5, 6}, {32, 2, 1}, nullptr, 128, nullptr) == cudaSuccess);
  REQUIRE(cudaFree(block) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  REQUIRE(tool.copies.size() == 2);
  CHECK(tool.copies[0].copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  CHECK(tool.copies[0].bytes == 1000);
  CHECK((tool.copies[0].flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0);
  CHECK(tool.copies[1].copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  REQUIRE(tool.fills.size() == 1);
  CHECK(tool.fills[0].bytes == 77);
  CHECK(tool.fills[0].value == 3);
  REQUIRE(tool.kernels.size() == 1);
  CHECK(tool.kernels[0].gridY == 5);
  CHECK(tool.kernels[0].blockX == 32);
  CHECK(tool.kernels[0].dynamicSharedMemory == 128);
  REQUIRE(tool.calls.size() == 6);
  CHECK(tool.calls[0].cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
  CHECK(tool.calls[1].cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
  CHECK(tool.calls[1].correlationId == tool.copies[0].correlationId);
  CHECK(tool.calls[4].correlationId == tool.kernels[0].correlationId);
  CHECK(tool.calls[5].end >= tool.calls[5].start);
}

TEST_CASE(
    "What is captured into a graph is recorded whenever that is launched, as the launch's, and not before") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                             CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME});
  cudaStream_t stream = nullptr;
  void* block = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(block, static_cast<char*>(block) + 512, 100, cudaMemcpyDefault, stream) ==
          cudaSuccess);
  REQUIRE(cudaMemsetAsync(block, 3, 77, stream) == cudaSuccess);
  REQUIRE(cudaLaunchKernel(&kMebibyte, {4, 5, 6}, {32, 2, 1}, nullptr, 128, stream) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(tool.calls.size() == 4);  // the calls were made
  CHECK((tool.copies.empty() && tool.fills.empty() && tool.kernels.empty()));
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
  for (int launch = 0; launch < 2; ++launch) REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  REQUIRE((tool.calls.size() == 6 && tool.copies.size() == 2 && tool.fills.size() == 2 &&
           tool.kernels.size() == 2));
  for (size_t launch = 0; launch < 2; ++launch) {
    const CUpti_ActivityAPI& call = tool.calls[4 + launch];
    CHECK(call.cbid == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
    CHECK(tool.copies[launch].correlationId == call.correlationId);
    CHECK(tool.copies[launch].copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
    CHECK(tool.fills[launch].correlationId == call.correlationId);
    CHECK(tool.fills[launch].bytes == 77);
    CHECK(tool.kernels[launch].correlationId == call.correlationId);
    CHECK(tool.kernels[launch].gridY == 5);
    CHECK(tool.kernels[launch].start >= call.start);
  }
  CHECK((cudaGraphExecDestroy(executable) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess));
  CHECK((cudaFree(block) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess));
}

TEST_CASE("A buffer closes when it is full or holds as many records as the tool wants") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  tool.most_records = 3;
  for (int i = 0; i < 5; ++i) {
    void* block = nullptr;
    REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
    REQUIRE(cudaFree(block) == cudaSuccess);
  }
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(tool.memory.size() == 10);
  CHECK(tool.buffers == 4);
}

TEST_CASE("Records without a buffer are counted, and the count is told once") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  size_t dropped = 0;
  REQUIRE(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS);
  tool.refuse = true;
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
  REQUIRE(cudaFree(block) == cudaSuccess);
  REQUIRE(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS);
  CHECK(dropped == 2);
  REQUIRE(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS);
  CHECK(dropped == 0);
}

TEST_CASE("Many threads: every record arrives once") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([] {
      for (int i = 0; i < kRounds; ++i) {
        void* block = nullptr;
        if (cudaMalloc(&block, kMebibyte) == cudaSuccess) static_cast<void>(cudaFree(block));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(tool.memory.size() == size_t{2} * kThreads * kRounds);
  std::vector<uint32_t> correlations;
  for (const CUpti_ActivityMemory4& record : tool.memory) correlations.push_back(record.correlationId);
  std::sort(correlations.begin(), correlations.end());
  CHECK(std::adjacent_find(correlations.begin(), correlations.end()) == correlations.end());
}

struct Seen {
  int entered = 0;
  int left = 0;
  size_t bytes = 0;
  void* block = nullptr;
  cudaError_t status = cudaErrorUnknown;
  uint64_t word = 0;
};

void CUPTIAPI See(void* argument, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* what) {
  auto* seen = static_cast<Seen*>(argument);
  const auto* data = static_cast<const CUpti_CallbackData*>(what);
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API || id != CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020) return;
  const auto* parameters = static_cast<const cudaMalloc_v3020_params*>(data->functionParams);
  seen->bytes = parameters->size;
  if (data->callbackSite == CUPTI_API_ENTER) {
    ++seen->entered;
    *data->correlationData = 42;
    return;
  }
  ++seen->left;
  seen->word = *data->correlationData;
  seen->block = *parameters->devPtr;
  seen->status = *static_cast<cudaError_t*>(data->functionReturnValue);
}

TEST_CASE("A subscriber sees calls begin and end, with their parameters and status; there is one only") {
  Seen seen;
  CUpti_SubscriberHandle subscriber = nullptr;
  CUpti_SubscriberParams parameters{};
  parameters.structSize = sizeof parameters;
  parameters.subscriberName = "the test";
  REQUIRE(cuptiSubscribe_v2(&subscriber, See, &seen, &parameters) == CUPTI_SUCCESS);
  REQUIRE(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                              CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020) == CUPTI_SUCCESS);
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, 3 * kMebibyte) == cudaSuccess);
  CHECK(seen.entered == 1);
  CHECK(seen.left == 1);
  CHECK(seen.bytes == 3 * kMebibyte);
  CHECK(seen.block == block);
  CHECK(seen.status == cudaSuccess);
  CHECK(seen.word == 42);

  char name[64] = "";
  CUpti_SubscriberHandle other = nullptr;
  parameters.oldSubscriberName = name;
  parameters.oldSubscriberSize = sizeof name;
  CHECK(cuptiSubscribe_v2(&other, See, &seen, &parameters) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(std::string(name) == "the test");

  REQUIRE(cuptiUnsubscribe(subscriber) == CUPTI_SUCCESS);
  REQUIRE(cudaFree(block) == cudaSuccess);
  REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
  REQUIRE(cudaFree(block) == cudaSuccess);
  CHECK(seen.entered == 1);
  CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, 20) == CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_CASE("Calls made between a push and its pop carry the tool's own number") {
  const Recording recording({CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_MEMORY2});
  REQUIRE(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 7) ==
          CUPTI_SUCCESS);
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, kMebibyte) == cudaSuccess);
  uint64_t last = 0;
  REQUIRE(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, &last) ==
          CUPTI_SUCCESS);
  CHECK(last == 7);
  CHECK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, &last) ==
        CUPTI_ERROR_QUEUE_EMPTY);
  REQUIRE(cudaFree(block) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  REQUIRE(tool.externals.size() == 1);
  CHECK(tool.externals[0].externalId == 7);
  REQUIRE(tool.memory.size() == 2);
  CHECK(tool.externals[0].correlationId == tool.memory[0].correlationId);
}

TEST_CASE("An allocation in a stream's order tells of its pool") {
  const Recording recording({CUPTI_ACTIVITY_KIND_MEMORY2});
  void* block = nullptr;
  REQUIRE(cudaMallocAsync(&block, kMebibyte, nullptr) == cudaSuccess);
  REQUIRE(cudaFreeAsync(block, nullptr) == cudaSuccess);
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  // The pool's own memory comes from the device without a call.
  REQUIRE(tool.memory.size() == 2);
  CHECK(tool.memory[0].isAsync == 1);
  CHECK(tool.memory[0].bytes == kMebibyte);
  CHECK(tool.memory[0].memoryPoolConfig.utilizedSize == kMebibyte);
  CHECK(tool.memory[0].memoryPoolConfig.pool.size >= kMebibyte);
  CHECK(tool.memory[1].memoryPoolConfig.utilizedSize == 0);
}

TEST_CASE("Kinds and buffers that are not there are refused") {
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PC_SAMPLING) == CUPTI_ERROR_NOT_COMPATIBLE);
  CHECK(cuptiActivityRegisterCallbacks(nullptr, Completed) == CUPTI_ERROR_INVALID_PARAMETER);
  CUpti_Activity* record = nullptr;
  uint8_t nothing = 0;
  CHECK(cuptiActivityGetNextRecord(&nothing, 0, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
}

}  // namespace
}  // namespace tidemark::phantom
