// The stand-in of the CUDA runtime, called as LibTorch calls it. This program is linked with it and sets its
// card itself.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/device/activity.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream);
extern "C" int TidemarkPhantomReadKnown(const void* pointer, size_t bytes, void* to);
extern "C" void TidemarkPhantomExpectCount(int64_t count, int certainty);
extern "C" void TidemarkPhantomBlockBegins(const void* pointer, size_t bytes);
extern "C" bool TidemarkPhantomCaptureLasts();
extern "C" void TidemarkPhantomForgetOnLaunch(const void* stream, void* pointer, size_t bytes);

namespace tidemark::phantom {
namespace {

[[maybe_unused]] const int kCardIsChosen = [] {
  return setenv("TIDEMARK_PHANTOM_CARD", (AssetsFolder() / "cards" / "rtx-4090.json").c_str(), 1);
}();

constexpr size_t kMebibyte = size_t{1} << 20;

int AttributeValue(cudaDeviceAttr attribute) {
  int value = -1;
  REQUIRE(cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess);
  return value;
}

TEST_CASE("The device is the card") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 1);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::string(properties.name) == "NVIDIA GeForce RTX 4090");
  CHECK(properties.major * 10 + properties.minor == 89);
  CHECK(properties.multiProcessorCount == 128);
  CHECK(properties.maxThreadsPerMultiProcessor == 1536);
  CHECK(AttributeValue(cudaDevAttrMultiProcessorCount) == 128);
  CHECK(AttributeValue(cudaDevAttrMaxSharedMemoryPerBlockOptin) == 101376);
  // Triton asks for these before it loads a kernel.
  CHECK(AttributeValue(cudaDevAttrClockRate) == 2520000);
  CHECK(AttributeValue(cudaDevAttrMemoryClockRate) == 10501000);
  CHECK(AttributeValue(cudaDevAttrGlobalMemoryBusWidth) == 384);
  CHECK(properties.memoryBusWidth == 384);
  CHECK(properties.managedMemory == AttributeValue(cudaDevAttrManagedMemory));
  CHECK(cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(0) == cudaSuccess);
}

// What `does` says of itself in a process of its own, forked from this one.
template <typename Does>
bool IsTrueInAnotherProcess(const Does& does) {
  const pid_t child = fork();
  if (child == 0) _exit(does() ? 0 : 1);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("Another process opens the memory that one shares, and takes none of its own for it") {
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, 5 * kMebibyte) == cudaSuccess);
  cudaIpcMemHandle_t handle;
  REQUIRE(cudaIpcGetMemHandle(&handle, block) == cudaSuccess);
  CHECK(cudaIpcGetMemHandle(&handle, static_cast<char*>(block) + 512) == cudaErrorInvalidValue);
  void* opened = nullptr;
  CHECK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) ==
        cudaErrorDeviceUninitialized);
  CHECK(IsTrueInAnotherProcess([&] {
    size_t free_before = 0;
    size_t free_after = 0;
    size_t total = 0;
    void* first = nullptr;
    void* second = nullptr;
    cudaMemGetInfo(&free_before, &total);
    bool right = cudaIpcOpenMemHandle(&first, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
    right &= cudaIpcOpenMemHandle(&second, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
    cudaMemGetInfo(&free_after, &total);
    int number = 1;
    right &= cudaMemcpy(&number, first, sizeof number, cudaMemcpyDeviceToHost) == cudaSuccess;
    right &= first == second && first != block && free_before == free_after && number == 0;
    right &= cudaIpcCloseMemHandle(first) == cudaSuccess && cudaIpcCloseMemHandle(second) == cudaSuccess;
    right &= cudaIpcCloseMemHandle(first) == cudaErrorInvalidValue;
    return right && cudaMemset(first, 0, 1) == cudaErrorInvalidValue;
  }));
  CHECK(cudaFree(block) == cudaSuccess);
  cudaIpcMemHandle_t nothing = {};
  CHECK(cudaIpcOpenMemHandle(&opened, nothing, 0) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("An event of another process is there, and reached") {
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess) == cudaSuccess);
  cudaIpcEventHandle_t handle;
  REQUIRE(cudaIpcGetEventHandle(&handle, event) == cudaSuccess);
  CHECK(IsTrueInAnotherProcess([&] {
    cudaEvent_t opened = nullptr;
    return cudaIpcOpenEventHandle(&opened, handle) == cudaSuccess && cudaEventQuery(opened) == cudaSuccess &&
           cudaEventDestroy(opened) == cudaSuccess;
  }));
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaIpcOpenEventHandle(&event, {}) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("Kernels are the ones compiled for 8.6, and fill a multiprocessor as its limits allow") {
  const void* kernel = &kMebibyte;  // any address: no kernel is looked up
  cudaFuncAttributes attributes;
  REQUIRE(cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess);
  CHECK(attributes.binaryVersion == 86);
  CHECK(attributes.ptxVersion == 86);
  CHECK(attributes.maxThreadsPerBlock == 1024);
  const auto blocks = [&](int threads, size_t shared_bytes) {
    int count = 0;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads, shared_bytes) ==
            cudaSuccess);
    return count;
  };
  CHECK(blocks(1024, 0) == 1);     // 1,536 threads
  CHECK(blocks(256, 0) == 6);      // 1,536 threads
  CHECK(blocks(32, 0) == 24);      // 24 blocks
  CHECK(blocks(128, 51200) == 1);  // of which each block gives 1,024 to the system
  CHECK(blocks(128, 40960) == 2);  // 102,400 bytes of shared memory
}

