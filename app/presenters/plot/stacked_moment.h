// What lies where in the timeline's stack: categories in their order, blocks of one category by birth. A
// moment and a block are looked into once; then each point and each column costs O(log live). Immutable, any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Everything that is alive at a moment. Made in O(View::EffortOfState).
class StackedMoment {
 public:
  StackedMoment() = default;
  StackedMoment(const timeline::View& view, events::EventIndex index);

  events::EventIndex index() const { return state_.index; }
  // So many bytes above the axis; null below it and above the stack. Valid as long as this is. O(log live).
  const timeline::LiveBlock* BlockAt(int64_t bytes) const;
  // Null if it is not alive. O(log live).
  const timeline::LiveBlock* BornAt(events::EventIndex born) const;

 private:
  struct Placed {
    size_t block = 0;       // in state_
    int64_t top_bytes = 0;  // in its category
  };

  timeline::State state_;
  std::array<std::vector<Placed>, events::kCategoryCount> placed_;  // from the bottom
};

// The blocks that lie below one in its category, from its birth to its end.
class OlderBlocks {
 public:
  OlderBlocks() = default;
  // What is older counted when the block was born, and does until its free is requested, in the category that
  // it has in `seen`, a moment of the block's life that knows the block's own, or at its end.
  // O(View::EffortOfState + live · log live).
  OlderBlocks(const timeline::View& view, const StackedMoment& seen, const timeline::LiveBlock& block);

  // How many bytes of them count right after an event of the block's life. O(log live).
  int64_t AliveAfter(events::EventIndex index) const;
  // Whether a later view of the run knows no more of them.
  bool all_ended() const { return all_ended_; }

 private:
  std::vector<events::EventIndex> ends_;  // when they stop counting, ascending
  std::vector<int64_t>
      ending_from_;  // bytes of those that end there or later; one more: of those that do not
  bool all_ended_ = true;
};

}  // namespace tidemark::presenters
