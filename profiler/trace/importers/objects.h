// What a pickle or a JSON text holds: numbers, texts, lists and dictionaries, which may be shared. Two kinds
// of dictionary are many in a memory snapshot and are condensed as soon as they are complete: an allocator
// trace's entry (it has an "action"; 40 bytes instead of a tree) and a stack's frame (a "filename" and a
// "name"; each once). So is an entry's list of frames. Not thread safe.
//
// Whatever the input says, memory stays within kMostPerByte times the bytes that were read + 16 MiB: `Charge`
// is asked by the readers, and the first answer of false ends the reading.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::trace {

using TextId = uint32_t;   // 0 is ""
using StackId = uint32_t;  // 0 is none
// Of a memory pool, in the order in which they are met; 0 = not told.
using PoolIndex = uint8_t;

struct Value {
  enum class Kind : uint8_t { kNone, kNumber, kReal, kText, kList, kDictionary };
  Kind kind = Kind::kNone;
  int64_t number = 0;  // kReal: the bits of a double; kText, kList, kDictionary: which; kNone: 0

  static Value Number(int64_t number) { return {Kind::kNumber, number}; }
  static Value Real(double real);
};

// One entry of device_traces, as torch.cuda.memory._snapshot() gives it.
struct TraceEntry {
  enum class Action : uint8_t {
    kUnknown,
    kAlloc,
    kFreeRequested,
    kFreeCompleted,
    kSegmentAlloc,
    kSegmentFree,
    kSegmentMap,
    kSegmentUnmap,
    kSnapshot,
    kOutOfMemory,
  };
  uint64_t address = 0;  // kOutOfMemory: the bytes that were free
  int64_t bytes = 0;
  int64_t time_us = 0;
  uint32_t stream = 0;  // index into Objects::streams()
  StackId stack = 0;
  TextId metadata = 0;
  Action action = Action::kUnknown;
  events::Category category = events::Category::kUnknown;
  PoolIndex pool = 0;  // PyTorch tells it since 2.14
};
static_assert(sizeof(TraceEntry) == 40);

struct Frame {
  TextId file = 0;
  TextId function = 0;
  int64_t line = 0;
  bool operator==(const Frame&) const = default;
};

// "active", "optimizer_state", "OPTIMIZER STATE": a category by any of its names; kUnknown for all others.
events::Category CategoryFromText(std::string_view text);

class Objects {
 public:
  static constexpr uint64_t kMostPerByte = 24;

  Objects();

  Value Text(std::string_view text);
  Value NewList();
  Value NewDictionary();
  void Append(const Value& list, const Value& item) { Append(list, {&item, 1}); }
  void Append(const Value& list, std::span<const Value> items);
  // False if `key` is no text; then the pair is left out.
  bool Set(const Value& dictionary, const Value& key, const Value& value);
  // No more keys are to be expected; condenses frames.
  void Complete(const Value& dictionary);
  // For a reader whose values are not shared: nothing refers to `value` any more.
  void Release(const Value& value);
  bool Charge(uint64_t bytes_read) const { return cost_ <= kMostPerByte * bytes_read + (16 << 20); }
  void Cost(uint64_t bytes) { cost_ += bytes; }

  std::string_view TextOf(TextId id) const { return texts_[id]; }
  std::string_view TextOf(const Value& value) const;  // "" if it is none
  const Value* Find(const Value& dictionary, std::string_view key) const;
  int64_t NumberIn(const Value& dictionary, std::string_view key, int64_t otherwise) const;
  std::string_view TextIn(const Value& dictionary, std::string_view key) const;
  const std::vector<Value>& ItemsOf(const Value& list) const;
  const std::vector<std::pair<TextId, Value>>& PairsOf(const Value& dictionary) const;

