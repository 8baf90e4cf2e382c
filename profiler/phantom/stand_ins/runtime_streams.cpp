// The CUDA runtime's streams and events. Work is done the moment it is submitted, so a stream is always empty
// and an event always reached; the time between two events is the host's time between recording them.
#include <chrono>
#include <utility>

#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"

using namespace tidemark::phantom;
using device::TheDevice;
using runtime::Report;

// The runtime declares these and leaves what they are to itself.
struct CUstream_st {
  int priority = 0;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
};

namespace {

cudaError_t CheckDevice() { return Report(TheDevice() == nullptr ? cudaErrorNoDevice : cudaSuccess); }

cudaError_t CreateStream(cudaStream_t* stream, int priority) {
  const cudaError_t error = CheckDevice();
  if (error == cudaSuccess) *stream = new CUstream_st{priority};
  return error;
}

cudaError_t CreateEvent(cudaEvent_t* event) {
  const cudaError_t error = CheckDevice();
  if (error == cudaSuccess) *event = new CUevent_st;
  return error;
}

cudaError_t Record(cudaEvent_t event) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  event->recorded = std::chrono::steady_clock::now();
  return cudaSuccess;
}

// The null stream and its two other names are small numbers, not objects.
bool IsDefaultStream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return CreateStream(stream, 0); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int priority) {
  return CreateStream(stream, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (IsDefaultStream(stream)) return Report(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = IsDefaultStream(stream) ? 0 : stream->priority;
  return CheckDevice();
}

cudaError_t cudaStreamQuery(cudaStream_t) { return CheckDevice(); }

cudaError_t cudaStreamSynchronize(cudaStream_t) { return CheckDevice(); }

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned int) {
  return event == nullptr ? Report(cudaErrorInvalidResourceHandle) : CheckDevice();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* argument,
                                  unsigned int) {
  const cudaError_t error = CheckDevice();
  if (error == cudaSuccess) callback(stream, cudaSuccess, argument);
  return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* argument) {
  const cudaError_t error = CheckDevice();
  if (error == cudaSuccess) function(argument);
  return error;
}

// Graphs are not captured here (cudaStreamBeginCapture refuses), so no stream is ever being captured.
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return CheckDevice();
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  if (edges != nullptr) *edges = nullptr;
#else
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     size_t* count) {
#endif
  *status = cudaStreamCaptureStatusNone;
  if (id != nullptr) *id = 0;
  if (graph != nullptr) *graph = nullptr;
  if (dependencies != nullptr) *dependencies = nullptr;
  if (count != nullptr) *count = 0;
  return CheckDevice();
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return CreateEvent(event); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) { return CreateEvent(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) { return Record(event); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t, unsigned int) { return Record(event); }

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return Report(event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Report(event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = 0;
  if (start == nullptr || end == nullptr) return Report(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->recorded - start->recorded).count();
  return cudaSuccess;
}

}  // extern "C"
