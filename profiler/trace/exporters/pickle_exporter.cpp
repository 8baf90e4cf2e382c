// A PyTorch memory snapshot (torch.cuda.memory._snapshot() of PyTorch 2.14), pickled in protocol 4: what
// memory_viz and torch/cuda/_memory_viz.py read. Nothing but numbers, texts, lists and dictionaries.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/base/utf8.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/cuda_graphs.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/free_lists.h"
#include "profiler/trace/exporters/exporter.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;

// Opcodes: CPython's Lib/pickletools.py. Containers are filled between a mark and the opcode that ends them.
class Pickle {
 public:
  explicit Pickle(std::string& out) : out_(out) {}

  Pickle& Number(int64_t value) {
    const bool is_small = value >= INT32_MIN && value <= INT32_MAX;
    out_ += is_small ? "J" : "\x8a\x08";
    return Raw(&value, is_small ? 4 : 8);
  }
  // Addresses: as Python's numbers, which are never negative for them.
  Pickle& Address(uint64_t value) {
    if (value <= INT64_MAX) return Number(static_cast<int64_t>(value));
    out_ += "\x8a\x09";
    Raw(&value, 8);
    out_ += '\0';
    return *this;
  }
  Pickle& Text(std::string_view text) {
    const auto size = static_cast<uint32_t>(text.size());
    out_ += 'X';
    Raw(&size, 4);
    out_ += text;
    return *this;
  }
  Pickle& Boolean(bool value) { return Opcode(value ? "\x88" : "\x89"); }
  Pickle& Opcode(std::string_view opcodes) {
    out_ += opcodes;
    return *this;
  }
  Pickle& Dictionary() { return Opcode("}("); }
  Pickle& EndDictionary() { return Opcode("u"); }
  Pickle& List() { return Opcode("]("); }
  Pickle& EndList() { return Opcode("e"); }
  Pickle& PutAside(uint32_t number) {
    out_ += 'r';
    return Raw(&number, 4);
  }
  Pickle& Again(uint32_t number) {
    out_ += 'j';
    return Raw(&number, 4);
  }

 private:
  Pickle& Raw(const void* bytes, size_t size) {
    out_.append(static_cast<const char*>(bytes), size);
    return *this;
  }

  std::string& out_;
};

// The name of what a trace says of an event; "" for what it has no entry for.
std::string_view ActionOf(EventKind kind) {
  static constexpr std::array<std::string_view, 10> kActions = {
      "alloc",        "free_requested", "free_completed", "",    "segment_alloc",
      "segment_free", "segment_map",    "segment_unmap",  "oom", "snapshot"};
  const auto index = static_cast<size_t>(kind);
  return index < kActions.size() ? kActions[index] : std::string_view();
}

class PickleExporter final : public Exporter {
 public:
  PickleExporter(const timeline::View& view, std::string allocator_settings)
      : view_(view), allocator_settings_(std::move(allocator_settings)) {
    if (!view.empty()) at_end_ = view.StateAt(view.end() - 1);
    for (const timeline::LiveBlock& block : at_end_.blocks) alive_at_end_.emplace(block.born, block.category);
  }

  void Begin(std::string& out) override {
    out += "\x80\x04";
    Pickle pickle(out);
    pickle.Dictionary().Text("device_traces").List().List();
    if (view_.first() > 0) WriteStateBefore(out);
  }

  void Add(const Moment& moment, std::string& out) override {
    const Event& event = moment.event;
    const bool is_step = event.kind == EventKind::kStepBegin || event.kind == EventKind::kStepEnd;
    if (moment.is_no_edge) return;
    if (is_step || event.kind == EventKind::kPhase) return Annotate(moment);
    if (event.kind == EventKind::kSegmentAllocate || event.kind == EventKind::kSegmentMap) {
      segments_[event.address] = {event.bytes, event.op};
      NotePool(event.pool, event.name);
    }
    const bool is_in_state_before = moment.index == view_.first() && view_.first() > 0;
    if (ActionOf(event.kind).empty() || is_in_state_before) return;
    WriteEntry(moment, TraceOf(event.device, out));
  }

