#include "profiler/trace/importers/perfetto_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/trace/importers/trace_import.h"
#include "profiler/trace/importers/trace_records.h"
#include "profiler/trace/perfetto_format.h"
#include "profiler/trace/trace_words.h"

namespace tidemark::trace {
namespace {

using events::EventKind;

// The fields of a protobuf message, one after another.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  uint32_t number = 0;
  uint64_t value = 0;      // of a varint or a fixed one
  std::string_view bytes;  // of a text or a message

  // False at the end, and where there is no field.
  bool Next() {
    uint64_t tag = 0;
    if (!Varint(tag)) return false;
    number = static_cast<uint32_t>(tag >> 3);
    switch (tag & 7) {
      case perfetto::kVarint:
        return Varint(value);
      case perfetto::kBytes:
        return Varint(value) && Take(value, bytes);
      case perfetto::kFixed64:
        return Fixed(8);
      case perfetto::kFixed32:
        return Fixed(4);
      default:
        return false;
    }
  }

 private:
  bool Varint(uint64_t& out) {
    out = 0;
    for (size_t i = 0; i < rest_.size() && i < 10; ++i) {
      const auto byte = static_cast<unsigned char>(rest_[i]);
      out |= uint64_t{byte & 0x7fU} << (7 * i);
      if (byte >= 0x80) continue;
      rest_.remove_prefix(i + 1);
      return true;
    }
    return false;
  }
  bool Take(uint64_t size, std::string_view& out) {
    if (size > rest_.size()) return false;
    out = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return true;
  }
  bool Fixed(size_t size) {
    value = 0;
    std::string_view raw;
    if (!Take(size, raw)) return false;
    std::memcpy(&value, raw.data(), raw.size());
    return true;
  }

  std::string_view rest_;
};

class PerfettoReader {
 public:
  PerfettoReader(ByteSource& source, TraceRecords& records) : source_(source), records_(records) {}

  TraceOrigin Run() {
    std::string packet;
    while (NextPacket(packet)) TakePacket(packet);
    for (auto& [track, slices] : open_) {
      while (!slices.empty()) {
        slices.back().is_unfinished = true;
        Close(slices);
      }
    }
    origin_.damage = damage_;
    origin_.is_own = true;
    return std::move(origin_);
  }

 private:
  bool Fail(std::string_view what) {
    damage_ =
        fmt::format("at byte {}, {}", source_.offset(), source_.failure().empty() ? what : source_.failure());
    return false;
  }

  bool NextPacket(std::string& packet) {
    constexpr int kTag = perfetto::kTracePacket << 3 | perfetto::kBytes;
    constexpr uint64_t kLargestPacket = 16 << 20;
    const int tag = source_.Next();
    if (tag < 0) return source_.failure().empty() ? false : Fail("");
    if (tag != kTag) return Fail("there is no packet");
    uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
      const int byte = source_.Next();
      if (byte < 0) return Fail("the file ends early");
      size |= uint64_t{static_cast<unsigned>(byte) & 0x7fU} << shift;
      if (byte < 0x80) break;
      if (shift == 28) return Fail("a packet has a length that none has");
    }
    if (size > kLargestPacket) return Fail("a packet has a length that none has");
    packet.clear();
    return source_.Append(size, packet) || Fail("the file ends early");
  }

  // Differences of two stay within 2^63.
  static constexpr uint64_t kLatest = uint64_t{1} << 62;

  void TakePacket(std::string_view packet) {
    std::string_view event;
    Fields fields(packet);
    while (fields.Next()) {
      if (fields.number == perfetto::kTimestamp)
        time_ns_ = static_cast<int64_t>(std::min(fields.value, kLatest));
      if (fields.number == perfetto::kTrackEvent) event = fields.bytes;
      if (fields.number == perfetto::kInternedData) TakeWords(fields.bytes);
      if (fields.number == perfetto::kTrackDescriptor) TakeTrack(fields.bytes);
    }
    if (!event.empty()) TakeEvent(event);
  }

