// A packed chunk answers every question as the open one did.
#include "profiler/timeline/packed_chunk.h"

#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "tests/support/catch.h"

namespace tidemark::timeline {

using events::Event;

namespace {

// Any bytes that the store lets in; a few of the values come often, the extreme ones among them.
class AnyEvents {
 public:
  explicit AnyEvents(bool repeats) : repeats_(repeats) {}

  Event Next() {
    Event event;
    event.time_ns = Number();
    event.address = static_cast<uint64_t>(Number());
    event.bytes = Number();
    event.rounded_bytes = Number();
    event.stream = static_cast<uint64_t>(Number());
    event.layer = static_cast<uint32_t>(Number());
    event.op = static_cast<uint32_t>(Number());
    event.name = static_cast<uint32_t>(Number());
    event.thread = static_cast<uint32_t>(Number());
    event.kind = static_cast<events::EventKind>(Below(events::kEventKindCount));
    event.category = static_cast<events::Category>(Below(events::kCategoryCount));
    event.phase = static_cast<events::Phase>(Below(events::kPhaseCount));
    event.source = static_cast<events::Source>(Below(events::kSourceCount));
    event.device = static_cast<uint8_t>(Below(256));
    event.recompute = static_cast<uint8_t>(Below(256));
    event.level = static_cast<events::Level>(1 + Below(events::kLevelCount - 1));
    event.pool = static_cast<uint8_t>(Below(256));
    return event;
  }
  int64_t Number() {
    constexpr std::array<int64_t, 5> kOften = {0, 1, -1, std::numeric_limits<int64_t>::max(),
                                               std::numeric_limits<int64_t>::min()};
    if (repeats_ || Below(2) == 0) return kOften[static_cast<size_t>(Below(kOften.size()))];
    return static_cast<int64_t>(random_());
  }
  int64_t Below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }
  Effect EffectOf(const Event& event) {
    if (event.kind == events::EventKind::kAllocate) return Effect::kAllocate;
    return static_cast<Effect>(static_cast<int>(Effect::kFree) + Below(kEffectCount - 3));
  }

 private:
  const bool repeats_;
  std::mt19937_64 random_{5};
};

std::unique_ptr<OpenChunk> FullChunk(bool repeats) {
  AnyEvents any(repeats);
  ChunkStart start;
  start.index = 3 * kChunkEvents;
  start.values.fill(77);
  auto chunk = std::make_unique<OpenChunk>(start);
  SeriesValues values = start.values;
  while (!chunk->full()) {
    const Event event = any.Next();
    Ledger::Outcome outcome;
    outcome.effect = any.EffectOf(event);
    if (outcome.effect == Effect::kAllocate && any.Below(3) == 0) {
      outcome.effect = Effect::kReplace;
      outcome.block.rounded_bytes = any.Number();
      SubtractBlock(values, outcome.block.category, 0, outcome.block.rounded_bytes);
    }
    Replay(values, event, outcome.effect);
    chunk->Append(event, outcome, values, any.Number());
    if (event.kind == events::EventKind::kAllocate && any.Below(2) == 0)
      chunk->SetNextAfter(chunk->size() - 1, static_cast<uint32_t>(any.Below(1 << 20)));
  }
  return chunk;
}

bool SameEvents(const Chunk& a, const Chunk& b) {
  for (size_t at = 0; at < kChunkEvents; ++at) {
    if (a.EventAt(at) != b.EventAt(at) || a.TimeOf(at) != b.TimeOf(at) ||
        a.NextAfter(at) != b.NextAfter(at) || ValuesBefore(a, at) != ValuesBefore(b, at))
      return false;
  }
  return true;
}

bool SameNodes(const Chunk& a, const Chunk& b) {
  for (size_t node = 0; node < kNodes; ++node) {
    if (a.PeakOffset(node) != b.PeakOffset(node) || a.ValuesAtPeak(node) != b.ValuesAtPeak(node))
      return false;
    for (int series = 0; series < kSeriesCount; ++series) {
      const Extent extent_a = a.ExtentOf(static_cast<Series>(series), node);
      const Extent extent_b = b.ExtentOf(static_cast<Series>(series), node);
      if (extent_a.min != extent_b.min || extent_a.max != extent_b.max) return false;
    }
  }
  return true;
}

bool SameLeaves(const Chunk& a, const Chunk& b) {
  for (size_t leaf = 0; leaf < kLeaves; ++leaf) {
    if (a.ValuesAtEnd(leaf) != b.ValuesAtEnd(leaf) || a.TimeAtEnd(leaf) != b.TimeAtEnd(leaf)) return false;
    for (int series = 0; series < kSeriesCount; ++series) {
      if (a.ValueAtEnd(static_cast<Series>(series), leaf) != b.ValueAtEnd(static_cast<Series>(series), leaf))
        return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("A packed chunk answers as the open one, whatever the events are") {
  for (const bool repeats : {true, false}) {
    const auto open = FullChunk(repeats);
    PackedChunk packed(*open);
    CHECK(packed.start().index == open->start().index);
    CHECK(SameEvents(*open, packed));
    CHECK(SameNodes(*open, packed));
    CHECK(SameLeaves(*open, packed));
    size_t birth = 0;
    while (open->EventAt(birth).kind != events::EventKind::kAllocate) ++birth;
    packed.SetNextAfter(birth, 4321);
    CHECK(packed.NextAfter(birth) == 4321);
    CHECK(open->NextAfter(birth) != 4321);
  }
}

TEST_CASE("A column of bits holds numbers of any width") {
  for (const int width : {0, 1, 7, 31, 63, 64}) {
    std::mt19937_64 random(static_cast<uint64_t>(width));
    std::vector<uint64_t> numbers(200);
    for (uint64_t& number : numbers) number = width == 0 ? 0 : random() >> (64 - width);
    const BitColumn column(numbers);
    for (size_t at = 0; at < numbers.size(); ++at) REQUIRE(column[at] == numbers[at]);
  }
}

}  // namespace tidemark::timeline