  void End(std::string& out) override {
    Pickle pickle(out);
    pickle.EndList();
    const int devices = other_traces_.empty() ? 0 : other_traces_.rbegin()->first;
    for (int device = 1; device <= devices; ++device) {
      pickle.List().Opcode(other_traces_[static_cast<uint8_t>(device)]).EndList();
    }
    pickle.EndList().Text("segments").List();
    WriteSegments(pickle);
    pickle.EndList().Text("allocator_settings").Dictionary();
    WriteAllocatorSettings(pickle);
    pickle.EndDictionary().Text("external_annotations").List().Opcode(annotations_).EndList();
    pickle.EndDictionary().Opcode(".");
  }

 private:
  // The first device's entries go out as they come; what other devices have, which is rare, waits for the
  // end.
  std::string& TraceOf(uint8_t device, std::string& out) { return device == 0 ? out : other_traces_[device]; }

  // What a timeline's segments do not keep of the events that reserved them.
  struct SegmentOrigin {
    int64_t bytes = 0;
    events::NameId stack = 0;
  };

  SegmentOrigin OriginOf(uint64_t address) const {
    const auto after = segments_.upper_bound(address);
    if (after == segments_.begin()) return {};
    const auto& [begin, origin] = *std::prev(after);
    return address - begin < static_cast<uint64_t>(origin.bytes) ? origin : SegmentOrigin{};
  }

  // Without them nobody could tell how large the blocks of the history were.
  void WriteAllocatorSettings(Pickle& pickle) const {
    const events::AllocatorRules rules = events::RulesOf(allocator_settings_);
    pickle.Text("PYTORCH_CUDA_ALLOC_CONF").Text(ValidUtf8(allocator_settings_));
    pickle.Text("max_split_size").Number(rules.max_split_bytes);
    pickle.Text("roundup_power2_divisions").Dictionary();
    for (size_t i = 0; i < rules.roundup_power2_divisions.size(); ++i)
      pickle.Text(std::to_string(uint64_t{1} << i)).Number(rules.roundup_power2_divisions[i]);
    pickle.EndDictionary();
  }

  using PoolNumbers = std::pair<int64_t, int64_t>;

  void NotePool(uint8_t pool, events::NameId name) {
    if (const auto numbers = events::PoolNumbers(view_.name(name))) pool_numbers_[pool] = *numbers;
  }

  // By what its segments are called; where that is not told its own number stands for a CUDA graph's.
  PoolNumbers NumbersOf(uint8_t pool) const {
    const auto known = pool_numbers_.find(pool);
    return known == pool_numbers_.end() ? PoolNumbers{pool, 0} : known->second;
  }

  void WritePool(Pickle& pickle, std::string_view key, uint8_t pool) const {
    const auto [first, second] = NumbersOf(pool);
    pickle.Text(key).Number(first).Number(second).Opcode("\x86");
  }

  // An entry's. That it is in none only a failed request says: without an id it is taken to be of the pool
  // that alone has memory of its stream. So it has none only where nobody told which pool it was of.
  void WritePoolOf(Pickle& pickle, const Event& event) const {
    const bool is_failure = event.kind == EventKind::kOutOfMemory;
    if (is_failure ? event.pool != events::kManyPools : event.pool != 0)
      WritePool(pickle, "pool_id", event.pool);
  }

  void WriteSegments(Pickle& pickle) {
    std::map<uint64_t, const timeline::LiveBlock*> blocks;
    for (const timeline::LiveBlock& block : at_end_.blocks) blocks[block.address] = &block;
    for (const timeline::Segment& segment : at_end_.segments) {
      const uint64_t end = segment.address + static_cast<uint64_t>(segment.bytes);
      WriteSegment(pickle, segment, blocks.lower_bound(segment.address), blocks.lower_bound(end));
    }
  }

  using BlockIterator = std::map<uint64_t, const timeline::LiveBlock*>::const_iterator;

