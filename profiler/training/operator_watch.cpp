#include "profiler/training/operator_watch.h"

#include <torch/library.h>

#include <utility>

namespace tidemark::training {
namespace {

// Nothing else uses it, and it stands before autocast and autograd.
constexpr c10::DispatchKey kWatchKey = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

constinit thread_local const OperatorWatch::Seen* current_watch = nullptr;

void TellWatch(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard not_what_it_is_made_of(kWatchKey);
  const auto run = [&op, stack] { op.callBoxed(stack); };
  if (current_watch == nullptr) return run();
  (*current_watch)(op, *stack, run);
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericWrapper, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&TellWatch>());
}

}  // namespace

OperatorWatch::OperatorWatch(Seen seen)
    : seen_(std::move(seen)), outer_(std::exchange(current_watch, &seen_)), included_(kWatchKey) {}

OperatorWatch::~OperatorWatch() { current_watch = outer_; }

}  // namespace tidemark::training