  void TakeWords(std::string_view data) {
    Fields fields(data);
    while (fields.Next()) {
      const auto words = words_.find(fields.number);
      if (words == words_.end()) continue;
      uint64_t iid = 0;
      std::string_view text;
      Fields word(fields.bytes);
      while (word.Next()) {
        if (word.number == perfetto::kIid) iid = word.value;
        if (word.number == perfetto::kWord) text = word.bytes;
      }
      words->second.insert_or_assign(iid, text);
    }
  }
  std::string_view WordOf(perfetto::Interned kind, uint64_t iid) const {
    const auto& words = words_.at(kind);
    const auto word = words.find(iid);
    return word == words.end() ? std::string_view() : word->second;
  }

  // Of named counters the track tells the name.
  void TakeTrack(std::string_view descriptor) {
    uint64_t uuid = 0;
    std::string_view name;
    Fields fields(descriptor);
    while (fields.Next()) {
      if (fields.number == perfetto::kUuid) uuid = fields.value;
      if (fields.number == perfetto::kTrackName) name = fields.bytes;
    }
    if (uuid >= perfetto::kNamedCounters && uuid < perfetto::kDeviceStreams)
      counters_[uuid] = records_.texts.Add(name);
  }

  void TakeEvent(std::string_view event) {
    uint64_t type = 0;
    uint64_t track = 0;
    std::string_view name;
    std::string_view category;
    TraceArguments arguments;
    Fields fields(event);
    while (fields.Next()) {
      if (fields.number == perfetto::kType) type = fields.value;
      if (fields.number == perfetto::kTrack) track = fields.value;
      if (fields.number == perfetto::kEventName) name = fields.bytes;
      if (fields.number == perfetto::kEventNameIid) name = WordOf(perfetto::kEventNames, fields.value);
      if (fields.number == perfetto::kCategories) category = fields.bytes;
      if (fields.number == perfetto::kCategoryIid) category = WordOf(perfetto::kCategoryNames, fields.value);
      if (fields.number == perfetto::kAnnotations) TakeAnnotation(fields.bytes, arguments);
      if (fields.number == perfetto::kCounterValue)
        arguments.Set(TraceArgument::kValue, static_cast<int64_t>(fields.value));
      if (fields.number == perfetto::kCounterReal)
        arguments.Set(TraceArgument::kValue, std::bit_cast<double>(fields.value));
    }
    if (type == perfetto::kInstant) return TakeInstant(category, name, arguments);
    if (type == perfetto::kCounter) return TakeNumber(track, category, arguments);
    if (track >= perfetto::kDeviceStreams && track < perfetto::kCounters)
      return TakeWork(track, type, category, name, arguments);
    TakeSlice(track, type, category, name, arguments);
  }

  void TakeSlice(uint64_t track, uint64_t type, std::string_view category, std::string_view name,
                 const TraceArguments& arguments) {
    std::vector<TraceSlice>& open = open_[track];
    if (type == perfetto::kSliceEnd && !open.empty()) {
      open.back().computed_in = arguments.computed_in;
      open.back().is_unfinished = arguments.is_unfinished;
      Close(open);
    }
    if (type != perfetto::kSliceBegin) return;
    const bool is_thread = track >= perfetto::kThreads;
    open.push_back({.begin_ns = time_ns_,
                    .end_ns = 0,
                    .name = records_.texts.Add(name),
                    .layer = arguments.instant.layer,
                    .thread = is_thread ? static_cast<uint32_t>(track - perfetto::kThreads) : 0,
                    .kind = !is_thread                   ? TraceSlice::Kind::kStructure
                            : category == kLayerCategory ? TraceSlice::Kind::kLayer
                                                         : TraceSlice::Kind::kOperator,
                    .is_differentiable = false,
                    .recompute = arguments.instant.recompute});
  }

  void TakeAnnotation(std::string_view annotation, TraceArguments& arguments) {
    std::string_view name;
    std::string_view text;
    std::optional<int64_t> number;
    Fields fields(annotation);
    while (fields.Next()) {
      if (fields.number == perfetto::kAnnotationName) name = fields.bytes;
      if (fields.number == perfetto::kAnnotationNameIid)
        name = WordOf(perfetto::kAnnotationNames, fields.value);
      if (fields.number == perfetto::kText) text = fields.bytes;
      if (fields.number == perfetto::kTextIid) text = WordOf(perfetto::kAnnotationTexts, fields.value);
      if (fields.number == perfetto::kInteger) number = static_cast<int64_t>(fields.value);
    }
    if (name == NameOf(TraceArgument::kDescription)) description_ = text;
    if (number) arguments.Set(ArgumentOf(name), *number);
    if (!number) arguments.Set(ArgumentOf(name), text, records_.texts);
  }

