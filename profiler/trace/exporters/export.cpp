#include "profiler/trace/exporters/export.h"

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/timeline/steps.h"
#include "profiler/trace/exporters/exporter.h"
#include "profiler/trace/output_file.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;

constexpr size_t kBatchEvents = 4096;

// Consecutive events, each with what is true right after it.
struct Batch {
  timeline::EventIndex begin = 0;
  std::vector<events::Event> events;
  std::vector<int64_t> times;                   // on the view's axis
  std::vector<timeline::EventIndex> edges;      // of the columns
  std::vector<timeline::View::Column> columns;  // of one event each
};

// In the memory of a batch before it.
void ReadBatch(const timeline::View& view, timeline::EventIndex begin, size_t count, Batch& batch) {
  batch.begin = begin;
  batch.events.clear();
  batch.times.clear();
  batch.edges.clear();
  batch.columns.resize(count);
  int64_t time_ns = view.TimeOf(begin);
  for (size_t i = 0; i < count; ++i) {
    batch.edges.push_back(begin + i);
    batch.events.push_back(view.event(begin + i));
    batch.times.push_back(time_ns = std::max(time_ns, batch.events.back().time_ns));
  }
  batch.edges.push_back(begin + count);
  view.Columns(batch.edges, timeline::kAllCategories, batch.columns);
}

// The step that a kStepBegin or kStepEnd lies in; null for all else.
const timeline::Step* StepOf(const timeline::View& view, EventKind kind, timeline::EventIndex index) {
  const bool is_of_step = kind == EventKind::kStepBegin || kind == EventKind::kStepEnd;
  return is_of_step ? timeline::StepAt(view, index) : nullptr;
}

// Hands all events to the exporter, batch by batch. The next batch is read while this one is written.
class Walk {
 public:
  Walk(const timeline::View& view, const std::vector<Bookmark>& bookmarks, Exporter& exporter)
      : view_(view), exporter_(exporter), bookmarks_(bookmarks) {
    if (view.empty()) return;
    begin_ns_ = view.TimeOf(view.first());
    end_ns_ = view.TimeOf(view.end() - 1);
    std::array<timeline::Bucket, 1> bucket;
    for (int series = 0; series < timeline::kSeriesCount; ++series) {
      view.Envelope(static_cast<timeline::Series>(series), view.first(), view.first() + 1, bucket);
      before_[static_cast<size_t>(series)] = bucket[0].first;
    }
    ReadAhead(view.first());
  }

  // How many events were handed over; 0 at the end.
  size_t Next(std::string& out) {
    if (!next_.valid()) return 0;
    next_.get();
    std::swap(batch_, ahead_);
    const Batch& batch = batch_;
    const size_t count = batch.events.size();
    ReadAhead(batch.begin + count);
    const timeline::SeriesValues* before = &before_;
    for (size_t i = 0; i < count; ++i) {
      const timeline::SeriesValues& values = batch.columns[i].peak.values;
      TellBookmarks(batch.times[i], out);
      const timeline::EventIndex index = batch.begin + i;
      Event event = batch.events[i];
      const timeline::Step* const step = StepOf(view_, event.kind, index);
      const bool is_no_edge =
          step == nullptr ? event.kind == EventKind::kStepBegin : step->begin < index && index < step->end;
      if (step != nullptr && !is_no_edge) event.bytes = step->number;  // which may be known better since
      exporter_.Add({event, index, batch.times[i], values, *before, is_no_edge}, out);
      before = &values;
    }
    before_ = *before;
    if (!next_.valid()) TellBookmarks(std::numeric_limits<int64_t>::max(), out);
    return count;
  }

 private:
  // Those before an event of that time; none lies outside the run.
  void TellBookmarks(int64_t before_ns, std::string& out) {
    for (; !bookmarks_.empty() && bookmarks_.front().time_ns < before_ns;
         bookmarks_ = bookmarks_.subspan(1)) {
      Bookmark bookmark = bookmarks_.front();
      bookmark.time_ns = std::clamp(bookmark.time_ns, begin_ns_, end_ns_);
      exporter_.AddBookmark(bookmark, out);
    }
  }

