#include "profiler/trace/save.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/events/driver_memory.h"
#include "profiler/trace/output_file.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;

class Prologue {
 public:
  explicit Prologue(const timeline::View& view) : view_(view), time_ns_(view.TimeOf(view.first())) {
    AddNames();
    AddSettings();
    AddLosses();
    AddSources();
    AddMemoryOfCupti();
    AddState();
    AddStepUnderWay();
    AddFirst();
  }

  const std::vector<Event>& events() const { return events_; }

 private:
  Event Stamped(EventKind kind) const {
    Event event;
    event.time_ns = time_ns_;
    event.kind = kind;
    event.source = events::Source::kSession;
    return event;
  }

  Event& Add(EventKind kind) { return events_.emplace_back(Stamped(kind)); }

  void AddNames() {
    for (const auto& [id, text] : view_.names()) {
      events::CutName(Stamped(EventKind::kName), id, text,
                      [this](const Event& piece) { events_.push_back(piece); });
    }
  }

  // The step under way tells which settings are in force; a marker with their name's id makes it known again.
  void AddSettings() {
    const auto& steps = view_.steps();
    const int32_t settings = steps.empty() ? -1 : steps.front().settings;
    if (settings < 0) return;
    const std::string& json = view_.settings()[static_cast<size_t>(settings)];
    for (const auto& [id, text] : view_.names()) {
      if (text != json) continue;
      Add(EventKind::kMarker).op = id;
      return;
    }
  }

  // What came from the sources and was lost on its way; what no source is known of is the session's.
  void AddLosses() {
    uint64_t of_nobody = view_.health().lost;
    for (const timeline::SourceState& state : view_.sources()) {
      AddLoss(state.source, state.lost);
      of_nobody -= std::min(of_nobody, state.lost);
    }
    AddLoss(events::Source::kSession, of_nobody);
  }

  void AddLoss(events::Source source, uint64_t lost) {
    if (lost == 0) return;
    Event& event = Add(EventKind::kLoss);
    event.source = source;
    event.bytes = static_cast<int64_t>(lost);
  }

  void AddMemoryOfCupti() {
    if (view_.cupti_bytes() == 0) return;
    for (const auto& [id, text] : view_.names()) {
      if (text != events::kCuptiMemory) continue;
      Event& event = Add(EventKind::kCounter);
      event.source = events::Source::kDriver;
      event.name = id;
      event.bytes = view_.cupti_bytes();
      return;
    }
  }

  void AddSources() {
    for (const timeline::SourceState& state : view_.sources()) {
      for (const auto& [id, text] : view_.names()) {
        if (text != state.text || text.empty()) continue;
        Event& event = Add(EventKind::kMarker);
        event.source = state.source;
        event.name = id;
        break;
      }
    }
  }

  void AddLevels(const timeline::SeriesValues& values) {
    for (int number = 1; number < events::kLevelCount; ++number) {
      const auto level = static_cast<events::Level>(number);
      Event& event = Add(EventKind::kCounter);
      event.level = level;
      event.bytes = ValueOf(values, timeline::SeriesOf(level));
      if (event.bytes == 0) events_.pop_back();
    }
  }

  void AddState() {
    const timeline::State state = view_.StateAt(view_.first());
    for (const timeline::Segment& segment : state.segments) {
      Event& event = Add(segment.expandable ? EventKind::kSegmentMap : EventKind::kSegmentAllocate);
      event.address = segment.address;
      event.bytes = segment.bytes;
      event.device = segment.device;
      event.pool = segment.pool;
      event.stream = segment.stream;
    }
    for (const timeline::LiveBlock& block : state.blocks) {
      Event& event = Add(EventKind::kAllocate);
      event.address = block.address;
      event.bytes = block.bytes;
      event.rounded_bytes = block.rounded_bytes;
      event.stream = block.stream;
      event.device = block.device;
      event.pool = block.pool;
      event.category = block.category;
      event.layer = block.layer;
      event.op = block.op;
      event.name = block.name;
      if (!block.pending_free) continue;
      Event& freed = Add(EventKind::kFreeRequested);
      freed.address = block.address;
      freed.stream = block.stream;
      freed.device = block.device;
      freed.pool = block.pool;
    }
    AddLevels(state.values);
    Add(EventKind::kPhase).phase = state.phase;
  }

  void AddStepUnderWay() {
    if (const auto number = view_.step_under_way()) Add(EventKind::kStepBegin).bytes = *number;
  }

  // The names, the losses, the state and its phase are those after it.
  void AddFirst() {
    const Event first = view_.event(view_.first());
    const bool is_told = first.kind <= EventKind::kSegmentUnmap || first.kind == EventKind::kPhase ||
                         first.kind == EventKind::kLoss || first.kind == EventKind::kName;
    if (!is_told) events_.push_back(first);
  }

  const timeline::View& view_;
  const int64_t time_ns_;
  std::vector<Event> events_;
};

// After the events: what tells them apart from memory is that they have times of their own.
Status WriteWork(const timeline::View& view, TideWriter& writer) {
  std::vector<Event> batch;
  for (const timeline::DeviceWorkPage& page : view.device_work()) {
    batch.clear();
    for (size_t i = 0; i < page.count; ++i) batch.push_back(timeline::EventFrom(page.items[i]));
    if (Status written = writer.Append(batch); !written) return written;
  }
  return Done{};
}

Status WriteEvents(const timeline::View& view, TideWriter& writer, const Progress& progress) {
  const auto all = static_cast<double>(view.end() - view.first());
  timeline::EventIndex next = view.first();
  if (next > 0) {
    if (Status written = writer.Append(PrologueOf(view)); !written) return written;
    ++next;
  }
  std::array<Event, 1024> batch;
  while (next < view.end()) {
    const size_t count = std::min<size_t>(batch.size(), view.end() - next);
    for (size_t i = 0; i < count; ++i) batch[i] = view.event(next + i);
    if (Status written = writer.Append(std::span(batch).first(count)); !written) return written;
    next += count;
    if (progress && !progress(static_cast<double>(next - view.first()) / all))
      return Error{"Saving was cancelled. No file was written."};
  }
  if (Status written = WriteWork(view, writer); !written) return written;
  return writer.Close();
}

}  // namespace

std::vector<Event> PrologueOf(const timeline::View& view) { return Prologue(view).events(); }

Status SaveTide(const timeline::View& view, const events::RunDescription& description,
                const std::filesystem::path& file, const Progress& progress) {
  Result<ReplacingFile> target = ReplacingFile::Create(file);
  if (!target) return target.error();
  events::RunDescription described = description;
  if (view.first() > 0) {
    described.notes.push_back("Saved without its first " + FormatNumber(static_cast<int64_t>(view.first())) +
                              " events, which had been let go to stay within the memory budget: it begins "
                              "with what they had left.");
  }
  Result<TideWriter> writer = TideWriter::Create(target->path(), described, file);
  if (!writer) return writer.error();
  if (Status written = WriteEvents(view, *writer, progress); !written) return written;
  return target->Commit();
}

}  // namespace tidemark::trace