  void WriteSegment(Pickle& pickle, const timeline::Segment& segment, BlockIterator first,
                    BlockIterator last) {
    int64_t allocated = 0;
    int64_t active = 0;
    int64_t requested = 0;
    for (auto block = first; block != last; ++block) {
      active += block->second->rounded_bytes;
      if (block->second->pending_free) continue;
      allocated += block->second->rounded_bytes;
      requested += block->second->bytes;
    }
    const SegmentOrigin origin = OriginOf(segment.address);
    pickle.Dictionary().Text("device").Number(segment.device).Text("address").Address(segment.address);
    pickle.Text("total_size").Number(segment.bytes).Text("allocated_size").Number(allocated);
    pickle.Text("active_size")
        .Number(active)
        .Text("requested_size")
        .Number(requested)
        .Text("stream")
        .Address(segment.stream);
    pickle.Text("segment_type").Text(segment.bytes <= timeline::kSmallSegment ? "small" : "large");
    WritePool(pickle, "segment_pool_id", segment.pool);
    pickle.Text("is_expandable").Boolean(segment.expandable);
    WriteFrames(pickle, origin.stack, 0);
    pickle.Text("blocks").List();
    uint64_t at = segment.address;
    for (auto block = first; block != last; ++block) {
      if (block->first > at) WriteFree(pickle, at, block->first - at);
      WriteBlock(pickle, *block->second);
      at = std::max(at, block->first + static_cast<uint64_t>(block->second->rounded_bytes));
    }
    const uint64_t end = segment.address + static_cast<uint64_t>(segment.bytes);
    if (at < end) WriteFree(pickle, at, end - at);
    pickle.EndList().EndDictionary();
  }

  static void WriteFree(Pickle& pickle, uint64_t address, uint64_t bytes) {
    pickle.Dictionary().Text("address").Address(address).Text("size").Number(static_cast<int64_t>(bytes));
    pickle.Text("requested_size").Number(0).Text("state").Text("inactive").Text("frames").List().EndList();
    pickle.EndDictionary();
  }

  void WriteBlock(Pickle& pickle, const timeline::LiveBlock& block) {
    pickle.Dictionary().Text("address").Address(block.address).Text("size").Number(block.rounded_bytes);
    pickle.Text("requested_size").Number(block.bytes);
    pickle.Text("state").Text(block.pending_free ? "active_pending_free" : "active_allocated");
    pickle.Text("category").Text(events::KeyOf(block.category));
    WriteShape(pickle, block.shape);
    WriteFrames(pickle, block.op, 0);
    pickle.EndDictionary();
  }

  // What the oldest events, which the timeline has let go, had left, and the first that it has: as if all of
  // it had come at that moment.
  void WriteStateBefore(std::string& out) {
    const timeline::State state = view_.StateAt(view_.first());
    for (const timeline::Segment& segment : state.segments) {
      segments_[segment.address].bytes = segment.bytes;
      NotePool(segment.pool, segment.pool_name);
      Pickle pickle(TraceOf(segment.device, out));
      WriteEntryOf(pickle, segment.expandable ? "segment_map" : "segment_alloc", segment.address,
                   segment.bytes, segment.stream, state.time_ns);
      if (segment.pool != 0) WritePool(pickle, "pool_id", segment.pool);
      pickle.EndDictionary();
    }
    for (const timeline::LiveBlock& block : state.blocks) {
      Pickle pickle(TraceOf(block.device, out));
      WriteEntryOf(pickle, "alloc", block.address, block.bytes, block.stream, state.time_ns);
      pickle.Text("category").Text(events::KeyOf(block.category));
      if (block.pool != 0) WritePool(pickle, "pool_id", block.pool);
      WriteShape(pickle, block.shape);
      WriteFrames(pickle, block.op, block.device);
      pickle.EndDictionary();
      if (!block.pending_free) continue;
      WriteEntryOf(pickle, "free_requested", block.address, block.bytes, block.stream, state.time_ns);
      if (block.pool != 0) WritePool(pickle, "pool_id", block.pool);
      pickle.EndDictionary();
    }
  }

  static void WriteEntryOf(Pickle& pickle, std::string_view action, uint64_t address, int64_t bytes,
                           uint64_t stream, int64_t time_ns) {
    pickle.Dictionary()
        .Text("action")
        .Text(action)
        .Text(action == "oom" ? "device_free" : "addr")
        .Address(address);
    pickle.Text("size").Number(bytes).Text("stream").Address(stream).Text("time_us").Number(time_ns / 1000);
    pickle.Text("compile_context").Text("N/A");
  }

