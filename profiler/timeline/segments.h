// What is reserved from the driver: disjoint stretches of the address space. What is reserved again belongs
// to the later segment and is not counted twice; freeing takes only what was there. So the size of the union
// is right whatever is reported. Not thread safe. O(log segments) amortised.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// Where so many bytes from there on end; of what no address space has, where that ends.
uint64_t EndOf(uint64_t address, int64_t bytes);

class Segments {
 public:
  // Both return by how many bytes the union changed.
  int64_t Reserve(const Segment& segment);
  int64_t Release(uint64_t address, int64_t bytes);
  // The size of the segment that begins there, for frees that do not tell it; 0 if none does.
  int64_t SizeAt(uint64_t address) const;
  const Segment* At(uint64_t address) const;  // that holds it; nullptr if none does
  size_t size() const { return segments_.size(); }
  void AppendTo(std::vector<Segment>& segments) const;  // by address

 private:
  using Map = std::map<uint64_t, Segment>;
  void Insert(Segment segment);

  Map segments_;
};

}  // namespace tidemark::timeline
