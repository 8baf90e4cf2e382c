// The scopes of one thread, from their begins and ends to slices in the order of their begins. Perfetto takes
// a slice for a child only if its parent was written before it when both begin at the same time; so slices
// wait until the outermost one has ended. Memory: at most kMaxWaiting slices and those that are open.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::trace {

class ScopeSlices {
 public:
  struct Slice {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    events::NameId layer = 0;
    events::NameId op = 0;
    events::NameId computed_in = 0;  // the type, where autocast chose
    bool recompute = false;
    bool ended = false;
    bool unfinished = false;  // the run ended before
  };
  static constexpr size_t kMaxWaiting = 1 << 16;

  void Begin(const Slice& slice) {
    open_.push_back(slices_.size());
    slices_.push_back(slice);
  }
  // The innermost; nothing if none is open (it began before the view does).
  void End(int64_t time_ns, events::NameId computed_in) {
    if (open_.empty()) return;
    Slice& slice = slices_[open_.back()];
    slice.end_ns = time_ns;
    slice.computed_in = computed_in;
    slice.ended = true;
    open_.pop_back();
  }
  void CutAll(int64_t time_ns) {
    for (const size_t open : open_) slices_[open].unfinished = true;
    while (!open_.empty()) End(time_ns, 0);
  }

  bool ready() const {
    return !slices_.empty() && (open_.empty() || slices_.size() - open_.size() >= kMaxWaiting);
  }

  // Those that have ended; those that are open stay.
  std::vector<Slice> Take() {
    std::vector<Slice> ended;
    std::vector<Slice> waiting;
    for (const Slice& slice : slices_) (slice.ended ? ended : waiting).push_back(slice);
    slices_ = std::move(waiting);
    for (size_t i = 0; i < open_.size(); ++i) open_[i] = i;
    return ended;
  }

 private:
  std::vector<Slice> slices_;
  std::vector<size_t> open_;  // indices into slices_, outermost first
};

}  // namespace tidemark::trace
