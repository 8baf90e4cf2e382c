#include "profiler/trace/importers/objects.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <limits>

#include "profiler/events/cuda_graphs.h"

namespace tidemark::trace {

using events::Category;
using Action = TraceEntry::Action;

Value Value::Real(double real) { return {Kind::kReal, std::bit_cast<int64_t>(real)}; }

namespace {

// A number as the field of an entry: reals are cut, other kinds are 0.
int64_t AsNumber(const Value& value) {
  if (value.kind == Value::Kind::kNumber) return value.number;
  if (value.kind != Value::Kind::kReal) return 0;
  const auto real = std::bit_cast<double>(value.number);
  constexpr double kLimit = 9.2e18;
  return real > -kLimit && real < kLimit ? static_cast<int64_t>(real) : 0;
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdULL;
}

constexpr size_t kUsualFrames = 64;
constexpr size_t kMostSlots = (size_t{1} << 30) - 1;
constexpr uint64_t kListCost = 96;
constexpr uint64_t kDictionaryCost = 48;
constexpr uint64_t kTextCost = 96;
constexpr uint64_t kShapeCost = 48;
constexpr uint64_t kPairCost =
    2 * sizeof(std::pair<TextId, Value>);  // a vector that grows holds up to twice its items

}  // namespace

Category CategoryFromText(std::string_view text) {
  std::string key(text);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char letter) {
    return letter == ' ' ? '_' : static_cast<char>(std::tolower(letter));
  });
  for (int i = 0; i < events::kCategoryCount; ++i) {
    if (key == events::KeyOf(static_cast<Category>(i))) return static_cast<Category>(i);
  }
  // torch.profiler's word for what backward makes and nobody keeps.
  return key == "autograd_detail" ? Category::kTemporary : Category::kUnknown;
}

size_t Objects::Hash::operator()(const std::vector<uint32_t>& ids) const {
  uint64_t hash = ids.size();
  for (const uint32_t id : ids) hash = Mix(hash, id);
  return hash;
}

size_t Objects::Hash::operator()(const Frame& frame) const {
  return Mix(Mix(frame.file, frame.function), static_cast<uint64_t>(frame.line));
}

Objects::Objects() {
  Intern("");
  keys_ = {Intern("action"),        Intern("addr"),     Intern("address"), Intern("device_free"),
           Intern("size"),          Intern("stream"),   Intern("time_us"), Intern("frames"),
           Intern("user_metadata"), Intern("category"), Intern("pool_id"), Intern("shape"),
           Intern("filename"),      Intern("line"),     Intern("name")};
  actions_ = {{Intern("alloc"), Action::kAlloc},
              {Intern("free_requested"), Action::kFreeRequested},
              {Intern("free_completed"), Action::kFreeCompleted},
              {Intern("free"), Action::kFreeCompleted},  // PyTorch 1.13
              {Intern("segment_alloc"), Action::kSegmentAlloc},
              {Intern("segment_free"), Action::kSegmentFree},
              {Intern("segment_map"), Action::kSegmentMap},
              {Intern("segment_unmap"), Action::kSegmentUnmap},
              {Intern("snapshot"), Action::kSnapshot},
              {Intern("oom"), Action::kOutOfMemory}};
  static const std::vector<uint32_t> no_frames;
  stacks_.push_back(&no_frames);
  pools_ = {"", ""};  // not told, and kDefaultPool
  pool_indices_ = {{{0, 0}, kDefaultPool}};
}

TextId Objects::Intern(std::string_view text) {
  const auto found = text_ids_.find(text);
  if (found != text_ids_.end()) return found->second;
  const auto id = static_cast<TextId>(texts_.size());
  texts_.emplace_back(text);
  text_ids_.emplace(texts_.back(), id);
  cost_ += kTextCost + text.size();
  return id;
}

Value Objects::Text(std::string_view text) { return {Value::Kind::kText, Intern(text)}; }

Value Objects::NewList() {
  if (!free_lists_.empty()) {
    const uint32_t index = free_lists_.back();
    free_lists_.pop_back();
    return {Value::Kind::kList, index};
  }
  lists_.emplace_back();
  cost_ += kListCost;
  return {Value::Kind::kList, static_cast<int64_t>(lists_.size() - 1)};
}

