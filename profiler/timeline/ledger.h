// What an event does to the series. The ledger works it out once, with the blocks and segments that are
// alive; the note it leaves beside the event (one byte) lets any reader replay the series from there without
// knowing them.
//
// Not thread safe. O(1) expected per event.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/timeline/live_blocks.h"
#include "profiler/timeline/segments.h"
#include "profiler/timeline/series.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// The note: how an event, as the ledger completed it, moves the series.
enum class Effect : uint8_t {
  kNone,
  kAllocate,  // + rounded_bytes in category
  kReplace,   // the same, and what lived at the address before is gone: see Replaced
  kFree,      // − rounded_bytes in category
  kReserve,   // + rounded_bytes
  kRelease,   // − rounded_bytes
  kLevel,     // the level is `bytes` from here on
  kMove,      // rounded_bytes from category (effect − kMove) to category; the last of the values
};
inline constexpr int kEffectCount = static_cast<int>(Effect::kMove) + events::kCategoryCount;

void AddBlock(SeriesValues& values, events::Category category, int64_t bytes, int64_t rounded_bytes);
void SubtractBlock(SeriesValues& values, events::Category category, int64_t bytes, int64_t rounded_bytes);
// All effects but kReplace's Replaced.
void Replay(SeriesValues& values, const events::Event& event, Effect effect);

class Ledger {
 public:
  struct Outcome {
    Effect effect = Effect::kNone;
    bool ended = false;      // `block` is gone for good: freed, or replaced
    bool has_shape = false;  // `block` has, from here on
    LiveBlock block;
  };

  // Completes the event (see timeline.h), and changes the values, the blocks and the segments by it. What
  // does not fit is counted in `health`.
  Outcome Apply(events::Event& event, EventIndex index, Health& health);

  const SeriesValues& values() const { return values_; }
  const LiveBlocks& blocks() const { return blocks_; }
  const Segments& segments() const { return segments_; }
  size_t size() const { return blocks_.size() + segments_.size(); }

  // For a ledger that has seen nothing: goes on with what was alive at a moment kept earlier. Its values
  // start from 0.
  void Restore(const std::vector<LiveBlock>& blocks, const std::vector<Segment>& segments);

 private:
  Outcome ApplyAllocate(events::Event& event, EventIndex index, Health& health);
  Outcome ApplyFree(events::Event& event, Health& health);
  Outcome ApplyCategorize(events::Event& event, Health& health);
  Outcome ApplyShape(events::Event& event, Health& health);
  Outcome ApplySegment(events::Event& event, EventIndex index, Health& health);
  Outcome ApplyCounter(const events::Event& event);
  // That an event says something of, completed by it; null, and counted, if nothing lives there.
  LiveBlock* BlockTold(events::Event& event, Health& health);

  SeriesValues values_{};
  LiveBlocks blocks_;
  Segments segments_;
};

}  // namespace tidemark::timeline
