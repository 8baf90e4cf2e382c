#include "profiler/trace/save.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/events/driver_memory.h"
#include "profiler/timeline/steps.h"
#include "profiler/trace/output_file.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;

class Prologue {
 public:
  Prologue(const timeline::View& view, timeline::EventIndex until)
      : view_(view), until_(until), time_ns_(view.TimeOf(until)) {
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
    const timeline::Step* step = timeline::LatestStepAt(view_, until_);
    if (step == nullptr && !view_.steps().empty()) step = &view_.steps().front();
    const int32_t settings = step == nullptr ? -1 : step->settings;
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
    if (of_nobody == 0) return;
    const std::array<uint64_t, events::kSourceCount> later = LostLater();
    for (const timeline::SourceState& state : view_.sources()) {
      const uint64_t told_later = later[static_cast<size_t>(state.source)];
      AddLoss(state.source, state.lost - std::min(state.lost, told_later));
      of_nobody -= std::min(of_nobody, state.lost);
    }
    AddLoss(events::Source::kSession, of_nobody);
  }

  // What events after these tell, by source.
  std::array<uint64_t, events::kSourceCount> LostLater() const {
    std::array<uint64_t, events::kSourceCount> lost{};
    for (timeline::EventIndex index = until_ + 1; index < view_.end(); ++index) {
      const Event event = view_.event(index);
      if (event.kind == EventKind::kLoss)
        lost[static_cast<size_t>(event.source)] += static_cast<uint64_t>(std::max<int64_t>(event.bytes, 0));
    }
    return lost;
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
    const timeline::State state = view_.StateAt(until_);
    for (const timeline::Segment& segment : state.segments) {
      Event& event = Add(segment.expandable ? EventKind::kSegmentMap : EventKind::kSegmentAllocate);
      event.address = segment.address;
      event.bytes = segment.bytes;
      event.device = segment.device;
      event.pool = segment.pool;
      event.stream = segment.stream;
      event.name = segment.pool_name;
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
      if (block.shape != 0) AddShape(block);
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

  void AddShape(const timeline::LiveBlock& block) {
    Event& event = Add(EventKind::kTensorShape);
    event.address = block.address;
    event.device = block.device;
    event.name = block.shape;
  }

  void AddStepUnderWay() {
    if (const auto number = StepUnderWay()) Add(EventKind::kStepBegin).bytes = *number;
  }

  std::optional<int64_t> StepUnderWay() const {
    if (until_ == view_.first()) return view_.step_under_way();
    const timeline::Step* const step = timeline::StepAt(view_, until_);
    return step != nullptr && step->begin < until_ ? std::optional(step->number) : std::nullopt;
  }

  // The names, the losses, the state and its phase are those after it.
  void AddFirst() {
    const Event first = view_.event(until_);
    const bool is_told = IsOfBlock(first.kind) || IsOfSegment(first.kind) ||
                         first.kind == EventKind::kPhase || first.kind == EventKind::kLoss ||
                         first.kind == EventKind::kName;
    if (!is_told) events_.push_back(first);
  }

  const timeline::View& view_;
  const timeline::EventIndex until_;
  const int64_t time_ns_;
  std::vector<Event> events_;
};

// When what is told of a part began at the earliest, and was over at the latest.
struct TimeSpan {
  int64_t begin_ns = std::numeric_limits<int64_t>::min();
  int64_t end_ns = std::numeric_limits<int64_t>::max();
};

TimeSpan TimeOf(const timeline::View& view, const Part& part) {
  TimeSpan span;
  if (part.begin > view.first()) span.begin_ns = view.TimeOf(part.begin);
  if (part.end < view.end()) span.end_ns = view.TimeOf(part.end);
  return span;
}

// After the events: what tells them apart from memory is that they have times of their own.
Status TellWork(const timeline::View& view, const TimeSpan& span,
                const std::function<Status(std::span<const Event>)>& accept) {
  std::vector<Event> batch;
  for (const timeline::DeviceWorkPage& page : view.device_work()) {
    batch.clear();
    for (size_t i = 0; i < page.count; ++i) {
      const timeline::DeviceWork& work = page.items[i];
      if (work.begin_ns >= span.begin_ns && work.begin_ns <= span.end_ns)
        batch.push_back(timeline::EventFrom(work));
    }
    if (Status told = accept(batch); !told) return told;
  }
  return Done{};
}

}  // namespace

std::vector<Event> PrologueOf(const timeline::View& view, timeline::EventIndex until) {
  return Prologue(view, until).events();
}

std::vector<Event> PrologueOf(const timeline::View& view) { return PrologueOf(view, view.first()); }

Status TellPart(const timeline::View& view, const Part& part,
                const std::function<Status(std::span<const Event>)>& accept, const Progress& progress) {
  const auto all = static_cast<double>(part.end - part.begin);
  timeline::EventIndex next = part.begin;
  if (next > 0 && next < part.end) {
    if (Status told = accept(PrologueOf(view, next)); !told) return told;
    ++next;
  }
  std::array<Event, 1024> batch;
  while (next < part.end) {
    const size_t count = std::min<size_t>(batch.size(), part.end - next);
    for (size_t i = 0; i < count; ++i) batch[i] = view.event(next + i);
    if (Status told = accept(std::span(batch).first(count)); !told) return told;
    next += count;
    if (progress && !progress(static_cast<double>(next - part.begin) / all))
      return Error{"Saving was cancelled. No file was written."};
  }
  return TellWork(view, TimeOf(view, part), accept);
}

namespace {

Status SaveInto(Result<ReplacingFile> target, const timeline::View& view, const Part& part,
                const events::RunDescription& description, const std::filesystem::path& file,
                const Progress& progress) {
  if (!target) return target.error();
  Result<TideWriter> writer = TideWriter::Create(target->path(), description, file);
  if (!writer) return writer.error();
  const auto write = [&writer](std::span<const Event> events) { return writer->Append(events); };
  if (Status written = TellPart(view, part, write, progress); !written) return written;
  if (Status closed = writer->Close(); !closed) return closed;
  return target->Commit();
}

}  // namespace

Status SavePart(const timeline::View& view, const Part& part, const events::RunDescription& description,
                const std::filesystem::path& file, const Progress& progress) {
  return SaveInto(ReplacingFile::Create(file), view, part, description, file, progress);
}

Status SavePart(const timeline::View& view, const Part& part, const events::RunDescription& description,
                const std::filesystem::path& file, UniqueFd& lock) {
  return SaveInto(ReplacingFile::Create(file, lock), view, part, description, file, {});
}

Status SaveTide(const timeline::View& view, const events::RunDescription& description,
                const std::filesystem::path& file, const Progress& progress) {
  events::RunDescription described = description;
  if (view.first() > 0) {
    described.notes.push_back("Saved without its first " + FormatNumber(static_cast<int64_t>(view.first())) +
                              " events, which had been let go to stay within the memory budget: it begins "
                              "with what they had left.");
  }
  return SavePart(view, AllOf(view), described, file, progress);
}

}  // namespace tidemark::trace
