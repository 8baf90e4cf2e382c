#include "profiler/capture/torch/forward_stacks.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stacks/stack_names.h"

namespace tidemark::capture {
namespace {

using events::NameId;

class ForwardStacks {
 public:
  void Add(uint64_t thread, uint64_t first_node, NameId stack) {
    const MutexLock lock(mutex_);
    std::deque<Begun>& operators = of_thread_[thread];
    // One that made no node leaves its place to the next.
    if (!operators.empty() && operators.back().first_node == first_node) operators.pop_back();
    operators.push_back({first_node, stack});
    if (operators.size() > kMostOperators) operators.pop_front();
  }
  NameId Find(uint64_t thread, uint64_t node) {
    const MutexLock lock(mutex_);
    const auto of_thread = of_thread_.find(thread);
    if (of_thread == of_thread_.end()) return 0;
    const std::deque<Begun>& operators = of_thread->second;
    const auto next = std::ranges::upper_bound(operators, node, {}, &Begun::first_node);
    return next == operators.begin() ? 0 : std::prev(next)->stack;
  }

 private:
  static constexpr size_t kMostOperators = 65'536;
  struct Begun {
    uint64_t first_node;
    NameId stack;
  };
  Mutex mutex_;
  std::unordered_map<uint64_t, std::deque<Begun>> of_thread_ TIDEMARK_GUARDED_BY(mutex_);
};

ForwardStacks& TheForwardStacks() {
  static auto& stacks = *new ForwardStacks;  // threads of LibTorch outlive main
  return stacks;
}

}  // namespace

void RememberForwardStack() {
  if (!WantsPythonStacks()) return;
  TheForwardStacks().Add(at::RecordFunction::currentThreadId(), at::sequence_number::peek(),
                         WithPythonStack(0));
}

NameId ForwardStackOf(uint64_t forward_thread, uint64_t sequence_number) {
  return WantsPythonStacks() ? TheForwardStacks().Find(forward_thread, sequence_number) : 0;
}

}  // namespace tidemark::capture
