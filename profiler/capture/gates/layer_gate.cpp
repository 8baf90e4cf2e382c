#include "profiler/capture/gates/layer_gate.h"

#include <algorithm>
#include <atomic>

#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/gates.h"

using tidemark::capture::FunctionBehind;
using tidemark::capture::Tell;
using tidemark::capture::TheGates;

// Behind either may be the same of another library of ours: the probe stands before a phantom's gates.
int TidemarkLayerBegins(const char* name) {
  static constinit FunctionBehind<int (*)(const char*)> next;
  const auto behind = next.Get(nullptr, "TidemarkLayerBegins");
  auto* const told = TheGates().layer_begins.load(std::memory_order_acquire);
  const int here = told != nullptr && told(name) ? 2 : 1;
  return behind == nullptr ? here : std::max(here, behind(name));
}

void TidemarkLayerEnds() {
  static constinit FunctionBehind<void (*)()> next;
  if (const auto behind = next.Get(nullptr, "TidemarkLayerEnds")) behind();
  Tell(TheGates().layer_ends);
}

void TidemarkOptimizerMade() {
  static constinit FunctionBehind<void (*)()> next;
  if (const auto behind = next.Get(nullptr, "TidemarkOptimizerMade")) behind();
  TheGates().optimizer_was_made.store(true, std::memory_order_relaxed);
}

void TidemarkTellWrappedBy(WrappedTelling tell) {
  static constinit FunctionBehind<void (*)(WrappedTelling)> next;
  if (const auto behind = next.Get(nullptr, "TidemarkTellWrappedBy")) behind(tell);
  TheGates().wrapped = tell;
}

void TidemarkTensor(const void* block, int64_t bytes, uint8_t category, const char* name) {
  static constinit FunctionBehind<void (*)(const void*, int64_t, uint8_t, const char*)> next;
  const auto behind = next.Get(nullptr, "TidemarkTensor");
  Tell(TheGates().tensor_known, block, bytes, static_cast<tidemark::events::Category>(category), name);
  if (behind != nullptr) behind(block, bytes, category, name);
}
