#include "profiler/session/steps_recording.h"

#include <algorithm>
#include <utility>

#include "profiler/timeline/device_work.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;

int64_t StepsDone(const timeline::View& view) {
  if (view.steps().empty()) return 0;
  const timeline::Step& last = view.steps().back();
  return last.complete ? last.number + 1 : last.number;
}

bool HasEnded(const timeline::View& view, int64_t step) {
  return std::ranges::any_of(view.steps(), [step](const timeline::Step& one) {
    return one.number > step || (one.number == step && one.complete);
  });
}

// The events of it that are of no later step than `last`, and whether these are all that there are of them.
struct Rest {
  std::span<const Event> events;
  bool is_all = false;
};
Rest UpToStep(int64_t last, std::span<const Event> events) {
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::kStepEnd && events[i].bytes == last) return {events.first(i + 1), true};
    if (events[i].kind == EventKind::kStepBegin && events[i].bytes > last) return {events.first(i), true};
  }
  return {events, false};
}

}  // namespace

StepsRecording::StepsRecording(std::filesystem::path file, const events::RunDescription& description,
                               const StepsOfRun& steps)
    : file_(std::move(file)), steps_(steps), description_(description) {}

Status StepsRecording::Append(std::span<const Event> events, timeline::Builder& builder) {
  switch (turn_) {
    case Turn::kWaits:
      return Wait(events, builder);
    case Turn::kWrites:
      return Write(events, builder);
    case Turn::kAwaitsWork:
      return WriteLateWork(events, builder);
    case Turn::kIsOver:
      break;
  }
  return closed_.written;
}

Status StepsRecording::Wait(std::span<const Event> events, timeline::Builder& builder) {
  builder.Append(events);
  steps_ended_ += std::ranges::count(events, EventKind::kStepEnd, &Event::kind);
  const bool is_next = std::ranges::count(events, EventKind::kStepBegin, &Event::kind) > 0;
  if (!is_next || steps_ended_ < kStepsUntilSettled) return Done{};
  const auto view = builder.Publish();
  if (const std::optional<trace::Part> part = StepsPartOf(*view, steps_)) return Begin(*view, *part);
  if (!view->steps().empty()) builder.LetGoBefore(view->steps().back().begin);
  return Done{};
}

Status StepsRecording::Begin(const timeline::View& view, const trace::Part& part) {
  part_ = part;
  Result<trace::TideWriter> writer = trace::TideWriter::Create(file_, description_);
  if (!writer) return Fail(view, writer.error());
  writer_ = std::move(*writer);
  const Status written =
      trace::TellPart(view, part, [this](std::span<const Event> told) { return writer_->Append(told); });
  if (!written) return Fail(view, written.error());
  turn_ = Turn::kWrites;
  return part.end < view.end() || HasEnded(view, steps_.last) ? End(view) : Done{};
}

Status StepsRecording::Write(std::span<const Event> events, timeline::Builder& builder) {
  const Rest rest = UpToStep(steps_.last, events);
  builder.Append(rest.events);
  if (const Status written = writer_->Append(rest.events); !written)
    return Fail(*builder.Publish(), written.error());
  if (!rest.is_all) return Done{};
  const auto view = builder.Publish();
  part_.end = view->end();
  const Status ended = End(*view);
  return turn_ == Turn::kAwaitsWork ? WriteLateWork(events.subspan(rest.events.size()), builder) : ended;
}

// Kernels are told once they are over, and those of a step may come after its end.
Status StepsRecording::End(const timeline::View& view) {
  end_ns_ = view.TimeOf(part_.end - 1);
  if (view.device_work().empty()) return CloseFile(view);
  turn_ = Turn::kAwaitsWork;
  return Done{};
}

Status StepsRecording::WriteLateWork(std::span<const Event> events, timeline::Builder& builder) {
  const auto is_later = [this](const Event& event) {
    return events::IsDeviceWork(event.kind) && timeline::DeviceWorkFrom(event).begin_ns > end_ns_;
  };
  const auto later = std::ranges::find_if(events, is_later);
  std::vector<Event> work;  // and the names in it
  std::copy_if(events.begin(), later, std::back_inserter(work), [](const Event& event) {
    return events::IsDeviceWork(event.kind) || event.kind == EventKind::kName;
  });
  builder.Append(work);
  if (const Status written = writer_->Append(work); !written)
    return Fail(*builder.Publish(), written.error());
  return later == events.end() ? Status(Done{}) : CloseFile(*builder.Publish());
}

Status StepsRecording::CloseFile(const timeline::View& view) {
  Keep(view);
  description_.notes.push_back(closed_.note);
  if (const Status described = writer_->Describe(description_); !described)
    return Fail(view, described.error());
  const Status closed = writer_->Close();
  return closed ? closed : Fail(view, closed.error());
}

// Nothing more is. Its view is made at the end: other runs' events wait meanwhile.
void StepsRecording::Keep(const timeline::View& view) {
  turn_ = Turn::kIsOver;
  part_.end = std::min(part_.end, view.end());
  part_.begin = std::max(part_.begin, view.first());
  closed_.note = NoteOfPart(view, part_, steps_);
}

Status StepsRecording::Fail(const timeline::View& view, const Error& error) {
  if (turn_ == Turn::kWrites) part_.end = view.end();
  Keep(view);
  closed_.written = writer_ ? Stopped(error) : error;
  return closed_.written;
}

Status StepsRecording::Describe(const events::RunDescription& description) {
  description_ = description;
  return writer_ && turn_ != Turn::kIsOver ? writer_->Describe(description) : closed_.written;
}

Status StepsRecording::Flush(timeline::Builder& builder) {
  if (!writer_ || turn_ == Turn::kIsOver) return closed_.written;
  const Status flushed = writer_->Flush();
  return flushed ? flushed : Fail(*builder.Publish(), flushed.error());
}

Recording::Closed StepsRecording::Close(timeline::Builder& builder) {
  const auto view = builder.Publish();
  if (turn_ == Turn::kWaits) {
    const std::optional<trace::Part> part = StepsPartOf(*view, steps_);
    if (!part) {
      closed_.written = Error{WhyNoStepOf(steps_, StepsDone(*view))};
      closed_.part = timeline::Builder().Publish();
      return closed_;
    }
    (void)Begin(*view, *part);  // what went wrong is in what is closed
  }
  closed_.has_end = turn_ == Turn::kWrites;
  if (turn_ == Turn::kWrites) part_.end = view->end();
  if (turn_ != Turn::kIsOver) (void)CloseFile(*view);
  closed_.has_file = writer_.has_value();
  closed_.part = ViewOf(*view, part_);
  return closed_;
}

}  // namespace tidemark::session
