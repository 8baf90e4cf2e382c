#include "profiler/trace/importers/snapshot_contents.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "profiler/base/utf8.h"

namespace tidemark::trace {
namespace {

constexpr std::string_view kSegments = "segments";
constexpr std::string_view kTraces = "device_traces";
constexpr std::string_view kAnnotations = "external_annotations";
constexpr std::string_view kAllocatorSettings = "allocator_settings";
constexpr size_t kLongestSettings = 4096;
constexpr size_t kLongestAnnotation = 200;
constexpr size_t kMostDevices = std::numeric_limits<uint8_t>::max();  // an event has a byte for its device

uint8_t DeviceIn(const Objects& objects, const Value& dictionary) {
  return static_cast<uint8_t>(std::clamp<int64_t>(objects.NumberIn(dictionary, "device", 0), 0, 255));
}

// A reader that stopped early leaves what it had begun in the order of the file: the dictionary, a key, the
// list that it stands for, and what was to be put into that list.
Value RootOfUnfinished(const std::vector<Value>& unfinished, Objects& objects) {
  const Value root = objects.NewDictionary();
  Value list;
  Value trace;
  bool in_traces = false;
  for (size_t i = 0; i < unfinished.size(); ++i) {
    const Value& value = unfinished[i];
    const std::string_view key = objects.TextOf(value);
    const bool is_key =
        key == kSegments || key == kTraces || key == kAnnotations || key == kAllocatorSettings;
    if (is_key && i + 1 < unfinished.size()) {
      objects.Set(root, value, unfinished[i + 1]);
      list = unfinished[++i];
      in_traces = key == kTraces;
      trace = {};
    } else if (in_traces && value.kind == Value::Kind::kList) {
      objects.Append(list, value);
      trace = value;
    } else if (value.kind == Value::Kind::kDictionary && list.kind == Value::Kind::kList) {
      objects.Append(in_traces && trace.kind == Value::Kind::kList ? trace : list, value);
    }
  }
  return root;
}

class ContentsReader {
 public:
  explicit ContentsReader(Objects& objects) : objects_(objects) {}

  SnapshotContents Read(const Value& root) {
    // PyTorch 1.x gave the list of segments alone.
    const Value* segments = root.kind == Value::Kind::kList ? &root : objects_.Find(root, kSegments);
    const Value* traces = objects_.Find(root, kTraces);
    contents_.any = traces != nullptr || (segments != nullptr && LooksLikeSegments(*segments));
    if (segments != nullptr) {
      for (const Value& segment : objects_.ItemsOf(*segments)) ReadSegment(segment);
    }
    if (traces != nullptr) ReadTraces(*traces);
    if (const Value* settings = objects_.Find(root, kAllocatorSettings)) ReadRules(*settings);
    if (const Value* annotations = objects_.Find(root, kAnnotations)) ReadAnnotations(*annotations);
    return std::move(contents_);
  }

 private:
  bool LooksLikeSegments(const Value& list) const {
    const auto& items = objects_.ItemsOf(list);
    return list.kind == Value::Kind::kList && std::all_of(items.begin(), items.end(), [&](const Value& item) {
             return objects_.Find(item, "total_size") != nullptr;
           });
  }
  // Shared objects count once: references to one of them must not multiply it.
  bool IsNew(const Value& value) {
    return value.kind == Value::Kind::kDictionary || value.kind == Value::Kind::kList
               ? seen_
                     .insert(static_cast<uint64_t>(value.number) << 1 |
                             (value.kind == Value::Kind::kList ? 1 : 0))
                     .second
               : false;
  }

  void ReadSegment(const Value& from) {
    if (!IsNew(from)) return;
    SnapshotSegment segment;
    segment.address = static_cast<uint64_t>(objects_.NumberIn(from, "address", 0));
    segment.bytes = std::max<int64_t>(objects_.NumberIn(from, "total_size", 0), 0);
    if (segment.address == 0 || segment.bytes == 0) return;
    segment.stream = static_cast<uint64_t>(objects_.NumberIn(from, "stream", 0));
    segment.device = DeviceIn(objects_, from);
    segment.expandable = objects_.NumberIn(from, "is_expandable", 0) != 0;
    if (const Value* frames = objects_.Find(from, "frames")) segment.stack = objects_.StackOf(*frames);
    if (const Value* pool = objects_.Find(from, "segment_pool_id")) segment.pool = objects_.PoolOf(*pool);
    if (const Value* blocks = objects_.Find(from, "blocks"); blocks != nullptr && IsNew(*blocks)) {
      uint64_t address = segment.address;
      for (const Value& block : objects_.ItemsOf(*blocks)) ReadBlock(block, segment, address);
    }
    contents_.segments.push_back(segment);
  }