Value Objects::NewDictionary() {
  uint32_t index = 0;
  if (free_dictionaries_.empty()) {
    index = static_cast<uint32_t>(std::min(dictionaries_.size(), kMostSlots));
    dictionaries_.emplace_back();
    cost_ += kDictionaryCost;
  } else {
    index = free_dictionaries_.back();
    free_dictionaries_.pop_back();
  }
  const Slot slot{static_cast<uint32_t>(Form::kGeneral), index & static_cast<uint32_t>(kMostSlots)};
  if (free_slots_.empty()) {
    slots_.push_back(slot);
    cost_ += sizeof(Slot);
    return {Value::Kind::kDictionary, static_cast<int64_t>(slots_.size() - 1)};
  }
  const uint32_t place = free_slots_.back();
  free_slots_.pop_back();
  slots_[place] = slot;
  return {Value::Kind::kDictionary, place};
}

void Objects::Append(const Value& list, std::span<const Value> items) {
  if (list.kind != Value::Kind::kList) return;
  List& target = lists_[static_cast<size_t>(list.number)];
  if (target.stack != kNoStackYet || target.pool != 0) return;
  if (target.items.empty()) target.items.reserve(std::min(items.size(), kUsualFrames));
  for (const Value& item : items) {
    if (const auto entry = EntryOf(item)) {
      if (target.entries.count == 0) target.entries.first = *entry;
      if (target.entries.first + target.entries.count == *entry) {
        ++target.entries.count;
        continue;
      }
    }
    target.items.push_back(item);
    cost_ += 2 * sizeof(Value);
  }
}

bool Objects::Set(const Value& dictionary, const Value& key, const Value& value) {
  if (dictionary.kind != Value::Kind::kDictionary || key.kind != Value::Kind::kText) return false;
  Slot& slot = slots_[static_cast<size_t>(dictionary.number)];
  const auto name = static_cast<TextId>(key.number);
  if (static_cast<Form>(slot.form) == Form::kFrame) return true;
  if (static_cast<Form>(slot.form) == Form::kGeneral) {
    if (name != keys_.action || value.kind != Value::Kind::kText) {
      dictionaries_[slot.index].emplace_back(name, value);
      cost_ += kPairCost;
      return true;
    }
    BecomeEntry(slot);
  }
  SetEntryField(slot.index, name, value);
  return true;
}

void Objects::BecomeEntry(Slot& slot) {
  if (entry_count_ / kEntriesInChunk == entries_.size()) {
    entries_.push_back(std::make_unique<std::array<TraceEntry, kEntriesInChunk>>());
  }
  const uint32_t general = slot.index;
  slot = {static_cast<uint32_t>(Form::kEntry),
          static_cast<uint32_t>(entry_count_++) & static_cast<uint32_t>(kMostSlots)};
  cost_ += sizeof(TraceEntry);
  for (const auto& [key, value] : dictionaries_[general]) SetEntryField(slot.index, key, value);
  Empty(general);
}

void Objects::Empty(uint32_t general) {
  cost_ -= kPairCost * dictionaries_[general].size();
  dictionaries_[general] = {};
  free_dictionaries_.push_back(general);
}

void Objects::SetEntryField(size_t index, TextId key, const Value& value) {
  TraceEntry& entry = this->entry(index);
  if (key == keys_.action) {
    const auto found = actions_.find(static_cast<TextId>(value.number));
    entry.action =
        value.kind == Value::Kind::kText && found != actions_.end() ? found->second : Action::kUnknown;
  } else if (key == keys_.addr || key == keys_.address || key == keys_.device_free) {
    entry.address = static_cast<uint64_t>(AsNumber(value));
  } else if (key == keys_.size) {
    entry.bytes = AsNumber(value);
  } else if (key == keys_.stream) {
    entry.stream = StreamIndex(static_cast<uint64_t>(AsNumber(value)));
  } else if (key == keys_.time_us) {
    entry.time_us = AsNumber(value);
  } else if (key == keys_.frames) {
    entry.stack = StackOf(value);
  } else if (key == keys_.metadata && value.kind == Value::Kind::kText) {
    entry.metadata = static_cast<TextId>(value.number);
  } else if (key == keys_.category) {
    entry.category = CategoryFromText(TextOf(value));
  } else if (key == keys_.pool) {
    entry.pool = PoolOf(value);
  } else if (key == keys_.shape && value.kind == Value::Kind::kText) {
    if (shapes_.insert_or_assign(index, static_cast<TextId>(value.number)).second) cost_ += kShapeCost;
  }
}

