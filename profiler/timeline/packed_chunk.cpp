#include "profiler/timeline/packed_chunk.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tidemark::timeline {
namespace {

// Numbers what occurs, in the order of its first appearance. Entries are told apart by their bytes.
template <typename Entry>
class Numbering {
 public:
  uint64_t NumberOf(const Entry& entry) {
    const auto words = std::bit_cast<Words>(entry);
    size_t slot = HashOf(words) % kSlots;
    while (slots_[slot] != 0) {
      if (std::bit_cast<Words>(entries_[slots_[slot] - 1U]) == words) return slots_[slot] - 1U;
      slot = (slot + 1) % kSlots;
    }
    entries_.push_back(entry);
    slots_[slot] = static_cast<uint16_t>(entries_.size());
    return entries_.size() - 1;
  }
  std::vector<Entry> Entries() const { return {entries_.begin(), entries_.end()}; }  // no larger than needed

 private:
  static constexpr size_t kWordBytes = 8;
  using Words = std::array<uint64_t, sizeof(Entry) / kWordBytes>;
  static constexpr size_t kSlots = 2 * kChunkEvents;

  // Fibonacci hashing, word by word.
  static size_t HashOf(const Words& words) {
    uint64_t hash = 0;
    for (const uint64_t word : words) {
      hash = (std::rotl(hash, 29) ^ word) * 0x9E37'79B9'7F4A'7C15U;
      hash ^= hash >> 32U;
    }
    return hash;
  }

  std::vector<Entry> entries_;
  std::array<uint16_t, kSlots> slots_{};  // a number + 1; 0 = free
};

}  // namespace

PackedChunk::PackedChunk(const OpenChunk& full) : Chunk(full.start()) {
  PackTimes(full);
  PackEvents(full);
  PackNext(full);
  PackSeries(full);
  const auto replaced = full.replaced();
  replaced_.assign(replaced.begin(), replaced.end());
}

void PackedChunk::PackTimes(const OpenChunk& full) {
  std::vector<uint64_t> since(kChunkEvents);
  for (size_t leaf = 0; leaf < kLeaves; ++leaf) {
    const size_t begin = leaf * kLeafEvents;
    int64_t earliest = full.EventIn(begin).time_ns;
    for (size_t at = begin; at < begin + kLeafEvents; ++at)
      earliest = std::min(earliest, full.EventIn(at).time_ns);
    for (size_t at = begin; at < begin + kLeafEvents; ++at)
      since[at] = static_cast<uint64_t>(full.EventIn(at).time_ns) - static_cast<uint64_t>(earliest);
    earliest_[leaf] = earliest;
    time_at_end_[leaf] = full.TimeAtEnd(leaf);
  }
  since_earliest_ = BitColumn(since);
}

void PackedChunk::PackEvents(const OpenChunk& full) {
  Numbering<uint64_t> addresses;
  Numbering<Sizes> sizes;
  Numbering<Rest> rests;
  std::vector<uint64_t> address_numbers(kChunkEvents);
  std::vector<uint64_t> sizes_numbers(kChunkEvents);
  std::vector<uint64_t> rest_numbers(kChunkEvents);
  for (size_t at = 0; at < kChunkEvents; ++at) {
    const events::Event& event = full.EventIn(at);
    address_numbers[at] = addresses.NumberOf(event.address);
    sizes_numbers[at] = sizes.NumberOf({event.bytes, event.rounded_bytes});
    rest_numbers[at] =
        rests.NumberOf({event.stream, event.layer, event.op, event.name, event.thread, event.kind,
                        event.category, event.phase, event.source, event.device, event.recompute, event.level,
                        event.pool, static_cast<uint64_t>(full.EffectOf(at))});
  }
  addresses_ = addresses.Entries();
  sizes_ = sizes.Entries();
  rests_ = rests.Entries();
  address_numbers_ = BitColumn(address_numbers);
  sizes_numbers_ = BitColumn(sizes_numbers);
  rest_numbers_ = BitColumn(rest_numbers);
}

void PackedChunk::PackNext(const OpenChunk& full) {
  std::vector<uint32_t> next_after;
  for (size_t leaf = 0; leaf < kLeaves; ++leaf) {
    followed_before_[leaf] = static_cast<uint16_t>(next_after.size());
    followed_[leaf] = 0;
    for (size_t bit = 0; bit < kLeafEvents; ++bit) {
      const size_t at = leaf * kLeafEvents + bit;
      const events::EventKind kind = full.EventIn(at).kind;
      if (kind != events::EventKind::kAllocate && kind != events::EventKind::kTensorShape &&
          kind != events::EventKind::kFreeRequested) {
        continue;
      }
      followed_[leaf] |= uint64_t{1} << bit;
      next_after.push_back(full.NextAfter(at));
    }
  }
  next_after_ = std::make_unique<std::atomic<uint32_t>[]>(next_after.size());
  for (size_t i = 0; i < next_after.size(); ++i)
    next_after_[i].store(next_after[i], std::memory_order_relaxed);
}

