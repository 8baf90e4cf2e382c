// What each device of a stream held at the most, where the series add all of them up. Belongs to the builder;
// not thread safe. O(devices) per event that moves memory.
#pragma once

#include <vector>

#include "profiler/events/event.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

class DevicePeaksBuilder {
 public:
  // Every event, as the ledger completed it.
  void Apply(const events::Event& event, const Ledger::Outcome& outcome);

  const std::vector<DevicePeaks>& peaks() const { return peaks_; }  // by number
  DevicePeaks NowOn(uint8_t device) const;                          // what it holds

 private:
  void Add(const DevicePeaks& change);
  void Subtract(const LiveBlock& block);

  std::vector<DevicePeaks> now_;  // in the order of peaks_
  std::vector<DevicePeaks> peaks_;
};

}  // namespace tidemark::timeline
