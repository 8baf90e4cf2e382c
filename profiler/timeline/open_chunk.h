// The chunk that events are appended to: everything at full width, ready to be read while it grows. One
// thread appends; see chunk.h for who reads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "profiler/timeline/chunk.h"

namespace tidemark::timeline {

// What a kReplace took away. Rare: the free before it was lost.
struct Replaced {
  int64_t bytes = 0;
  int64_t rounded_bytes = 0;
  uint32_t offset = 0;  // of the event in its chunk
  events::Category category = events::Category::kUnknown;
};
// The one at `offset`, of those of a chunk, which ascend and hold it.
const Replaced& ReplacedAt(std::span<const Replaced> replaced, size_t offset);

class OpenChunk final : public Chunk {
 public:
  // The large members are filled as the events come; clearing them first would cost as much as filling them.
  explicit OpenChunk(ChunkStart start)
      : Chunk(std::move(start)) {}  // NOLINT(cppcoreguidelines-pro-type-member-init)
  ~OpenChunk() override {}          // NOLINT(modernize-use-equals-default): of `events_`
  OpenChunk(const OpenChunk&) = delete;
  OpenChunk& operator=(const OpenChunk&) = delete;

  size_t size() const { return size_; }
  bool full() const { return size_ == kChunkEvents; }
  // The event has been completed and `values` are those after it; `time_ns` is the largest stamp so far.
  void Append(const events::Event& event, const Ledger::Outcome& outcome, const SeriesValues& values,
              int64_t time_ns);

  // What packing reads.
  const events::Event& EventIn(size_t offset) const { return events_[offset]; }
  Effect EffectOf(size_t offset) const { return effects_[offset]; }
  std::span<const Replaced> replaced() const;

  events::Event EventAt(size_t offset) const override { return events_[offset]; }
  int64_t TimeOf(size_t offset) const override { return events_[offset].time_ns; }
  events::EventKind KindOf(size_t offset) const override { return events_[offset].kind; }
  uint64_t AddressOf(size_t offset) const override { return events_[offset].address; }
  uint32_t NextAfter(size_t offset) const override {
    return next_after_[offset].load(std::memory_order_relaxed);
  }
  void Replay(SeriesValues& values, size_t from, size_t to) const override;
  Extent ExtentOf(Series series, size_t node) const override {
    return extents_[static_cast<size_t>(series)][node];
  }
  size_t PeakOffset(size_t node) const override { return peak_offset_[node]; }
  SeriesValues ValuesAtPeak(size_t node) const override { return at_peak_[node]; }
  int64_t ValueAtEnd(Series series, size_t leaf) const override { return ValueOf(at_end_[leaf], series); }
  SeriesValues ValuesAtEnd(size_t leaf) const override { return at_end_[leaf]; }
  int64_t TimeAtEnd(size_t leaf) const override { return time_at_end_[leaf]; }
  size_t bytes() const override { return sizeof *this; }
  void SetNextAfter(size_t offset, uint32_t events) override {
    next_after_[offset].store(events, std::memory_order_relaxed);
  }

 private:
  void KeepReplaced(const LiveBlock& block);
  void BeginLeaf(const SeriesValues& values);
  void Extend(const SeriesValues& values);
  void CloseLeaf(const SeriesValues& values, int64_t time_ns);
  void CloseParents(size_t leaf);

  size_t size_ = 0;
  // Of the leaf being filled.
  std::array<Extent, kSeriesCount> open_{};
  SeriesValues open_peak_{};
  size_t open_peak_offset_ = 0;

  union {
    std::array<events::Event, kChunkEvents> events_;
  };
  std::array<Effect, kChunkEvents> effects_;
  std::array<std::atomic<uint32_t>, kChunkEvents> next_after_;

  std::array<std::array<Extent, kNodes>, kSeriesCount> extents_;
  std::array<SeriesValues, kNodes> at_peak_;
  std::array<uint16_t, kNodes> peak_offset_;
  std::array<SeriesValues, kLeaves> at_end_;
  std::array<int64_t, kLeaves> time_at_end_;

  std::unique_ptr<Replaced[]> replaced_;  // kChunkEvents of them, made with the first
  std::atomic<uint32_t> replaced_count_{0};
};

}  // namespace tidemark::timeline