  void ReadAhead(timeline::EventIndex begin) {
    if (begin >= view_.end()) return;
    const auto count = static_cast<size_t>(std::min<timeline::EventIndex>(kBatchEvents, view_.end() - begin));
    next_ = std::async(std::launch::async, ReadBatch, std::cref(view_), begin, count, std::ref(ahead_));
  }

  const timeline::View& view_;
  Exporter& exporter_;
  std::span<const Bookmark> bookmarks_;  // that are still to come, by time
  timeline::SeriesValues before_{};
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  Batch batch_;
  Batch ahead_;             // belongs to who reads it until next_ is there
  std::future<void> next_;  // goes first: it waits
};

}  // namespace

Result<ExportFormat> ExportFormatFromText(std::string_view text) {
  if (text == "chrome") return ExportFormat::kChrome;
  if (text == "csv") return ExportFormat::kCsv;
  if (text == "pickle") return ExportFormat::kPickle;
  if (text == "perfetto") return ExportFormat::kPerfetto;
  if (text == "sqlite") return ExportFormat::kSqlite;
  if (text == "arrow") return ExportFormat::kArrow;
  return Error{"There is no export format \"" + std::string(text) +
               "\". Choose perfetto, chrome, csv, arrow, sqlite, pickle, folded, markdown or html."};
}

namespace {

// The last category of a block is told with it, so what is lost of kCategorize is when it changed.
constexpr std::array kNotInSnapshots = {
    EventKind::kCategorize, EventKind::kMicroBatchBegin, EventKind::kScopeBegin, EventKind::kMarker,
    EventKind::kMetric,     EventKind::kCounter,         EventKind::kLoss,       EventKind::kKernel,
    EventKind::kMemoryCopy, EventKind::kMemorySet};
// What the tables of events have no rows for.
constexpr std::array kNotInTables = {EventKind::kKernel, EventKind::kMemoryCopy, EventKind::kMemorySet};

// What is lost of a run without them.
std::string_view InWords(EventKind kind) {
  switch (kind) {
    case EventKind::kCategorize:
      return "changes of what a block holds (but for the last of each)";
    case EventKind::kMicroBatchBegin:
      return "micro-batches";
    case EventKind::kScopeBegin:
      return "runs of layers and operators";
    case EventKind::kMarker:
      return "markers";
    case EventKind::kMetric:
      return "metrics, as the loss";
    case EventKind::kCounter:
      return "figures of the driver and the card";
    case EventKind::kLoss:
      return "notes of lost events";
    case EventKind::kKernel:
      return "kernels";
    case EventKind::kMemoryCopy:
      return "memory copies";
    case EventKind::kMemorySet:
      return "memsets";
    default:
      return NameOf(kind);
  }
}

// "markers: 3; metrics, as the loss: 1", of those that the view holds.
std::string CountsOf(std::span<const EventKind> kinds, const timeline::View& view) {
  std::array<int64_t, events::kEventKindCount> counts{};
  for (timeline::EventIndex i = view.first(); i < view.end(); ++i) {
    ++counts[static_cast<size_t>(view.event(i).kind)];
  }
  for (const timeline::DeviceWorkPage& page : view.device_work()) {
    for (size_t kind = 0; kind < timeline::kDeviceWorkKinds; ++kind)
      counts[static_cast<size_t>(EventKind::kKernel) + kind] += page.counts[kind];
  }
  std::string list;
  for (const EventKind kind : kinds) {
    const int64_t count = counts[static_cast<size_t>(kind)];
    if (count == 0) continue;
    list += (list.empty() ? "" : "; ") + std::string(InWords(kind)) + ": " + FormatNumber(count);
  }
  return list;
}

std::vector<std::string> LeftOut(std::span<const EventKind> kinds, const timeline::View& view) {
  const std::string list = CountsOf(kinds, view);
  if (list.empty()) return {};
  return {"The format has no place for these, which are left out: " + list + "."};
}

}  // namespace

std::vector<std::string> BookmarksLeftOut(size_t bookmarks) {
  if (bookmarks == 0) return {};
  return {"The format has no place for bookmarks; " +
          (bookmarks == 1 ? std::string("one is") : FormatNumber(static_cast<int64_t>(bookmarks)) + " are") +
          " left out."};
}

