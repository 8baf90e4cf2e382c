#include "profiler/trace/importers/json_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "profiler/base/format.h"
#include "profiler/trace/importers/chrome_events.h"
#include "profiler/trace/importers/json_text.h"
#include "profiler/trace/importers/memory_timeline.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/snapshot.h"
#include "profiler/trace/importers/trace_import.h"

namespace tidemark::trace {
namespace {

constexpr std::string_view kTorchProfiler = "torch.profiler trace";

// Our own exporter's "otherData" holds a run's description as "run"; before it did, only in part.
void ReadOwn(const ReadObjects& read, const Objects& objects, TraceOrigin& origin) {
  const Value* own = objects.Find(read.root, "otherData");
  if (own == nullptr) return;
  if (auto whole = events::DescriptionFromJson(objects.TextIn(*own, "run"))) {
    origin.description = std::move(*whole);
    origin.is_own = true;
    return;
  }
  const std::string_view producer = objects.TextIn(*own, "producer");
  if (!producer.starts_with("tidemark")) return;
  origin.is_own = true;
  origin.description.producer = producer;
  origin.description.device = objects.TextIn(*own, "device");
  origin.description.device_name = objects.TextIn(*own, "device_name");
  origin.description.device_bytes = objects.NumberIn(*own, "device_bytes", 0);
}

// What stands beside the events.
TraceOrigin OriginOf(const ReadObjects& read, const Objects& objects, const TraceRecords& records) {
  TraceOrigin origin;
  origin.damage = read.damage;
  origin.base_ns = objects.NumberIn(read.root, "baseTimeNanoseconds", 0);
  events::RunDescription& description = origin.description;
  description.producer = kTorchProfiler;
  if (const Value* listed = objects.Find(read.root, "deviceProperties")) {
    std::vector<ListedCard> cards;
    for (const Value& card : objects.ItemsOf(*listed)) {
      const auto place = static_cast<int64_t>(cards.size());
      cards.push_back({objects.NumberIn(card, "id", place), std::string(objects.TextIn(card, "name")),
                       objects.NumberIn(card, "totalGlobalMem", 0)});
    }
    DescribeCard(records, cards, description);
  }
  ReadOwn(read, objects, origin);
  if (records.without_memory > 0 && !origin.is_own) {
    description.notes.push_back(
        fmt::format("{} other events of the trace (calls, Python's functions) say nothing of memory and are "
                    "not shown.",
                    FormatNumber(static_cast<int64_t>(records.without_memory))));
  }
  return origin;
}

TraceOrigin OriginOfTimeline(const ReadObjects& read) {
  TraceOrigin origin;
  origin.damage = read.damage;
  origin.description.producer = "torch.profiler memory timeline";
  origin.description.device = "the device that it was exported for";
  origin.description.notes.emplace_back(
      "A memory timeline tells sizes and categories but not which block is freed: curves are exact, single "
      "blocks are not those of the program.");
  return origin;
}

}  // namespace

Result<TideSummary> ImportJson(ByteSource& source, const std::string& file_name, const AcceptEvents& accept,
                               const Progress& progress) {
  Objects objects;
  TraceRecords records;
  ChromeEvents trace(records);
  MemoryTimelineRows timeline(records);
  const ReadObjects read = ReadJson(source, objects, {trace, timeline});
  timeline.Finish();
  if (source.cancelled()) return Error{"Reading " + file_name + " was cancelled."};
  const bool is_trace = trace.any() || objects.Find(read.root, "traceEvents") != nullptr;
  if (is_trace) return ImportTrace(records, OriginOf(read, objects, records), file_name, accept, progress);
  if (timeline.any()) {
    records.unreadable = timeline.misfits();
    return ImportTrace(records, OriginOfTimeline(read), file_name, accept, progress);
  }
  return ImportSnapshot(read, objects, file_name, accept, progress);
}

}  // namespace tidemark::trace