void PackedChunk::PackSeries(const OpenChunk& full) {
  moving_of_.fill(kStill);
  std::vector<uint64_t> numbers(kNumbers);
  for (size_t index = 0; index < kSeriesCount; ++index) {
    const auto series = static_cast<Series>(index);
    const Extent whole = full.ExtentOf(series, kNodes - 1);
    if (whole.min == whole.max && whole.min == full.start().values[index]) continue;
    uint64_t used = 0;
    const auto keep = [&](size_t position, int64_t value) {
      numbers[position] = static_cast<uint64_t>(value) - static_cast<uint64_t>(whole.min);
      used |= numbers[position];
    };
    for (size_t node = 0; node < kNodes; ++node) {
      const Extent extent = full.ExtentOf(series, node);
      keep(kMinima + node, extent.min);
      keep(kMaxima + node, extent.max);
      keep(kPeaks + node, full.ValuesAtPeak(node)[index]);
    }
    for (size_t leaf = 0; leaf < kLeaves; ++leaf) keep(kEnds + leaf, full.ValueAtEnd(series, leaf));
    const int shift = used == 0 ? 0 : std::countr_zero(used);
    for (uint64_t& number : numbers) number >>= shift;
    moving_of_[index] = static_cast<uint8_t>(moving_.size());
    moving_.push_back({index, whole.min, shift, BitColumn(numbers)});
  }
  moving_.shrink_to_fit();
  for (size_t node = 0; node < kNodes; ++node)
    peak_offset_[node] = static_cast<uint16_t>(full.PeakOffset(node));
}

events::Event PackedChunk::EventAt(size_t offset) const {
  const Sizes& sizes = sizes_[sizes_numbers_[offset]];
  const Rest& rest = rests_[rest_numbers_[offset]];
  return {TimeOf(offset), addresses_[address_numbers_[offset]],
          sizes.bytes,    sizes.rounded_bytes,
          rest.stream,    rest.layer,
          rest.op,        rest.name,
          rest.thread,    rest.kind,
          rest.category,  rest.phase,
          rest.source,    rest.device,
          rest.recompute, rest.level,
          rest.pool};
}

int64_t PackedChunk::TimeOf(size_t offset) const {
  return static_cast<int64_t>(static_cast<uint64_t>(earliest_[offset / kLeafEvents]) +
                              since_earliest_[offset]);
}

std::atomic<uint32_t>* PackedChunk::NextOf(size_t offset) const {
  const size_t leaf = offset / kLeafEvents;
  const uint64_t bit = uint64_t{1} << (offset % kLeafEvents);
  if ((followed_[leaf] & bit) == 0) return nullptr;
  const auto before = static_cast<size_t>(std::popcount(followed_[leaf] & (bit - 1)));
  return &next_after_[followed_before_[leaf] + before];
}

uint32_t PackedChunk::NextAfter(size_t offset) const {
  const std::atomic<uint32_t>* next = NextOf(offset);
  return next == nullptr ? 0 : next->load(std::memory_order_relaxed);
}

void PackedChunk::SetNextAfter(size_t offset, uint32_t events) {
  std::atomic<uint32_t>* next = NextOf(offset);
  if (next != nullptr) next->store(events, std::memory_order_relaxed);
}

size_t PackedChunk::bytes() const {
  size_t bytes = sizeof *this;
  for (const BitColumn* column : {&since_earliest_, &address_numbers_, &sizes_numbers_, &rest_numbers_})
    bytes += column->bytes();
  for (const Moving& moving : moving_) bytes += sizeof moving + moving.numbers.bytes();
  const size_t followed = followed_before_.back() + static_cast<size_t>(std::popcount(followed_.back()));
  return bytes + addresses_.size() * sizeof(uint64_t) + sizes_.size() * sizeof(Sizes) +
         rests_.size() * sizeof(Rest) + followed * sizeof(uint32_t) + replaced_.size() * sizeof(Replaced);
}

void PackedChunk::Replay(SeriesValues& values, size_t from, size_t to) const {
  for (size_t offset = from; offset < to; ++offset) {
    const Rest& rest = rests_[rest_numbers_[offset]];
    const auto effect = static_cast<Effect>(rest.effect);
    if (effect == Effect::kNone) continue;
    if (effect == Effect::kReplace) {
      const Replaced& gone = ReplacedAt(replaced_, offset);
      SubtractBlock(values, gone.category, gone.bytes, gone.rounded_bytes);
    }
    const Sizes& sizes = sizes_[sizes_numbers_[offset]];
    events::Event event;
    event.bytes = sizes.bytes;
    event.rounded_bytes = sizes.rounded_bytes;
    event.category = rest.category;
    event.level = rest.level;
    timeline::Replay(values, event, effect);
  }
}

int64_t PackedChunk::NumberOf(const Moving& moving, size_t position) {
  return static_cast<int64_t>(static_cast<uint64_t>(moving.base) +
                              (moving.numbers[position] << moving.shift));
}

SeriesValues PackedChunk::ValuesFrom(size_t position) const {
  SeriesValues values = start().values;
  for (const Moving& moving : moving_) values[moving.series] = NumberOf(moving, position);
  return values;
}

Extent PackedChunk::ExtentOf(Series series, size_t node) const {
  const auto index = static_cast<size_t>(series);
  if (moving_of_[index] == kStill) return {start().values[index], start().values[index]};
  const Moving& moving = moving_[moving_of_[index]];
  return {NumberOf(moving, kMinima + node), NumberOf(moving, kMaxima + node)};
}

SeriesValues PackedChunk::ValuesAtPeak(size_t node) const { return ValuesFrom(kPeaks + node); }

int64_t PackedChunk::ValueAtEnd(Series series, size_t leaf) const {
  const auto index = static_cast<size_t>(series);
  if (moving_of_[index] == kStill) return start().values[index];
  return NumberOf(moving_[moving_of_[index]], kEnds + leaf);
}

SeriesValues PackedChunk::ValuesAtEnd(size_t leaf) const { return ValuesFrom(kEnds + leaf); }

}  // namespace tidemark::timeline