TEST_CASE("A launch needs a configuration that is possible") {
  const void* kernel = &kMebibyte;
  CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(1024), nullptr, 0, nullptr) == cudaSuccess);
  CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(1025), nullptr, 0, nullptr) == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel(kernel, dim3(0), dim3(32), nullptr, 0, nullptr) == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  REQUIRE(__cudaPushCallConfiguration(dim3(3, 4), dim3(5), 6, nullptr) == 0);
  dim3 grid, block;
  size_t shared_bytes = 0;
  cudaStream_t stream = cudaStreamPerThread;
  REQUIRE(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, static_cast<void*>(&stream)) ==
          cudaSuccess);
  CHECK((grid.x == 3 && grid.y == 4 && grid.z == 1 && block.x == 5 && shared_bytes == 6));
  CHECK(stream == nullptr);
}

TEST_CASE("An error stays with its thread until it is asked for") {
  REQUIRE(cudaGetLastError() == cudaSuccess);
  int on_host = 0;
  CHECK(cudaFree(&on_host) == cudaErrorInvalidValue);
  std::thread([] { CHECK(cudaPeekAtLastError() == cudaSuccess); }).join();
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
}

TEST_CASE("The driver tells of an error what the runtime does, under its own name") {
  const char* name = nullptr;
  const char* text = nullptr;
  REQUIRE(cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &name) == CUDA_SUCCESS);
  REQUIRE(cuGetErrorString(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &text) == CUDA_SUCCESS);
  CHECK(std::string(name) == "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
  CHECK(std::string(text) == cudaGetErrorString(cudaErrorStreamCaptureUnsupported));
  // The runtime's alone, and nobody's.
  CHECK(cuGetErrorName(static_cast<CUresult>(cudaErrorInvalidConfiguration), &name) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGetErrorString(static_cast<CUresult>(998), &text) == CUDA_ERROR_INVALID_VALUE);
  CHECK(text == nullptr);
}

