#include "profiler/capture/torch/context.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

using events::EventKind;
using events::NameId;

std::atomic<NameId> shared_layer{0};
std::atomic<NameId> shared_op{0};
std::atomic<events::Category> usual_birth_category{events::Category::kTemporary};
thread_local LayerScope* current_layer_scope = nullptr;

void EmitLayer(EventKind kind, NameId layer) {
  events::Event event;
  event.kind = kind;
  event.layer = layer;
  event.recompute = current_context.recompute ? 1 : 0;
  Emit(event);
}

// Backward nodes are numbered per thread as they are made, so a layer's nodes are a range of numbers.
class NodeLayers {
 public:
  void Add(uint64_t thread, uint64_t first, uint64_t end, NameId layer) {
    const MutexLock lock(mutex_);
    ranges_.push_back({thread, first, end, layer});
  }
  NameId Find(uint64_t thread, uint64_t number) {
    const MutexLock lock(mutex_);
    // Backward starts from the end, so the search does too.
    const auto found = std::find_if(ranges_.rbegin(), ranges_.rend(), [&](const Range& range) {
      return range.thread == thread && range.first <= number && number < range.end;
    });
    return found == ranges_.rend() ? 0 : found->layer;
  }
  void Clear() {
    const MutexLock lock(mutex_);
    ranges_.clear();
  }

 private:
  struct Range {
    uint64_t thread;
    uint64_t first;
    uint64_t end;
    NameId layer;
  };
  Mutex mutex_;
  std::vector<Range> ranges_ TIDEMARK_GUARDED_BY(mutex_);
};

NodeLayers& Nodes() {
  static auto& nodes = *new NodeLayers;  // threads of LibTorch outlive main
  return nodes;
}

}  // namespace

Attribution CurrentAttribution() {
  if (current_context.op != 0 || current_context.layer != 0)
    return {current_context.layer, current_context.op};
  return {shared_layer.load(std::memory_order_relaxed), shared_op.load(std::memory_order_relaxed)};
}

void ShareAttribution() {
  shared_layer.store(current_context.layer, std::memory_order_relaxed);
  shared_op.store(current_context.op, std::memory_order_relaxed);
}

void SetUsualBirthCategory(events::Category category) { usual_birth_category = category; }

events::Category BirthCategory() {
  if (current_context.birth_category != events::Category::kUnknown) return current_context.birth_category;
  return usual_birth_category.load(std::memory_order_relaxed);
}

void EmitCategory(uint64_t address, int64_t bytes, events::Category category, NameId name) {
  events::Event event;
  event.kind = EventKind::kCategorize;
  event.address = address;
  event.bytes = bytes;
  event.category = category;
  event.name = name;
  const Attribution attribution = CurrentAttribution();
  event.layer = attribution.layer;
  event.op = attribution.op;
  event.recompute = current_context.recompute ? 1 : 0;
  Emit(event);
}

LayerScope::LayerScope(NameId layer, NameId saved_name, NameId saved_scalar_name)
    : outer_(current_layer_scope),
      outer_layer_(current_context.layer),
      saved_name_(saved_name),
      saved_scalar_name_(saved_scalar_name == 0 ? saved_name : saved_scalar_name),
      first_node_(at::sequence_number::peek()) {
  current_layer_scope = this;
  current_context.layer = layer;
  ShareAttribution();
  EmitLayer(EventKind::kScopeBegin, layer);
}

LayerScope::~LayerScope() {
  EmitLayer(EventKind::kScopeEnd, current_context.layer);
  Nodes().Add(at::RecordFunction::currentThreadId(), first_node_, at::sequence_number::peek(),
              current_context.layer);
  current_context.layer = outer_layer_;
  current_layer_scope = outer_;
  ShareAttribution();
}

const LayerScope* LayerScope::Current() { return current_layer_scope; }

NameId LayerOfNode(uint64_t forward_thread, uint64_t sequence_number) {
  return Nodes().Find(forward_thread, sequence_number);
}

void ForgetNodes() { Nodes().Clear(); }

BirthScope::BirthScope(events::Category category, NameId name) : outer_(current_context) {
  current_context.birth_category = category;
  current_context.birth_name = name;
}

BirthScope::~BirthScope() {
  current_context.birth_category = outer_.birth_category;
  current_context.birth_name = outer_.birth_name;
}

RecomputeScope::RecomputeScope() : outer_(current_context) {
  current_context = {};
  current_context.recompute = true;
}

RecomputeScope::~RecomputeScope() {
  current_context = outer_;
  ShareAttribution();
}

}  // namespace tidemark::capture