bool HoldsBookmarks(ExportFormat format) {
  return format == ExportFormat::kChrome || format == ExportFormat::kPerfetto;
}

std::vector<std::string> LeftOutBy(ExportFormat format, const timeline::View& view, size_t bookmarks) {
  std::vector<std::string> sentences = BookmarksLeftOut(bookmarks);
  const auto with = [&sentences](const std::vector<std::string>& more) {
    sentences.insert(sentences.end(), more.begin(), more.end());
    return sentences;
  };
  if (view.empty() && bookmarks > 0 && HoldsBookmarks(format))
    return {"The run has no event at which a bookmark could stand; bookmarks are left out."};
  switch (format) {
    case ExportFormat::kSqlite:
    case ExportFormat::kArrow:
      return with(LeftOut(kNotInTables, view));
    case ExportFormat::kCsv:
      sentences.insert(sentences.begin(),
                       "CSV has no place for what describes the run: its title, device, settings and notes.");
      return with(LeftOut(kNotInTables, view));
    case ExportFormat::kChrome:
    case ExportFormat::kPerfetto:
      return {};
    case ExportFormat::kPickle:
      break;
  }
  return with(LeftOut(kNotInSnapshots, view));
}

namespace {

std::unique_ptr<Exporter> MakeExporter(const timeline::View& view, const events::RunDescription& description,
                                       ExportFormat format, const std::filesystem::path& file,
                                       const std::filesystem::path& shown_name) {
  switch (format) {
    case ExportFormat::kChrome:
      return MakeChromeExporter(view, description);
    case ExportFormat::kCsv:
      return MakeCsvExporter(view);
    case ExportFormat::kPerfetto:
      return MakePerfettoExporter(view, description);
    case ExportFormat::kSqlite:
      return MakeSqliteExporter(view, description, file, shown_name);
    case ExportFormat::kArrow:
#if TIDEMARK_ARROW
      return MakeArrowExporter(view, description);
#else
      return nullptr;
#endif
    case ExportFormat::kPickle:
      break;
  }
  return MakePickleExporter(view, description);
}

// Of events and of works together.
class WrittenShare {
 public:
  WrittenShare(const timeline::View& view, const Progress& progress) : progress_(progress) {
    all_ = view.end() - view.first();
    for (const timeline::DeviceWorkPage& page : view.device_work()) all_ += page.count;
  }

  // False: cancelled.
  bool Tell(size_t more) {
    done_ += more;
    return !progress_ || progress_(static_cast<double>(done_) / static_cast<double>(all_));
  }

 private:
  const Progress& progress_;
  uint64_t all_ = 0;
  uint64_t done_ = 0;
};

Error Cancelled(const std::filesystem::path& file) {
  return Error{"The export to " + file.string() + " was cancelled."};
}

}  // namespace

Status Export(const timeline::View& view, const events::RunDescription& description, ExportFormat format,
              const std::filesystem::path& file, const Progress& progress,
              const std::vector<Bookmark>& bookmarks) {
  Result<ReplacingFile> target = ReplacingFile::Create(file);
  if (!target) return target.error();
  const std::unique_ptr<Exporter> exporter = MakeExporter(view, description, format, target->path(), file);
  if (exporter == nullptr)
    return Error{"This build of Tidemark writes no Arrow files. Choose csv or sqlite."};
  exporter->Begin(target->buffer());
  Walk walk(view, bookmarks, *exporter);
  WrittenShare told(view, progress);
  while (const size_t count = walk.Next(target->buffer())) {
    if (Status written = target->Write({}); !written) return written;
    if (Status elsewhere = exporter->Outcome(); !elsewhere) return elsewhere;
    if (!told.Tell(count)) return Cancelled(file);
  }
  for (const timeline::DeviceWorkPage& page : view.device_work()) {
    exporter->AddWork(page, target->buffer());
    if (Status written = target->Write({}); !written) return written;
    if (!told.Tell(page.count)) return Cancelled(file);
  }
  exporter->End(target->buffer());
  if (Status elsewhere = exporter->Outcome(); !elsewhere) return elsewhere;
  return target->Commit();
}

}  // namespace tidemark::trace