  // `next`: where it lies if it does not say so itself, which PyTorch's does since 2.1.
  void ReadBlock(const Value& from, const SnapshotSegment& segment, uint64_t& next) {
    if (!IsNew(from)) return;
    SnapshotBlock block;
    block.address = static_cast<uint64_t>(objects_.NumberIn(from, "address", static_cast<int64_t>(next)));
    block.bytes = std::max<int64_t>(objects_.NumberIn(from, "size", 0), 0);
    next = block.address + static_cast<uint64_t>(block.bytes);
    const std::string_view state = objects_.TextIn(from, "state");
    if (!state.starts_with("active") || block.bytes == 0) return;
    block.pending_free = state == "active_pending_free" || state == "active_awaiting_free";
    block.requested_bytes = objects_.NumberIn(from, "requested_size", block.bytes);
    block.stream = segment.stream;
    block.device = segment.device;
    block.category = CategoryFromText(objects_.TextIn(from, "category"));
    if (const Value* shape = objects_.Find(from, "shape");
        shape != nullptr && shape->kind == Value::Kind::kText)
      block.shape = static_cast<TextId>(shape->number);
    if (const Value* frames = objects_.Find(from, "frames")) block.stack = objects_.StackOf(*frames);
    contents_.blocks.push_back(block);
  }

  void ReadTraces(const Value& traces) {
    contents_.entries_left_out += objects_.EntriesOf(traces).count;  // of no device
    for (const Value& trace : objects_.ItemsOf(traces)) {
      const Objects::Range entries = objects_.EntriesOf(trace);
      contents_.no_entries += objects_.ItemsOf(trace).size();
      const bool is_read = contents_.traces.size() < kMostDevices && IsNew(trace);
      if (!is_read) contents_.entries_left_out += entries.count;
      if (contents_.traces.size() < kMostDevices)
        contents_.traces.push_back(is_read ? entries : Objects::Range{});
    }
  }

  void ReadRules(const Value& settings) {
    contents_.allocator_settings =
        objects_.TextIn(settings, "PYTORCH_CUDA_ALLOC_CONF").substr(0, kLongestSettings);
    contents_.rules.max_split_bytes = objects_.NumberIn(settings, "max_split_size", -1);
    const Value* divisions = objects_.Find(settings, "roundup_power2_divisions");
    if (divisions == nullptr) return;
    for (size_t i = 0; i < contents_.rules.roundup_power2_divisions.size(); ++i) {
      contents_.rules.roundup_power2_divisions[i] =
          objects_.NumberIn(*divisions, std::to_string(uint64_t{1} << i), 0);
    }
  }

  void ReadAnnotations(const Value& annotations) {
    for (const Value& from : objects_.ItemsOf(annotations)) {
      const std::string_view name = objects_.TextIn(from, "name");
      if (name.empty() || !IsNew(from)) continue;
      contents_.annotations.push_back({std::string(FirstLetters(name, kLongestAnnotation)),
                                       objects_.NumberIn(from, "time_us", 0), DeviceIn(objects_, from),
                                       objects_.TextIn(from, "stage") != "END"});
    }
    std::stable_sort(contents_.annotations.begin(), contents_.annotations.end(),
                     [](const auto& one, const auto& other) { return one.time_us < other.time_us; });
  }

  Objects& objects_;
  SnapshotContents contents_;
  std::unordered_set<uint64_t> seen_;
};

}  // namespace

SnapshotContents ContentsOf(const ReadObjects& read, Objects& objects) {
  const Value root = read.unfinished.empty() ? read.root : RootOfUnfinished(read.unfinished, objects);
  return ContentsReader(objects).Read(root);
}

}  // namespace tidemark::trace
