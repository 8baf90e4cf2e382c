#include "profiler/capture/operators/forward_places.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <unordered_map>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stacks/stack_names.h"

namespace tidemark::capture {
namespace {

using events::NameId;

class ForwardPlaces {
 public:
  // From `first_node` on; what `change` leaves as it is holds on from before.
  template <typename Change>
  void Add(const ForwardPlace& place, const Change& change) {
    const MutexLock lock(mutex_);
    std::deque<Begun>& places = of_thread_[place.thread].begun;
    // One at which no node was made leaves its place to the next.
    if (places.empty() || places.back().first_node != place.next_node) {
      places.push_back({place.next_node, places.empty() ? MadeAt{} : places.back().known});
    }
    change(places.back().known);
    if (places.size() > kMostPlaces) places.pop_front();
  }
  MadeAt Find(uint64_t thread, uint64_t node) {
    const MutexLock lock(mutex_);
    const auto of_thread = of_thread_.find(thread);
    if (of_thread == of_thread_.end()) return {};
    const std::deque<Begun>& places = of_thread->second.begun;
    const auto next = std::ranges::upper_bound(places, node, {}, &Begun::first_node);
    return next == places.begin() ? MadeAt{} : std::prev(next)->known;
  }

  // No operator begins there any more: threads' numbers are not given again. Forgets those that ended first.
  void End(uint64_t thread) {
    const MutexLock lock(mutex_);
    const auto of_thread = of_thread_.find(thread);
    if (of_thread == of_thread_.end() || of_thread->second.have_ended) return;
    of_thread->second.have_ended = true;
    ended_.push_back(thread);
    places_of_ended_ += of_thread->second.begun.size();
    while (places_of_ended_ > kMostPlaces) {
      const auto first = of_thread_.find(ended_.front());
      places_of_ended_ -= first->second.begun.size();
      of_thread_.erase(first);
      ended_.pop_front();
    }
  }

 private:
  static constexpr size_t kMostPlaces = 65'536;  // of a thread; of all that ended
  struct Begun {
    uint64_t first_node;
    MadeAt known;
  };
  struct Places {
    std::deque<Begun> begun;
    bool have_ended = false;
  };
  Mutex mutex_;
  std::unordered_map<uint64_t, Places> of_thread_ TIDEMARK_GUARDED_BY(mutex_);
  std::deque<uint64_t> ended_ TIDEMARK_GUARDED_BY(mutex_);  // threads of of_thread_, in that order
  size_t places_of_ended_ TIDEMARK_GUARDED_BY(mutex_) = 0;
};

ForwardPlaces& ThePlaces() {
  static auto& places = *new ForwardPlaces;  // threads of LibTorch outlive main
  return places;
}

std::atomic<ForwardPlace (*)()> place_of_thread{nullptr};

// Destructors of other objects of the thread may run operators after the owner's end.
thread_local bool has_ended = false;

// Of the calling thread's places.
class Owner {
 public:
  explicit Owner(uint64_t thread) : thread_(thread) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    ThePlaces().End(thread_);
    has_ended = true;
  }

 private:
  uint64_t thread_;
};

// No template: a thread has one owner, whatever is remembered of it.
void OwnPlacesOf(uint64_t thread) { thread_local const Owner owner(thread); }

template <typename Change>
void Remember(const ForwardPlace& place, const Change& change) {
  if (has_ended) return;
  OwnPlacesOf(place.thread);
  ThePlaces().Add(place, change);
}

}  // namespace

void RememberForwardStack(const ForwardPlace& place) {
  if (!WantsPythonStacks()) return;
  const NameId stack = WithPythonStack(0);
  Remember(place, [stack](MadeAt& known) { known.stack = stack; });
}

void SetForwardPlaceOfThread(ForwardPlace (*asked)()) { place_of_thread = asked; }

void RememberForwardLayer(NameId layer) {
  ForwardPlace (*const asked)() = place_of_thread.load(std::memory_order_relaxed);
  if (asked != nullptr) Remember(asked(), [layer](MadeAt& known) { known.layer = layer; });
}

MadeAt PlaceOfNode(uint64_t forward_thread, uint64_t sequence_number) {
  return ThePlaces().Find(forward_thread, sequence_number);
}

}  // namespace tidemark::capture