#if CUDA_VERSION >= 12000
TEST_CASE("The driver gives its functions by name, the newest form of each, and none that it lacks") {
  void* function = nullptr;
  CUdriverProcAddressQueryResult result{};
  REQUIRE(cuGetProcAddress("cuDeviceGetUuid", &function, 12000, 0, &result) == CUDA_SUCCESS);
  CHECK(result == CU_GET_PROC_ADDRESS_SUCCESS);
  CHECK(function == reinterpret_cast<void*>(&cuDeviceGetUuid_v2));
  CHECK(cuGetProcAddress("cuNothing", &function, 12000, 0, &result) == CUDA_ERROR_NOT_FOUND);
  CHECK(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  CHECK(function == nullptr);
}
#endif

TEST_CASE("Memory is the card's, without the context") {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
  CHECK(total_bytes == 25250627584);
  CHECK(free_bytes == (total_bytes - 384 * kMebibyte) / (2 * kMebibyte) * (2 * kMebibyte));
  void* pointer = nullptr;
  CHECK(cudaMalloc(&pointer, free_bytes + 1) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  REQUIRE(cudaMalloc(&pointer, free_bytes) == cudaSuccess);
  void* other = nullptr;
  CHECK(cudaMalloc(&other, 1) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaFree(pointer) == cudaSuccess);
  CHECK(cudaFree(pointer) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("Memory of either kind is freed by either kind of free, once") {
  size_t before = 0;
  size_t total = 0;
  REQUIRE(cudaMemGetInfo(&before, &total) == cudaSuccess);
  cudaMemPool_t pool = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  const auto used = [&] {
    uint64_t bytes = 0;
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes) == cudaSuccess);
    return bytes;
  };
  void* pooled = nullptr;
  void* plain = nullptr;
  REQUIRE(cudaMallocAsync(&pooled, 1000, nullptr) == cudaSuccess);
  REQUIRE(cudaMalloc(&plain, 1000) == cudaSuccess);
  CHECK(used() == 1024);
  CHECK(cudaFree(static_cast<char*>(pooled) + 512) == cudaErrorInvalidValue);
  CHECK(cudaFree(pooled) == cudaSuccess);
  CHECK(used() == 0);
  CHECK(cudaFree(pooled) == cudaErrorInvalidValue);  // its piece begins there, which is the pool's
  CHECK(cudaFreeAsync(pooled, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(plain, nullptr) == cudaSuccess);
  CHECK(cudaFreeAsync(plain, nullptr) == cudaErrorInvalidValue);
  REQUIRE(cudaMallocAsync(&pooled, 1000, nullptr) == cudaSuccess);
  CHECK(cudaFreeAsync(pooled, nullptr) == cudaSuccess);
  CHECK(cudaMemPoolTrimTo(pool, 0) == cudaSuccess);
  size_t after = 0;
  REQUIRE(cudaMemGetInfo(&after, &total) == cudaSuccess);
  CHECK(after == before);
  cudaGetLastError();
}

TEST_CASE("A pointer says whose memory it is") {
  void* device = nullptr;
  void* pinned = nullptr;
  int on_host = 0;
  REQUIRE(cudaMalloc(&device, 100) == cudaSuccess);
  REQUIRE(cudaHostAlloc(&pinned, 100, 0) == cudaSuccess);
  cudaPointerAttributes attributes;
  REQUIRE(cudaPointerGetAttributes(&attributes, device) == cudaSuccess);
  CHECK((attributes.type == cudaMemoryTypeDevice && attributes.device == 0 &&
         attributes.devicePointer == device));
  REQUIRE(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess);
  CHECK((attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned));
  REQUIRE(cudaPointerGetAttributes(&attributes, &on_host) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  void* managed = nullptr;
  REQUIRE(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal) == cudaSuccess);
  REQUIRE(cudaPointerGetAttributes(&attributes, managed) == cudaSuccess);
  CHECK((attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == managed));
  CHECK(cudaMemset(managed, 1, 100) == cudaSuccess);
  CHECK((cudaFree(managed) == cudaSuccess && cudaFree(managed) == cudaErrorInvalidValue));
  cudaGetLastError();
  void* on_device = nullptr;
  CHECK((cudaHostGetDevicePointer(&on_device, pinned, 0) == cudaSuccess && on_device == pinned));
  CHECK(cudaHostGetDevicePointer(&on_device, &on_host, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
  REQUIRE(cudaFree(device) == cudaSuccess);
  REQUIRE(cudaPointerGetAttributes(&attributes, device) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("Rows are copied one by one") {
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, 100) == cudaSuccess);
  const char sent[] = "ab..cd..";
  char received[5] = {};
  REQUIRE(cudaMemset(device, 0, 100) == cudaSuccess);
  REQUIRE(cudaMemcpy2DAsync(device, 2, sent, 4, 2, 2, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
  REQUIRE(cudaMemcpy(received, device, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::string(received) == "abcd");
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("What is known is read, and of what is no allocation nothing is known") {
  void* device = nullptr;
  const int64_t sent = 7;
  int64_t received = 0;
  REQUIRE(cudaMalloc(&device, sizeof sent) == cudaSuccess);
  REQUIRE(cudaMemcpy(device, &sent, sizeof sent, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(TidemarkPhantomReadKnown(device, sizeof sent, &received) == 0);
  CHECK(received == sent);
  REQUIRE(cudaFree(device) == cudaSuccess);
  CHECK(TidemarkPhantomReadKnown(device, sizeof sent, &received) == kNotKnown);
  CHECK(received == 0);
}

TEST_CASE("A count answers one reading: as it is expected, or one") {
  static const char stub = 0;
  device::RegisterKernel(&stub, "_ZN14at_cuda_detail3cub23DeviceSelectSweepKernelINS0_8EqualityE");
  const auto next = [] {
    int64_t count = 0;
    device::NoteReading(&count, nullptr, sizeof count, device::Certainty::kUnknown);
    return count;
  };
  device::NoteKernel(&stub, nullptr);
  CHECK(next() == 1);
  CHECK(next() == 0);
  device::NoteKernel(&stub, nullptr);
  TidemarkPhantomExpectCount(3, static_cast<int>(device::Certainty::kKnown));
  CHECK(next() == 3);
  CHECK(next() == 0);
}

TEST_CASE("Streams and events are distinct, and always done") {
  cudaStream_t low = nullptr;
  cudaStream_t high = nullptr;
  REQUIRE(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -3) == cudaSuccess);
  CHECK(low != high);
  int priority = 0;
  REQUIRE(cudaStreamGetPriority(high, &priority) == cudaSuccess);
  CHECK(priority == -3);
  CHECK(cudaStreamQuery(high) == cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  REQUIRE(cudaStreamIsCapturing(low, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  REQUIRE((cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess && start != end));
  REQUIRE((cudaEventRecord(start, low) == cudaSuccess && cudaEventRecord(end, low) == cudaSuccess));
  CHECK(cudaEventQuery(end) == cudaSuccess);
  float milliseconds = -1;
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  device::Work(low, 2'000'000);  // what is said of work counts, and the host's time does not
  device::Work(high, 7'000'000);
  REQUIRE(cudaEventRecord(end, low) == cudaSuccess);
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds == 2);
  REQUIRE(cudaEventRecord(start, high) == cudaSuccess);
  REQUIRE(cudaEventRecord(end, low) == cudaSuccess);  // the work of two streams is not to be compared
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  bool called = false;
  REQUIRE(cudaLaunchHostFunc(
              low, [](void* flag) { *static_cast<bool*>(flag) = true; }, &called) == cudaSuccess);
  CHECK(called);
  CHECK((cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess));
  CHECK((cudaStreamDestroy(low) == cudaSuccess && cudaStreamDestroy(high) == cudaSuccess));
}

TEST_CASE("A stream that is destroyed while it is captured takes no part any more, and leaves no work") {
  cudaStream_t origin = nullptr;
  cudaStream_t joined = nullptr;
  cudaEvent_t begun = nullptr;
  REQUIRE((cudaStreamCreate(&origin) == cudaSuccess && cudaStreamCreate(&joined) == cudaSuccess));
  REQUIRE(cudaEventCreate(&begun) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(cudaEventRecord(begun, origin) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(joined, begun, 0) == cudaSuccess);
  CHECK(device::CaptureOf(joined) != 0);
  device::Work(joined, 3'000'000);
  const void* const was = joined;
  REQUIRE(cudaStreamDestroy(joined) == cudaSuccess);
  CHECK(device::CaptureOf(was) == 0);
  CHECK(device::WorkedNs(was) == 0);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess);
  CHECK((cudaGraphDestroy(graph) == cudaSuccess && cudaEventDestroy(begun) == cudaSuccess));
  CHECK(cudaStreamDestroy(origin) == cudaSuccess);
}

TEST_CASE("A capture ends in an error while work of a stream that joined it is not waited for") {
  enum Stream : int { kOrigin, kSide, kFar };
  std::array<cudaStream_t, 3> streams{};
  cudaEvent_t event = nullptr;
  for (cudaStream_t& stream : streams) REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  const auto wait = [&](Stream waits, Stream for_stream) {
    REQUIRE(cudaEventRecord(event, streams[for_stream]) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(streams[waits], event, 0) == cudaSuccess);
  };
  const auto launch = [&](Stream stream) {
    REQUIRE(cudaLaunchKernel(&event, 1, 32, nullptr, 0, streams[stream]) == cudaSuccess);
  };
  const auto ends = [&](const auto& captured) {
    REQUIRE(cudaStreamBeginCapture(streams[kOrigin], cudaStreamCaptureModeGlobal) == cudaSuccess);
    wait(kSide, kOrigin);
    captured();
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(streams[kOrigin], &graph);
    CHECK((graph != nullptr) == (error == cudaSuccess));
    if (graph != nullptr) cudaGraphDestroy(graph);
    for (cudaStream_t stream : streams) CHECK(device::CaptureOf(stream) == 0);
    return error;
  };
  CHECK(ends([&] { launch(kOrigin); }) == cudaSuccess);
  CHECK(ends([&] { launch(kSide); }) == cudaErrorStreamCaptureUnjoined);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureUnjoined);
  CHECK(ends([&] { launch(kSide), wait(kOrigin, kSide); }) == cudaSuccess);
  CHECK(ends([&] { launch(kSide), wait(kOrigin, kSide), launch(kSide); }) == cudaErrorStreamCaptureUnjoined);
  CHECK(ends([&] { wait(kFar, kSide), launch(kFar), wait(kSide, kFar), wait(kOrigin, kSide); }) ==
        cudaSuccess);
  CHECK(ends([&] { launch(kSide), wait(kFar, kSide), launch(kFar), wait(kOrigin, kSide); }) ==
        cudaErrorStreamCaptureUnjoined);
  CHECK(std::string(cudaGetErrorString(cudaErrorStreamCaptureUnjoined)) ==
        "capturing stream has unjoined work");
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("An event that was never recorded, or has no time, tells no time") {
  cudaEvent_t recorded = nullptr;
  cudaEvent_t never = nullptr;
  cudaEvent_t timeless = nullptr;
  REQUIRE((cudaEventCreate(&recorded) == cudaSuccess && cudaEventCreate(&never) == cudaSuccess));
  REQUIRE(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaEventRecord(recorded, nullptr) == cudaSuccess);
  REQUIRE(cudaEventRecord(timeless, nullptr) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, recorded, recorded) == cudaSuccess);
  for (cudaEvent_t other : {never, timeless}) {
    CHECK(cudaEventElapsedTime(&milliseconds, recorded, other) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(&milliseconds, other, recorded) == cudaErrorInvalidResourceHandle);
  }
  CHECK(cudaEventQuery(never) == cudaSuccess);  // nothing is to be waited for
  CHECK(cudaEventSynchronize(never) == cudaSuccess);
  for (cudaEvent_t event : {recorded, never, timeless}) CHECK(cudaEventDestroy(event) == cudaSuccess);
  cudaGetLastError();
}

cudaStreamCaptureStatus CaptureStatusOf(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
  REQUIRE(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
  return status;
}

TEST_CASE("A capture holds the streams that wait for it, and ends as a graph of what was launched") {
  cudaStream_t stream = nullptr;
  cudaStream_t joined = nullptr;
  cudaEvent_t fork = nullptr;
  REQUIRE((cudaStreamCreate(&stream) == cudaSuccess && cudaStreamCreate(&joined) == cudaSuccess));
  REQUIRE(cudaEventCreate(&fork) == cudaSuccess);
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  CHECK(CaptureStatusOf(stream) == cudaStreamCaptureStatusActive);
  CHECK(CaptureStatusOf(joined) == cudaStreamCaptureStatusNone);
  REQUIRE(cudaEventRecord(fork, stream) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(joined, fork, 0) == cudaSuccess);
  CHECK(CaptureStatusOf(joined) == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamSynchronize(joined) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaEventSynchronize(fork) == cudaErrorCapturedEvent);
  for (int i = 0; i < 3; ++i) REQUIRE(cudaLaunchKernel(&fork, 1, 32, nullptr, 0, stream) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(joined, &graph) == cudaErrorIllegalState);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(CaptureStatusOf(stream) == cudaStreamCaptureStatusNone);
  CHECK(CaptureStatusOf(joined) == cudaStreamCaptureStatusNone);
  size_t nodes = 0;
  REQUIRE(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 3);
  CHECK(cudaGraphDebugDotPrint(graph, "/nowhere/graph.dot", 0) == cudaErrorOperatingSystem);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK((cudaGraphExecDestroy(executable) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess));
  CHECK(cudaEventDestroy(fork) == cudaSuccess);
  CHECK((cudaStreamDestroy(stream) == cudaSuccess && cudaStreamDestroy(joined) == cudaSuccess));
  cudaGetLastError();
}

// A byte of the device, and how well it is known.
std::pair<int, int> ByteAt(const char* device) {
  char byte = 0;
  const int certainty = TidemarkPhantomReadKnown(device, 1, &byte);
  return {byte, certainty};
}

TEST_CASE("A graph copies, fills and leaves unknown results whenever it is launched, and only then") {
  cudaStream_t stream = nullptr;
  char* device = nullptr;
  char* pinned = nullptr;
  char on_stack = 'x';
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 8) == cudaSuccess);
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 1) == cudaSuccess);
  TidemarkPhantomBlockBegins(device, 8);  // from now on what is known outlives kernels
  REQUIRE(cudaMemset(device, 'a', 8) == cudaSuccess);
  TidemarkPhantomForgetOnLaunch(stream, device, 8);  // nothing is captured
  CHECK(!TidemarkPhantomCaptureLasts());
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(TidemarkPhantomCaptureLasts());
  TidemarkPhantomForgetOnLaunch(stream, device, 2);
  REQUIRE(cudaMemsetAsync(device + 1, 'f', 1, stream) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(device + 2, device + 3, 1, cudaMemcpyDeviceToDevice, stream) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(pinned, device + 2, 1, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(&on_stack, device + 2, 1, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(!TidemarkPhantomCaptureLasts());
  for (int i = 0; i < 3; ++i) CHECK(ByteAt(device + i).first == 'a');
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  for (const char number : {'b', 'c'}) {
    REQUIRE(cudaMemset(device, number, 8) == cudaSuccess);
    *pinned = '-';
    REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
    CHECK(ByteAt(device).second == kNotKnown);
    CHECK(ByteAt(device + 1).first == 'f');
    CHECK(ByteAt(device + 2).first == number);
    CHECK(*pinned == number);
    CHECK(on_stack == 'x');  // it may be gone by then
  }
  CHECK((cudaGraphExecDestroy(executable) == cudaSuccess && cudaFree(device) == cudaSuccess));
  CHECK((cudaFreeHost(pinned) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess));
}

cudaGraphExec_t EndedCapture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  return executable;
}

TEST_CASE("Of captures that overlap each holds the work of its own streams") {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  char* device = nullptr;
  REQUIRE((cudaStreamCreate(&first) == cudaSuccess && cudaStreamCreate(&second) == cudaSuccess));
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 4) == cudaSuccess);
  TidemarkPhantomBlockBegins(device, 4);
  REQUIRE(cudaMemset(device, 'a', 4) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(device, '1', 1, first) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(second, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(device + 1, '2', 1, second) == cudaSuccess);
  TidemarkPhantomForgetOnLaunch(second, device + 2, 1);
  REQUIRE(cudaMemset(device + 3, 'b', 1) == cudaSuccess);  // not captured
  cudaGraphExec_t of_first = EndedCapture(first);
  cudaGraphExec_t of_second = EndedCapture(second);
  const auto bytes = [&] {
    std::string text;
    for (int i = 0; i < 4; ++i)
      text += ByteAt(device + i).second == kNotKnown ? '?' : static_cast<char>(ByteAt(device + i).first);
    return text;
  };
  CHECK(bytes() == "aaab");
  REQUIRE(cudaGraphLaunch(of_first, first) == cudaSuccess);
  CHECK(bytes() == "1aab");
  REQUIRE(cudaGraphLaunch(of_second, second) == cudaSuccess);
  CHECK(bytes() == "12?b");
  CHECK((cudaGraphExecDestroy(of_first) == cudaSuccess && cudaGraphExecDestroy(of_second) == cudaSuccess));
  CHECK((cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess));
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE(
    "What is captured has not run: kernels make nothing doubtful, and host functions wait for the launch") {
  cudaStream_t stream = nullptr;
  char* device = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 1) == cudaSuccess);
  TidemarkPhantomBlockBegins(device, 1);
  REQUIRE(cudaMemset(device, 'a', 1) == cudaSuccess);
  int called = 0;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(cudaLaunchKernel(&stream, 1, 32, nullptr, 0, stream) == cudaSuccess);
  device::KernelRan(stream);  // as libraries say it
  REQUIRE(cudaLaunchHostFunc(
              stream, [](void* times) { ++*static_cast<int*>(times); }, &called) == cudaSuccess);
  cudaGraphExec_t executable = EndedCapture(stream);
  CHECK(ByteAt(device).second == static_cast<int>(device::Certainty::kKnown));
  CHECK(called == 0);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(ByteAt(device).second == static_cast<int>(device::Certainty::kAsWritten));
  CHECK(called == 1);
  // Launched into another capture it is a part of that.
  REQUIRE(cudaMemset(device, 'a', 1) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  cudaGraphExec_t outer = EndedCapture(stream);
  CHECK(ByteAt(device).second == static_cast<int>(device::Certainty::kKnown));
  CHECK(called == 1);
  REQUIRE(cudaGraphLaunch(outer, stream) == cudaSuccess);
  CHECK(called == 2);
  CHECK((cudaGraphExecDestroy(executable) == cudaSuccess && cudaGraphExecDestroy(outer) == cudaSuccess));
  CHECK((cudaFree(device) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess));
}

}  // namespace
}  // namespace tidemark::phantom
