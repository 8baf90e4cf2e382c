// The CUDA runtime's streams and events. Work is done the moment it is submitted, so a stream is always empty
// and an event always reached; the time between two events is the host's time between recording them.
#include "profiler/phantom/stand_ins/runtime_streams.h"

#include <utility>

#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"

using namespace tidemark::phantom;
using device::TheDevice;
using runtime::IsDefaultStream;
using runtime::Report;

namespace {

cudaError_t CheckDevice() { return Report(TheDevice() == nullptr ? cudaErrorNoDevice : cudaSuccess); }

cudaError_t CreateStream(cudaStream_t* stream, int priority) {
  const cudaError_t error = CheckDevice();
  if (error != cudaSuccess) return error;
  device::ContextBegins();
  *stream = new CUstream_st;
  (*stream)->priority = priority;
  return error;
}

cudaError_t CreateEvent(cudaEvent_t* event, unsigned int flags) {
  const cudaError_t error = CheckDevice();
  if (error != cudaSuccess) return error;
  device::ContextBegins();
  *event = new CUevent_st;
  (*event)->has_time = (flags & cudaEventDisableTiming) == 0;
  return error;
}

cudaError_t Record(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  event->capture = device::RecordCaptured(event, stream);
  event->is_recorded = true;
  event->recorded = std::chrono::steady_clock::now();
  event->stream = stream;
  event->worked_ns = device::WorkedNs(stream);
  return cudaSuccess;
}

bool HasTime(cudaEvent_t event) { return event != nullptr && event->has_time && event->is_recorded; }

thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return CreateStream(stream, 0); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int priority) {
  return CreateStream(stream, priority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) { return CreateStream(stream, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (IsDefaultStream(stream)) return Report(cudaErrorInvalidResourceHandle);
  device::LeaveCapture(stream);
  device::ForgetWork(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = IsDefaultStream(stream) ? 0 : stream->priority;
  return CheckDevice();
}

// What waits for a stream cannot be captured into a graph.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return device::CaptureOf(stream) != 0 ? Report(cudaErrorStreamCaptureUnsupported) : CheckDevice();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return cudaStreamQuery(stream); }

// A stream that waits for work that is being captured takes part in the capture.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  if (device::CaptureLasts(event->capture) && !IsDefaultStream(stream))
    device::JoinCapture(event->capture, event, stream);
  return CheckDevice();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* argument,
                                  unsigned int) {
  const cudaError_t error = cudaStreamQuery(stream);
  if (error == cudaSuccess) callback(stream, cudaSuccess, argument);
  return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  const cudaError_t error = CheckDevice();
  if (error == cudaSuccess) device::Submit(stream, [=] { function(argument); });
  return error;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return CreateEvent(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return CreateEvent(event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return Record(event, stream); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return Record(event, stream);
}

// What was recorded into a graph that is captured says nothing of the device.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  return Report(device::CaptureLasts(event->capture) ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return cudaEventQuery(event); }

// The device's time where the stream's work in between is said to have taken any, so that what is tried
// against one another is chosen alike on every machine; else the host's, between two streams too. An event
// that was never recorded has none.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = 0;
  if (!HasTime(start) || !HasTime(end)) return Report(cudaErrorInvalidResourceHandle);
  std::chrono::nanoseconds elapsed(start->stream == end->stream ? end->worked_ns - start->worked_ns : 0);
  if (elapsed.count() == 0) elapsed = end->recorded - start->recorded;
  *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  return cudaSuccess;
}

}  // extern "C"