  void TakeInstant(std::string_view category, std::string_view name, const TraceArguments& arguments) {
    if (name == perfetto::kRunEvent) {
      if (auto description = events::DescriptionFromJson(description_))
        origin_.description = std::move(*description);
      return;
    }
    if (category == kBookmarkCategory) return records_.AddBookmark(time_ns_, name);
    const std::optional<EventKind> kind = KindOfInstant(category, name);
    if (!kind) return;
    const TraceTexts::Id own_name = !IsOfMemory(*kind) ? records_.texts.Add(name) : 0;
    records_.AddInstant(arguments.InstantOf(*kind, own_name), time_ns_);
  }

  void TakeNumber(uint64_t track, std::string_view category, const TraceArguments& arguments) {
    const auto name = counters_.find(track);
    const std::optional<EventKind> kind = KindOfInstant(category, {});
    if (name != counters_.end() && kind)
      records_.AddInstant(arguments.InstantOf(*kind, name->second), time_ns_);
  }

  // One ends before the next one of its stream begins.
  void TakeWork(uint64_t track, uint64_t type, std::string_view category, std::string_view name,
                const TraceArguments& arguments) {
    if (type == perfetto::kSliceEnd) {
      const auto open = open_works_.find(track);
      if (open == open_works_.end()) return;
      TraceWork& work = records_.works[open->second];
      work.end_ns = std::max(time_ns_, work.begin_ns);
      return static_cast<void>(open_works_.erase(open));
    }
    const std::optional<EventKind> kind = KindOfWork(category);
    if (type != perfetto::kSliceBegin || !kind) return;
    const uint64_t stream = track - perfetto::kDeviceStreams;
    open_works_[track] = records_.works.size();
    records_.works.push_back({.begin_ns = time_ns_,
                              .end_ns = time_ns_,
                              .bytes = arguments.instant.bytes,
                              .stream = stream & ((1U << kStreamBits) - 1),
                              .name = *kind == EventKind::kMemorySet ? 0 : records_.texts.Add(name),
                              .kind = *kind,
                              .device = static_cast<uint8_t>(stream >> kStreamBits)});
  }

  void Close(std::vector<TraceSlice>& open) {
    open.back().end_ns = std::max(time_ns_, open.back().begin_ns);
    records_.slices.push_back(open.back());
    open.pop_back();
  }

  ByteSource& source_;
  TraceRecords& records_;
  TraceOrigin origin_;
  int64_t time_ns_ = 0;
  std::string description_;
  std::string damage_;
  // What was interned, by number.
  std::map<uint32_t, std::unordered_map<uint64_t, std::string>> words_ = {{perfetto::kCategoryNames, {}},
                                                                          {perfetto::kEventNames, {}},
                                                                          {perfetto::kAnnotationNames, {}},
                                                                          {perfetto::kAnnotationTexts, {}}};
  std::map<uint64_t, std::vector<TraceSlice>> open_;       // by track, outermost first
  std::unordered_map<uint64_t, size_t> open_works_;        // by track
  std::unordered_map<uint64_t, TraceTexts::Id> counters_;  // names by track
};

}  // namespace

Result<TideSummary> ImportPerfetto(ByteSource& source, const std::string& file_name,
                                   const AcceptEvents& accept, const Progress& progress) {
  TraceRecords records;
  TraceOrigin origin = PerfettoReader(source, records).Run();
  if (source.cancelled()) return Error{"Reading " + file_name + " was cancelled."};
  if (records.instants.empty() && origin.damage.empty()) {
    return Error{file_name +
                 " is a Perfetto trace without a run of Tidemark's: only those that \"tidemark export "
                 "--to perfetto\" wrote can be read."};
  }
  return ImportTrace(records, std::move(origin), file_name, accept, progress);
}

}  // namespace tidemark::trace