  void WriteEntry(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    const bool is_failure = event.kind == EventKind::kOutOfMemory;
    Pickle pickle(out);
    WriteEntryOf(pickle, ActionOf(event.kind),
                 is_failure ? static_cast<uint64_t>(event.rounded_bytes) : event.address, event.bytes,
                 event.stream, moment.time_ns);
    pickle.Text("user_metadata").Text(view_.name(event.layer));
    if (event.kind == EventKind::kAllocate) pickle.Text("category").Text(events::KeyOf(CategoryOf(moment)));
    WritePoolOf(pickle, event);
    WriteShape(pickle, view_.ShapeOf(moment.index));
    WriteFrames(pickle, event.op, event.device);
    pickle.EndDictionary();
  }

  void WriteShape(Pickle& pickle, events::NameId shape) const {
    if (shape != 0) pickle.Text("shape").Text(view_.name(shape));
  }

  // A trace tells one category for a block, at its birth: the last that it had.
  events::Category CategoryOf(const Moment& moment) const {
    if (const auto freed = view_.FreedAt(moment.index)) {
      const std::optional<Event> end = view_.FreeIn(*freed);
      return end ? end->category : moment.event.category;
    }
    const auto alive = alive_at_end_.find(moment.index);
    return alive == alive_at_end_.end() ? moment.event.category : alive->second;
  }

  // "forward (model.py:12) ← train (train.py:40)" is two frames; each stack is written once. What an importer
  // puts together, this takes apart.
  void WriteFrames(Pickle& pickle, events::NameId stack, uint8_t device) {
    pickle.Text("frames");
    const uint64_t key = uint64_t{device} << 32 | stack;  // each device's entries follow the other's
    if (const auto known = stacks_.find(key); known != stacks_.end()) {
      pickle.Again(known->second);
      return;
    }
    pickle.List();
    for (const std::string_view frame : events::FramesOf(view_.name(stack))) WriteFrame(pickle, frame);
    const auto number = static_cast<uint32_t>(stacks_.size());
    pickle.EndList().PutAside(number);
    stacks_.emplace(key, number);
  }

  static void WriteFrame(Pickle& pickle, std::string_view frame) {
    const size_t open = frame.rfind(" (");
    const size_t colon = frame.rfind(':');
    std::string_view function = frame;
    std::string_view file = "??";
    int64_t line = 0;
    if (open != std::string_view::npos && colon != std::string_view::npos && colon > open &&
        frame.ends_with(')')) {
      const auto [end, error] =
          std::from_chars(frame.data() + colon + 1, frame.data() + frame.size() - 1, line);
      if (error == std::errc() && end == frame.data() + frame.size() - 1) {
        function = frame.substr(0, open);
        file = frame.substr(open + 2, colon - open - 2);
      }
    }
    pickle.Dictionary().Text("filename").Text(file).Text("line").Number(line);
    pickle.Text("name").Text(function).EndDictionary();
  }

  void Annotate(const Moment& moment) {
    const Event& event = moment.event;
    const std::string name = event.kind == EventKind::kPhase ? fmt::format("phase: {}", NameOf(event.phase))
                                                             : fmt::format("ProfilerStep#{}", event.bytes);
    Pickle pickle(annotations_);
    pickle.Dictionary().Text("name").Text(name).Text("stage").Text(
        event.kind == EventKind::kStepEnd ? "END" : "START");
    pickle.Text("device").Number(event.device).Text("time_us").Number(moment.time_ns / 1000).EndDictionary();
  }

  const timeline::View& view_;
  const std::string allocator_settings_;
  timeline::State at_end_;
  std::unordered_map<timeline::EventIndex, events::Category> alive_at_end_;
  std::map<uint64_t, SegmentOrigin> segments_;
  std::map<uint8_t, PoolNumbers> pool_numbers_;  // by number in the run, of those that have names
  std::map<uint8_t, std::string> other_traces_;
  std::string annotations_;
  std::unordered_map<uint64_t, uint32_t> stacks_;
};

}  // namespace

std::unique_ptr<Exporter> MakePickleExporter(const timeline::View& view,
                                             const events::RunDescription& description) {
  return std::make_unique<PickleExporter>(view, description.allocator_settings);
}

}  // namespace tidemark::trace
