#include "profiler/capture/operators/forward_stacks.h"

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

  // No operator begins there any more: threads' numbers are not given again. Forgets those that ended first.
  void End(uint64_t thread) {
    const MutexLock lock(mutex_);
    const auto of_thread = of_thread_.find(thread);
    if (of_thread == of_thread_.end()) return;
    ended_.push_back(thread);
    operators_of_ended_ += of_thread->second.size();
    while (operators_of_ended_ > kMostOperators) {
      const auto first = of_thread_.find(ended_.front());
      operators_of_ended_ -= first->second.size();
      of_thread_.erase(first);
      ended_.pop_front();
    }
  }

 private:
  static constexpr size_t kMostOperators = 65'536;  // of a thread; of all that ended
  struct Begun {
    uint64_t first_node;
    NameId stack;
  };
  Mutex mutex_;
  std::unordered_map<uint64_t, std::deque<Begun>> of_thread_ TIDEMARK_GUARDED_BY(mutex_);
  std::deque<uint64_t> ended_ TIDEMARK_GUARDED_BY(mutex_);  // threads of of_thread_, in that order
  size_t operators_of_ended_ TIDEMARK_GUARDED_BY(mutex_) = 0;
};

ForwardStacks& TheForwardStacks() {
  static auto& stacks = *new ForwardStacks;  // threads of LibTorch outlive main
  return stacks;
}

// Destructors of other objects of the thread may run operators after the owner's end.
thread_local bool has_ended = false;

// Of the calling thread's operators.
class Owner {
 public:
  explicit Owner(uint64_t thread) : thread_(thread) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    TheForwardStacks().End(thread_);
    has_ended = true;
  }

 private:
  uint64_t thread_;
};

}  // namespace

void RememberForwardStack(const ForwardPlace& place) {
  if (!WantsPythonStacks() || has_ended) return;
  thread_local const Owner owner(place.thread);
  TheForwardStacks().Add(place.thread, place.next_node, WithPythonStack(0));
}

NameId ForwardStackOf(uint64_t forward_thread, uint64_t sequence_number) {
  return WantsPythonStacks() ? TheForwardStacks().Find(forward_thread, sequence_number) : 0;
}

}  // namespace tidemark::capture
