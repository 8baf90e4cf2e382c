// LibTorch's operators as scopes, on all threads: forward operators, and backward nodes with the layer whose
// forward made them. Only the outermost operator of a thread is a scope and names allocations (aten::conv2d,
// not the five operators that it calls): that is what people wrote, and a quarter of the events.
//
// Knows nothing of LibTorch: who watches its operators (profiler/capture/torch/operator_watch.h) is compiled
// for it, and tells these functions, each on the operator's own thread. The trainer and the recorder of
// programs on a phantom hold both; the probe, which knows no LibTorch, loads a library that watches.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "profiler/capture/operators/forward_places.h"
#include "profiler/capture/operators/made_tensors.h"

namespace tidemark::capture {

// What LibTorch says of an operator that begins; threads and nodes have its numbers. A library that is
// compiled elsewhere, for another LibTorch, fills it: only plain members.
struct OperatorCall {
  static constexpr uint64_t kNoNumber = std::numeric_limits<uint64_t>::max();

  std::string_view name;          // "aten::conv2d", "ConvolutionBackward0"; lives while the call does
  bool is_backward_node = false;  // else a forward operator, or what the engine does around a node
  uint64_t node = kNoNumber;      // of a backward node that has one
  uint64_t forward_thread = 0;    // that made the node
  uint64_t thread = 0;            // the calling one
  uint64_t next_node = 0;         // that this thread would make
};

// An operator begins: whether more of it is wanted, that is an OperatorBegins.
bool OperatorEnters();
void OperatorBegins(const OperatorCall& call);
// For each OperatorEnters.
void OperatorEnds();

// Who watches tells these: functions that throw nothing and live as long as the process.
struct OperatorListener {
  bool (*enters)() = nullptr;
  void (*begins)(const OperatorCall& call) = nullptr;
  bool (*awaits)(uint64_t address) = nullptr;        // of each tensor that it gives back: before its end
  void (*made)(const MadeTensor& tensor) = nullptr;  // of those
  void (*ends)() = nullptr;
  void (*learns_place)(ForwardPlace (*of_thread)()) = nullptr;  // once, before all others
};
inline constexpr OperatorListener kOperatorScopes{OperatorEnters, OperatorBegins, AwaitsTensor,
                                                  TellTensor,     OperatorEnds,   SetForwardPlaceOfThread};

// What a library that watches (profiler/capture/program/operator_adapter.cpp) exports. Once, before the first
// operator that is to be told; false where LibTorch has it refused.
inline constexpr const char* kOperatorAdapterEntry = "TidemarkWatchOperators";
using OperatorAdapterEntry = bool (*)(const OperatorListener* listener);

// Called before every outermost operator, on its thread; it may block there. Null = none. Set it before the
// operators run.
void SetOperatorGate(void (*gate)());

}  // namespace tidemark::capture