TextId Objects::ShapeOf(size_t entry) const {
  const auto told = shapes_.find(entry);
  return told == shapes_.end() ? TextId{0} : told->second;
}

void Objects::Complete(const Value& dictionary) {
  if (dictionary.kind != Value::Kind::kDictionary) return;
  Slot& slot = slots_[static_cast<size_t>(dictionary.number)];
  if (static_cast<Form>(slot.form) != Form::kGeneral) return;
  const Pairs& pairs = dictionaries_[slot.index];
  const auto has = [&](TextId key) {
    return std::any_of(pairs.begin(), pairs.end(), [key](const auto& pair) { return pair.first == key; });
  };
  if (!has(keys_.filename) || !has(keys_.name)) return;
  const uint32_t general = slot.index;
  slot = {static_cast<uint32_t>(Form::kFrame), InternFrame(pairs) & static_cast<uint32_t>(kMostSlots)};
  Empty(general);
}

uint32_t Objects::InternFrame(const Pairs& pairs) {
  Frame frame;
  for (const auto& [key, value] : pairs) {
    const bool is_text = value.kind == Value::Kind::kText;
    if (key == keys_.filename && is_text) frame.file = static_cast<TextId>(value.number);
    if (key == keys_.name && is_text) frame.function = static_cast<TextId>(value.number);
    if (key == keys_.line) frame.line = AsNumber(value);
  }
  const auto [found, is_new] = frame_ids_.try_emplace(frame, static_cast<uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  if (is_new) cost_ += 3 * sizeof(Frame) + 32;
  return found->second;
}

uint32_t Objects::FrameOf(const Value& dictionary) {
  const Slot slot = SlotOf(dictionary);
  switch (static_cast<Form>(slot.form)) {
    case Form::kFrame:
      return slot.index;
    case Form::kGeneral:
      return InternFrame(dictionaries_[slot.index]);
    case Form::kEntry:
      break;
  }
  return InternFrame({});
}

PoolIndex Objects::PoolOf(const Value& list) {
  if (list.kind != Value::Kind::kList) return 0;
  List& source = lists_[static_cast<size_t>(list.number)];
  if (source.pool != 0) return source.pool;
  std::vector<Value>& numbers = source.items;
  const auto is_number = [](const Value& value) { return value.kind == Value::Kind::kNumber; };
  if (numbers.size() != 2 || !is_number(numbers[0]) || !is_number(numbers[1])) return 0;
  const std::pair id{numbers[0].number, numbers[1].number};
  // Every entry brings such a list of its own, too.
  cost_ -= 2 * sizeof(Value) * numbers.size();
  std::vector<Value>().swap(numbers);
  return source.pool = PoolOf(id);
}

PoolIndex Objects::PoolOf(const std::pair<int64_t, int64_t>& id) {
  if (const auto known = pool_indices_.find(id); known != pool_indices_.end()) return known->second;
  if (pools_.size() == events::kManyPools) return events::kManyPools;
  pools_.push_back(events::PoolName(id.first, id.second));
  return pool_indices_[id] = static_cast<PoolIndex>(pools_.size() - 1);
}

StackId Objects::StackOf(const Value& list) {
  if (list.kind != Value::Kind::kList) return 0;
  const auto place = static_cast<size_t>(list.number);
  if (lists_[place].stack != kNoStackYet) return lists_[place].stack;
  std::vector<uint32_t>& ids = frames_of_stack_;
  ids.clear();
  for (const Value& item : lists_[place].items) {
    if (item.kind == Value::Kind::kDictionary) ids.push_back(FrameOf(item));
  }
  if (ids.empty()) return 0;
  const auto [found, is_new] = stack_ids_.try_emplace(ids, static_cast<StackId>(stacks_.size()));
  if (is_new) stacks_.push_back(&found->first);
  if (is_new) cost_ += 64 + found->first.size() * sizeof(uint32_t);
  // Every entry brings such a list of its own, and few of them differ: their items would be most of what is
  // held.
  cost_ -= 2 * sizeof(Value) * lists_[place].items.size();
  std::vector<Value>().swap(lists_[place].items);
  lists_[place].stack = found->second;
  return found->second;
}

uint32_t Objects::StreamIndex(uint64_t stream) {
  const auto [found, is_new] = stream_ids_.try_emplace(stream, static_cast<uint32_t>(streams_.size()));
  if (is_new) streams_.push_back(stream);
  if (is_new) cost_ += 64;
  return found->second;
}

// The depth is bounded by the reader that calls it.
void Objects::Release(const Value& value) {
  const auto place = static_cast<size_t>(value.number);
  if (value.kind == Value::Kind::kList) {
    std::vector<Value> items = std::move(lists_[place].items);
    cost_ -= 2 * sizeof(Value) * items.size();
    lists_[place] = {};
    free_lists_.push_back(static_cast<uint32_t>(place));
    for (const Value& item : items) Release(item);
  } else if (value.kind == Value::Kind::kDictionary) {
    const Slot slot = slots_[place];
    free_slots_.push_back(static_cast<uint32_t>(place));
    if (static_cast<Form>(slot.form) != Form::kGeneral) return;
    Pairs pairs;
    pairs.swap(dictionaries_[slot.index]);
    cost_ -= kPairCost * pairs.size();
    Empty(slot.index);
    for (const auto& [key, item] : pairs) Release(item);
  }
}

std::string_view Objects::TextOf(const Value& value) const {
  return value.kind == Value::Kind::kText ? TextOf(static_cast<TextId>(value.number)) : std::string_view();
}

const Value* Objects::Find(const Value& dictionary, std::string_view key) const {
  const Pairs& pairs = PairsOf(dictionary);
  const auto found =
      std::find_if(pairs.rbegin(), pairs.rend(), [&](const auto& pair) { return TextOf(pair.first) == key; });
  return found == pairs.rend() ? nullptr : &found->second;
}

int64_t Objects::NumberIn(const Value& dictionary, std::string_view key, int64_t otherwise) const {
  const Value* value = Find(dictionary, key);
  const bool is_number =
      value != nullptr && (value->kind == Value::Kind::kNumber || value->kind == Value::Kind::kReal);
  return is_number ? AsNumber(*value) : otherwise;
}

std::string_view Objects::TextIn(const Value& dictionary, std::string_view key) const {
  const Value* value = Find(dictionary, key);
  return value == nullptr ? std::string_view() : TextOf(*value);
}

const std::vector<Value>& Objects::ItemsOf(const Value& list) const {
  static const std::vector<Value> no_items;
  return list.kind == Value::Kind::kList ? lists_[static_cast<size_t>(list.number)].items : no_items;
}

const Objects::Pairs& Objects::PairsOf(const Value& dictionary) const {
  static const Pairs no_pairs;
  if (dictionary.kind != Value::Kind::kDictionary) return no_pairs;
  const Slot slot = SlotOf(dictionary);
  return static_cast<Form>(slot.form) == Form::kGeneral ? dictionaries_[slot.index] : no_pairs;
}

Objects::Range Objects::EntriesOf(const Value& list) const {
  return list.kind == Value::Kind::kList ? lists_[static_cast<size_t>(list.number)].entries : Range{};
}

std::optional<size_t> Objects::EntryOf(const Value& dictionary) const {
  if (dictionary.kind != Value::Kind::kDictionary) return std::nullopt;
  const Slot slot = SlotOf(dictionary);
  if (static_cast<Form>(slot.form) != Form::kEntry) return std::nullopt;
  return slot.index;
}

void Objects::LetGoOfEntriesBefore(size_t index) {
  const size_t chunk = index / kEntriesInChunk;
  if (chunk > 0 && entries_[chunk - 1]) entries_[chunk - 1].reset();
}

}  // namespace tidemark::trace
