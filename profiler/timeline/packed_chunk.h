// A full chunk in a seventh of its size: what repeats is kept once. An event is a time and three numbers,
// each of as many bits as the chunk needs:
//
//   time since the earliest of its leaf │ which address │ which sizes │ which of everything else
//
// and the three say where to look in lists of what occurs in the chunk. The extents of a series are kept only
// where it moves, in units of the largest power of two that divides them. Any event or node is still read in
// O(1).
//
// Memory: about 10 bytes an event of a training run; where nothing repeats, at most 90. Packing O(events).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/timeline/bit_column.h"
#include "profiler/timeline/chunk.h"
#include "profiler/timeline/open_chunk.h"

namespace tidemark::timeline {

class PackedChunk final : public Chunk {
 public:
  // The chunk is full. Called by the thread that appends to it.
  explicit PackedChunk(const OpenChunk& full);

  events::Event EventAt(size_t offset) const override;
  int64_t TimeOf(size_t offset) const override;
  events::EventKind KindOf(size_t offset) const override { return rests_[rest_numbers_[offset]].kind; }
  uint64_t AddressOf(size_t offset) const override { return addresses_[address_numbers_[offset]]; }
  uint32_t NextAfter(size_t offset) const override;
  void Replay(SeriesValues& values, size_t from, size_t to) const override;
  Extent ExtentOf(Series series, size_t node) const override;
  size_t PeakOffset(size_t node) const override { return peak_offset_[node]; }
  SeriesValues ValuesAtPeak(size_t node) const override;
  int64_t ValueAtEnd(Series series, size_t leaf) const override;
  SeriesValues ValuesAtEnd(size_t leaf) const override;
  int64_t TimeAtEnd(size_t leaf) const override { return time_at_end_[leaf]; }
  size_t bytes() const override;
  void SetNextAfter(size_t offset, uint32_t events) override;

 private:
  struct Sizes {
    int64_t bytes;
    int64_t rounded_bytes;
  };
  // An event but for its time, address and sizes, which are 0 here.
  struct Rest {
    uint64_t stream;
    events::NameId layer, op, name;
    uint32_t thread;
    events::EventKind kind;
    events::Category category;
    events::Phase phase;
    events::Source source;
    uint8_t device;
    uint8_t recompute;
    events::Level level;
    uint8_t pool;
    uint64_t effect;  // an Effect, as wide as leaves no padding: entries are compared as bytes
  };
  // A series that moves within the chunk: base + number << shift.
  struct Moving {
    size_t series;
    int64_t base;
    int shift;
    BitColumn numbers;  // see kMinima, ...
  };
  // Where in Moving::numbers each kind of value begins.
  static constexpr size_t kMinima = 0;
  static constexpr size_t kMaxima = kMinima + kNodes;
  static constexpr size_t kEnds = kMaxima + kNodes;
  static constexpr size_t kPeaks = kEnds + kLeaves;
  static constexpr size_t kNumbers = kPeaks + kNodes;
  static constexpr uint8_t kStill = 0xff;

  void PackTimes(const OpenChunk& full);
  void PackEvents(const OpenChunk& full);
  void PackNext(const OpenChunk& full);
  void PackSeries(const OpenChunk& full);
  std::atomic<uint32_t>* NextOf(size_t offset) const;  // null: nothing comes after that
  static int64_t NumberOf(const Moving& moving, size_t position);
  SeriesValues ValuesFrom(size_t position) const;  // of every series' numbers

  std::array<int64_t, kLeaves> earliest_;
  BitColumn since_earliest_;
  BitColumn address_numbers_;
  BitColumn sizes_numbers_;
  BitColumn rest_numbers_;
  std::vector<uint64_t> addresses_;
  std::vector<Sizes> sizes_;
  std::vector<Rest> rests_;

  // Of a leaf's events, one bit each: whether NextAfter tells of what comes after it (a kAllocate, a
  // kTensorShape or a kFreeRequested); and how many there are in the leaves before.
  std::array<uint64_t, kLeaves> followed_;
  std::array<uint16_t, kLeaves> followed_before_;
  std::unique_ptr<std::atomic<uint32_t>[]> next_after_;  // one for each of these

  std::vector<Moving> moving_;
  std::array<uint8_t, kSeriesCount> moving_of_;  // index into moving_, or kStill
  std::array<uint16_t, kNodes> peak_offset_;
  std::array<int64_t, kLeaves> time_at_end_;
  std::vector<Replaced> replaced_;
};

}  // namespace tidemark::timeline
