#include "profiler/capture/operators/context.h"

#include <atomic>

#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

using events::EventKind;
using events::NameId;

std::atomic<NameId> shared_layer{0};
std::atomic<NameId> shared_op{0};
std::atomic<events::Category> usual_birth_category{events::Category::kTemporary};

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
  if (current_context.makes_state) return events::Category::kOptimizerState;
  if (current_context.evaluates) return events::Category::kTemporary;
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
