// Sees the operators that run on this thread as the program calls them: "linear", not what it is made of.
// One thread; a watch inside another takes its place while it lives.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <functional>

namespace tidemark::training {

class OperatorWatch {
 public:
  // Before the operator runs, its arguments lie last on the stack; after `run()` what it gives does.
  using Seen = std::function<void(const c10::OperatorHandle& op, torch::jit::Stack& stack,
                                  const std::function<void()>& run)>;
  explicit OperatorWatch(Seen seen);
  ~OperatorWatch();
  OperatorWatch(const OperatorWatch&) = delete;
  OperatorWatch& operator=(const OperatorWatch&) = delete;

 private:
  Seen seen_;
  const Seen* outer_;
  c10::impl::IncludeDispatchKeyGuard included_;
};

}  // namespace tidemark::training