  struct Range {
    size_t first = 0;
    size_t count = 0;
  };
  Range EntriesOf(const Value& list) const;
  std::optional<size_t> EntryOf(const Value& dictionary) const;
  TraceEntry& entry(size_t index) { return (*entries_[index / kEntriesInChunk])[index % kEntriesInChunk]; }
  void LetGoOfEntriesBefore(size_t index);
  const std::vector<uint64_t>& streams() const { return streams_; }
  static constexpr PoolIndex kDefaultPool = 1;
  // Of a pool's two numbers; 0 where the list is something else, events::kManyPools for the 255th and later
  // ones. Condenses the list, as StackOf does.
  PoolIndex PoolOf(const Value& list);
  // Of the entry's block: "float16 [64, 128]"; 0 = not told. Only our own exporter tells it.
  TextId ShapeOf(size_t entry) const;
  // "private pool (1, 0)"; "" for the default one, and where an index does not tell one.
  std::string_view PoolName(PoolIndex pool) const { return pools_[pool < pools_.size() ? pool : 0]; }
  // Condenses the list, which holds nothing else from then on and takes no more.
  StackId StackOf(const Value& list);
  const std::vector<uint32_t>& FramesOf(StackId stack) const { return *stacks_[stack]; }
  const Frame& frame(uint32_t id) const { return frames_[id]; }

 private:
  static constexpr size_t kEntriesInChunk = 16'384;
  static constexpr StackId kNoStackYet = ~StackId{0};

  struct List {
    std::vector<Value> items;
    Range entries;
    StackId stack = kNoStackYet;
    PoolIndex pool = 0;
  };
  // What a dictionary became: 2 bits of kind, then which.
  enum class Form : uint32_t { kGeneral, kEntry, kFrame };
  struct Slot {
    uint32_t form : 2;
    uint32_t index : 30;
  };
  using Pairs = std::vector<std::pair<TextId, Value>>;
  struct Hash {
    size_t operator()(const std::vector<uint32_t>& ids) const;
    size_t operator()(const Frame& frame) const;
  };

  TextId Intern(std::string_view text);
  void BecomeEntry(Slot& slot);
  void Empty(uint32_t general);
  PoolIndex PoolOf(const std::pair<int64_t, int64_t>& id);
  void SetEntryField(size_t index, TextId key, const Value& value);
  uint32_t InternFrame(const Pairs& pairs);
  uint32_t FrameOf(const Value& dictionary);
  uint32_t StreamIndex(uint64_t stream);
  Slot SlotOf(const Value& dictionary) const { return slots_[static_cast<size_t>(dictionary.number)]; }

  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, TextId> text_ids_;
  std::deque<List> lists_;
  std::vector<Slot> slots_;
  std::deque<Pairs> dictionaries_;
  std::vector<uint32_t> free_lists_;
  std::vector<uint32_t> free_slots_;
  std::vector<uint32_t> free_dictionaries_;
  std::vector<std::unique_ptr<std::array<TraceEntry, kEntriesInChunk>>> entries_;
  size_t entry_count_ = 0;
  std::unordered_map<size_t, TextId> shapes_;  // by entry
  std::deque<std::string> pools_;              // by index: their names
  std::map<std::pair<int64_t, int64_t>, PoolIndex> pool_indices_;
  std::vector<uint64_t> streams_{0};
  std::unordered_map<uint64_t, uint32_t> stream_ids_{{0, 0}};
  std::vector<Frame> frames_;
  std::unordered_map<Frame, uint32_t, Hash> frame_ids_;
  std::vector<const std::vector<uint32_t>*> stacks_;
  std::unordered_map<std::vector<uint32_t>, StackId, Hash> stack_ids_;
  std::vector<uint32_t> frames_of_stack_;  // kept for its room
  std::unordered_map<TextId, TraceEntry::Action> actions_;
  struct Keys {
    TextId action, addr, address, device_free, size, stream, time_us, frames, metadata, category, pool, shape,
        filename, line, name;
  } keys_{};
  uint64_t cost_ = 0;
};

}  // namespace tidemark::trace
