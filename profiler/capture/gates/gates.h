// Gates: functions of LibTorch and of NVIDIA's libraries that a process meets first under their own names,
// because ours are found before theirs. Each tells who listens and passes the call on, so nothing changes for
// the caller. The trainer has those of NVIDIA's libraries in its executable; a user's program on a phantom
// gets all of them as libtidemark-capture-gates.so in LD_PRELOAD, and any other those of LibTorch within the
// probe; both know nothing of Torch.
//
// Any thread. A gate at which nobody listens costs one load. Listeners throw nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

struct AsyncBlock {
  const void* address = nullptr;
  size_t bytes = 0;  // as asked for
  const void* stream = nullptr;
  int device = 0;
};

template <typename Function>
using Listener = std::atomic<Function*>;

// Pointers to void are LibTorch's objects, of types that only a listener compiled with its headers knows.
struct Gates {
  // NVIDIA's libraries are handed scratch memory: what LibTorch keeps for the next call, and what it asks for
  // again each time.
  Listener<void(void* workspace, size_t bytes, const char* name)> kept_workspace{nullptr};
  Listener<void(void* workspace)> cudnn_workspace{nullptr};

  // cudaMemcpyAsync from the host's memory to here.
  Listener<void(const void* device)> copied_from_host{nullptr};
  // cudaMemcpyAsync from one place of the device to another: a copy that converts nothing and has no gaps.
  Listener<void(const void* to, const void* from, size_t bytes)> copied_on_device{nullptr};

  // c10::reportMemoryUsageToProfiler for CUDA memory: by how many bytes a block changed what is allocated.
  Listener<void(int64_t change_bytes)> memory_reported{nullptr};
  // PyTorch with backend:cudaMallocAsync has this block from CUDA, or found no room for one of that size; or
  // is about to give it back, when its size is not told. Under its lock.
  Listener<void(const AsyncBlock& block)> async_block_made{nullptr};
  Listener<void(const AsyncBlock& block, size_t free_bytes)> async_block_failed{nullptr};
  Listener<void(const AsyncBlock& block)> async_block_goes{nullptr};
  // torch::autograd::SavedVariable was made from this at::Tensor: backward needs it.
  Listener<void(const void* tensor)> tensor_saved{nullptr};
  // This torch::autograd::AccumulateGrad is made for this at::Tensor: gradients will be accumulated for it.
  Listener<void(const void* node, const void* tensor)> accumulator_made{nullptr};
  // A torch::autograd::AccumulateGrad is about to take this std::vector of at::Tensor, of which there is one.
  Listener<void(const void* gradients)> gradient_arrives{nullptr};
  // This torch::autograd::AccumulateGrad has run: its tensor's .grad is up to date.
  Listener<void(const void* node)> gradient_accumulated{nullptr};
  // torch::autograd::Engine::execute: one in another counts as well.
  Listener<void()> backward_begins{nullptr};
  Listener<void()> backward_ended{nullptr};
  // at::autocast::cached_cast of this at::Tensor to the at::ScalarType of that number.
  Listener<void(const void* tensor, int8_t scalar_type)> cast_begins{nullptr};
  Listener<void()> cast_ended{nullptr};
  // torch.nn.Module.__call__ of a module with that name, and its end, however it ends (layer_gate.h).
  // Says whether it is the outermost of its thread.
  Listener<bool(const char* name)> layer_begins{nullptr};
  Listener<void()> layer_ends{nullptr};
  // What the program's Python knows of a block: a parameter or buffer of a torch.nn.Module, what an optimizer
  // keeps for it, a shard's gradient, ...
  Listener<void(const void* block, int64_t bytes, events::Category category, const char* name)> tensor_known{
      nullptr};
  // Not told, but asked by who hears of a tensor that wraps others, by its PyObject, and by that of the
  // parameter whose gradient it is, or its own: Python's side tells at tensor_known what those in it hold.
  Listener<void(void* object, uint8_t category, void* parameter)> wrapped{nullptr};
  // Remembered, not told: optimizers are made before there is a listener (layer_gate.h).
  std::atomic<bool> optimizer_was_made{false};
  // at::cuda::CUDAGraph::replay of that graph: what was captured has been submitted again.
  Listener<void(const void* graph)> graph_replayed{nullptr};
  // c10d::Reducer::initialize_buckets: DistributedDataParallel makes what it sends gradients in.
  Listener<void()> buckets_begin{nullptr};
  Listener<void()> buckets_ended{nullptr};
};

// The process's own; lives for ever.
Gates& TheGates();
// Nobody listens any more: for a forked child, which has one thread, and whose events are none of ours.
void CloseGates();

template <typename Function, typename... Arguments>
void Tell(const Listener<Function>& listener, Arguments... arguments) {
  if (Function* const told = listener.load(std::memory_order_acquire)) told(arguments...);
}

}  // namespace tidemark::capture
