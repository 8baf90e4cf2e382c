// What a timeline must answer, worked out the slow way: every value after every event, kept in plain vectors.
// Shares no code with the store but the definitions of its answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// Segments of the random streams begin and end at multiples of this.
inline constexpr int64_t kPageBytes = 1 << 20;

// A stream with every kind of event, right and wrong ones.
std::vector<events::Event> RandomStream(size_t count, uint32_t seed);

class Model {
 public:
  explicit Model(std::span<const events::Event> events);

  size_t size() const { return after_.size(); }
  const SeriesValues& After(size_t index) const { return after_[index]; }
  SeriesValues Before(size_t index) const { return index == 0 ? SeriesValues{} : after_[index - 1]; }
  int64_t TimeOf(size_t index) const { return times_[index]; }
  size_t IndexAt(int64_t time_ns) const;
  std::optional<EventIndex> FreedAt(size_t born) const;
  std::optional<EventIndex> StopsCountingAt(size_t born) const;
  std::optional<EventIndex> ShapedAt(size_t born) const;

  Bucket BucketOf(Series series, size_t begin, size_t end) const;
  View::Peak PeakIn(Series series, size_t begin, size_t end) const;

  // The state right after event `index`, replayed from the first.
  struct Moment {
    std::map<uint64_t, LiveBlock> blocks;
    std::set<uint64_t> pages;
    std::map<events::Level, int64_t> levels;
    SeriesValues values{};
    int64_t step = -1;
    events::Phase phase = events::Phase::kIdle;
  };
  Moment MomentAt(size_t index) const;

 private:
  // Of blocks, by birth.
  struct Ends {
    std::map<EventIndex, EventIndex> requested;
    std::map<EventIndex, EventIndex> ended;
    std::map<EventIndex, EventIndex> shaped;
  };

  void Apply(Moment& moment, size_t index, Ends* ends) const;

  std::vector<events::Event> events_;
  std::vector<SeriesValues> after_;
  std::vector<int64_t> times_;
  Ends ends_;
};

}  // namespace tidemark::timeline
