// CUDA graphs, as far as memory goes: a graph holds what was captured, and a launch of it does the copies,
// fills and collectives, and leaves behind what kernels leave.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/stand_ins/runtime_calls.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"
#include "profiler/phantom/stand_ins/runtime_streams.h"

using namespace tidemark;
using namespace tidemark::phantom;
using device::TheDevice;
using runtime::Report;

// The runtime declares these and leaves what they are to itself.
using Works = std::shared_ptr<const std::vector<device::CapturedWork>>;
struct CUgraphNode_st {};
// What is let go of, by a function of the program's, as the last of its references goes.
struct CUuserObject_st {
  void* content = nullptr;
  cudaHostFn_t let_go = nullptr;
  std::atomic<unsigned int> references{0};
};
// A graph's references, which what is made of it holds, too.
using HeldObjects = std::vector<std::shared_ptr<CUuserObject_st>>;
struct CUgraph_st {
  std::vector<CUgraphNode_st> nodes;
  HeldObjects held;
  Works works = std::make_shared<const std::vector<device::CapturedWork>>();
};
struct CUgraphExec_st {
  Works works;
  HeldObjects held;
};

namespace {

struct Capture {
  uint64_t id = 0;
  CUgraph_st* graph = nullptr;
};

struct Captures {
  Mutex mutex;
  std::map<cudaStream_t, Capture> by_origin TIDEMARK_GUARDED_BY(mutex);
};

// Never destroyed: streams are used while the process exits.
Captures& TheCaptures() {
  static Captures* const captures = new Captures;
  return *captures;
}

cudaError_t Begin(cudaStream_t stream) {
  if (TheDevice() == nullptr) return Report(cudaErrorNoDevice);
  if (runtime::IsDefaultStream(stream)) return Report(cudaErrorStreamCaptureUnsupported);
  const uint64_t id = device::BeginCapture(stream);
  if (id == 0) return Report(cudaErrorIllegalState);
  device::Doubt("What a CUDA graph itself takes on the card is not known and not counted.");
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  captures.by_origin[stream] = {id, new CUgraph_st};
  return cudaSuccess;
}

cudaError_t End(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const auto ended = captures.by_origin.extract(stream);
  if (ended.empty()) return Report(cudaErrorIllegalState);
  device::EndedCapture capture = device::EndCapture(ended.mapped().id);
  if (!capture.is_joined) {
    delete ended.mapped().graph;
    return Report(cudaErrorStreamCaptureUnjoined);
  }
  *graph = ended.mapped().graph;
  std::vector<device::CapturedWork>& works = capture.works;
  (*graph)->nodes.resize(static_cast<size_t>(std::ranges::count_if(works, &device::CapturedWork::is_node)));
  (*graph)->works = std::make_shared<const std::vector<device::CapturedWork>>(std::move(works));
  return cudaSuccess;
}

// Of a capture that lasts.
cudaGraph_t GraphOf(uint64_t capture) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  for (const auto& [origin, one] : captures.by_origin) {
    if (one.id == capture) return one.graph;
  }
  return nullptr;
}

void Release(cudaUserObject_t object, unsigned int references) {
  if (object->references.fetch_sub(references) > references) return;
  object->let_go(object->content);
  delete object;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) { return Begin(stream); }

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) { return End(stream, graph); }

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = device::CaptureOf(stream) != 0 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
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
  const uint64_t capture = device::CaptureOf(stream);
  if (id != nullptr) *id = capture;
  if (graph != nullptr) *graph = GraphOf(capture);
  if (dependencies != nullptr) *dependencies = nullptr;
  if (count != nullptr) *count = 0;
  return cudaStreamIsCapturing(stream, status);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long) {
  *executable = new CUgraphExec_st{graph->works, graph->held};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return runtime::Called(runtime::kGraphLaunch, runtime::GraphLaunchParameters{executable, stream}, [&] {
    device::Launch(*executable->works, stream);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* content, cudaHostFn_t let_go,
                                 unsigned int references, unsigned int) {
  *object = new CUuserObject_st{content, let_go, references};
  return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int references) {
  object->references += references;
  return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int references) {
  Release(object, references);
  return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int references,
                                      unsigned int flags) {
  if ((flags & cudaGraphUserObjectMove) == 0) object->references += references;
  graph->held.emplace_back(object, [references](cudaUserObject_t held) { Release(held, references); });
  return cudaSuccess;
}

// Graphs take no memory of their own here.
cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType, void* bytes) {
  *static_cast<uint64_t*>(bytes) = 0;
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
