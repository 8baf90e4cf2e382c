// How much of what is allocated belongs to which group of blocks, right after any event: to a layer, a
// stream, what is selected. Taken in piece by piece while a run goes on, so that no frame waits for it, but
// for what was alive at the first event that the view has, which is taken in at once; exact to the byte at
// every event that has been taken in, and their sum is kAllocated. One thread.
//
// Memory: 2 bytes an event, the sums of all groups every 64 events. Follow is O(events taken in), At O(64).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

class GroupSums {
 public:
  // Puts a block into one of `groups` groups, by what it is when it is born and whenever it is categorized.
  using GroupOf = std::function<size_t(const timeline::View& view, const timeline::LiveBlock& block)>;

  GroupSums(size_t groups, GroupOf group_of);

  // Takes in at most `most` events of the view (a later one of the same run each time). True once it has all.
  bool Follow(const timeline::View& view, uint64_t most);
  size_t groups() const { return groups_; }
  events::EventIndex first() const { return base_; }
  events::EventIndex end() const { return base_ + moves_.size(); }  // one past the last that was taken in

  // The groups' bytes right after `index`, which the view holds and which was taken in.
  void At(const timeline::View& view, events::EventIndex index, std::span<int64_t> sums) const;

 private:
  static constexpr uint64_t kStride = 64;
  static constexpr uint8_t kNowhere = 255;

  struct Block {
    timeline::LiveBlock block;
    uint8_t group = 0;
  };
  struct Move {
    uint8_t from = kNowhere;
    uint8_t to = kNowhere;
  };
  // Of a block that another was put over without its being freed: its size is in no event of its end.
  struct Replaced {
    events::EventIndex index = 0;
    int64_t bytes = 0;
  };

  void Begin(const timeline::View& view);
  void LetGo(events::EventIndex before);
  void Take(const timeline::View& view, events::EventIndex index);
  Move MoveOf(const timeline::View& view, const events::Event& event, events::EventIndex index);
  void Allocate(const timeline::View& view, const events::Event& event, events::EventIndex index, Move& move);
  void Categorize(const timeline::View& view, const events::Event& event, Move& move);
  void Apply(const timeline::View& view, events::EventIndex index, std::span<int64_t> sums) const;
  uint8_t GroupFor(const timeline::View& view, const timeline::LiveBlock& block) const;

  size_t groups_;
  GroupOf group_of_;
  bool begun_ = false;
  events::EventIndex base_ = 0;
  std::unordered_map<uint64_t, Block> live_;  // by address; a block that waits to be freed is none
  std::vector<int64_t> now_;                  // after the last event
  std::vector<Move> moves_;                   // one an event
  std::vector<int64_t> kept_;                 // after base_ and every kStride-th event from there
  std::vector<Replaced> replaced_;
};

}  // namespace tidemark::presenters
