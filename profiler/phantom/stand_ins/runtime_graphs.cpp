// CUDA graphs, as far as memory goes: a graph counts what is captured, and a launch of it does the copies and
// fills, and leaves behind what kernels leave.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/captured_writes.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"
#include "profiler/phantom/stand_ins/runtime_streams.h"

using namespace tidemark;
using namespace tidemark::phantom;
using device::TheDevice;
using runtime::Report;

// The runtime declares these and leaves what they are to itself.
struct CUgraphNode_st {};
struct CUgraph_st {
  std::vector<CUgraphNode_st> nodes;
  std::vector<device::CapturedWrite> writes;
};
struct CUgraphExec_st {
  std::vector<device::CapturedWrite> writes;
};

namespace {

struct Capture {
  uint64_t id = 0;
  cudaStream_t origin = nullptr;
  uint64_t work_before = 0;
  size_t writes_before = 0;
  CUgraph_st* graph = nullptr;
};

struct Captures {
  Mutex mutex;
  std::vector<Capture> active TIDEMARK_GUARDED_BY(mutex);
  uint64_t last_id TIDEMARK_GUARDED_BY(mutex) = 0;
  std::atomic<size_t> count{0};  // of active, for those who only want to know that there is none
};

// Never destroyed: streams are used while the process exits.
Captures& TheCaptures() {
  static Captures* const captures = new Captures;
  return *captures;
}

cudaError_t Begin(cudaStream_t stream) {
  if (TheDevice() == nullptr) return Report(cudaErrorNoDevice);
  if (runtime::IsDefaultStream(stream)) return Report(cudaErrorStreamCaptureUnsupported);
  if (runtime::CaptureOf(stream) != 0) return Report(cudaErrorIllegalState);
  device::Doubt("What a CUDA graph itself takes on the card is not known and not counted.");
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const uint64_t id = ++captures.last_id;
  captures.active.push_back(
      {id, stream, device::CountWork(true), device::BeginCapturedWrites(), new CUgraph_st});
  captures.count = captures.active.size();
  stream->capture = id;
  return cudaSuccess;
}

cudaError_t End(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (runtime::IsDefaultStream(stream)) return Report(cudaErrorIllegalState);
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const auto found = std::find_if(captures.active.begin(), captures.active.end(),
                                  [stream](const Capture& capture) { return capture.origin == stream; });
  if (found == captures.active.end()) return Report(cudaErrorIllegalState);
  const bool last = captures.active.size() == 1;
  found->graph->nodes.resize(device::CountWork(!last) - found->work_before);
  found->graph->writes = device::EndCapturedWrites(found->writes_before);
  *graph = found->graph;
  captures.active.erase(found);
  captures.count = captures.active.size();
  stream->capture = 0;
  return cudaSuccess;
}

}  // namespace

namespace tidemark::phantom::runtime {

bool IsActive(uint64_t capture) {
  Captures& captures = TheCaptures();
  if (capture == 0 || captures.count.load(std::memory_order_relaxed) == 0) return false;
  const MutexLock lock(captures.mutex);
  return std::any_of(captures.active.begin(), captures.active.end(),
                     [capture](const Capture& one) { return one.id == capture; });
}

uint64_t CaptureOf(cudaStream_t stream) {
  if (IsDefaultStream(stream)) return 0;
  const uint64_t capture = stream->capture.load(std::memory_order_relaxed);
  return IsActive(capture) ? capture : 0;
}

}  // namespace tidemark::phantom::runtime

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) { return Begin(stream); }

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) { return End(stream, graph); }

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = runtime::CaptureOf(stream) != 0 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return Report(TheDevice() == nullptr ? cudaErrorNoDevice : cudaSuccess);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  if (edges != nullptr) *edges = nullptr;
#else
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, size_t* count) {
#endif
  const uint64_t capture = runtime::CaptureOf(stream);
  if (id != nullptr) *id = capture;
  if (graph != nullptr) {
    *graph = nullptr;
    Captures& captures = TheCaptures();
    const MutexLock lock(captures.mutex);
    for (const Capture& one : captures.active) {
      if (one.id == capture) *graph = one.graph;
    }
  }
  if (dependencies != nullptr) *dependencies = nullptr;
  if (count != nullptr) *count = 0;
  return cudaStreamIsCapturing(stream, status);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long) {
  *executable = new CUgraphExec_st{graph->writes};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  device::DoCapturedWrites(executable->writes);
  device::KernelRan();
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

// As many as there is room for; without room, how many there are.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  const size_t room = nodes == nullptr ? 0 : std::min(*count, graph->nodes.size());
  for (size_t i = 0; i < room; ++i) nodes[i] = &graph->nodes[i];
  *count = nodes == nullptr ? graph->nodes.size() : room;
  return cudaSuccess;
}

// The nodes without names: what each of them would have done nobody noted.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return Report(cudaErrorOperatingSystem);
  std::fputs("digraph dot {\n", file);
  for (size_t i = 0; i < graph->nodes.size(); ++i) std::fprintf(file, "  \"%zu\"\n", i);
  std::fputs("}\n", file);
  return Report(std::fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}

}  // extern "C"
