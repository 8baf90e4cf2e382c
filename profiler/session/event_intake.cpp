#include "profiler/session/event_intake.h"

#include <algorithm>
#include <utility>

#include "profiler/base/clock.h"
#include "profiler/events/card_counter.h"
#include "profiler/session/steps_done.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;

constexpr size_t kBatchEvents = 8192;
// Producers count their names from 1, and timelines take ids below 2^24.
constexpr events::NameId kSessionNameId = (1U << 24) - 1;

Event SessionEvent(EventKind kind) {
  Event event;
  event.time_ns = RealtimeNs();
  event.kind = kind;
  event.source = events::Source::kSession;
  return event;
}

}  // namespace

EventIntake::EventIntake(transport::RingReader ring, size_t budget_events)
    : ring_(std::move(ring)), builder_(budget_events), batch_(kBatchEvents) {}

size_t EventIntake::Take(bool producer_dead) {
  size_t taken = 0;
  while (taken < transport::kDefaultRingCapacity) {
    const size_t count = ring_.Pop(batch_, producer_dead);
    const std::span<const Event> kept = inference_.Infer(std::span(batch_).first(count));
    if (!kept.empty()) Append(kept);
    captured_ += kept.size();
    taken += count;
    if (count < batch_.size()) break;
  }
  AddLosses();
  return taken;
}

std::shared_ptr<const timeline::View> EventIntake::Publish() {
  return part_ != nullptr ? part_ : builder_.Publish();
}

void EventIntake::Append(std::span<const Event> events) {
  const auto told = card_ ? events.end() : std::ranges::find_if(events, events::TellsOfCard);
  if (told == events.end()) return Keep(events);
  const auto until = static_cast<size_t>(told - events.begin()) + 1;
  Keep(events.first(until));
  const auto view = builder_.Publish();
  std::string_view name = view->name(told->name);
  if (name.starts_with(events::kCardPrefix)) name.remove_prefix(events::kCardPrefix.size());
  card_ = Card{std::string(name), told->bytes};
  if (learn_card_) learn_card_();
  Keep(events.subspan(until));
}

void EventIntake::Keep(std::span<const Event> events) {
  steps_done_ = StepsDoneAfter(events, steps_done_);
  if (recording_) return Record(recording_->Append(events, builder_));
  builder_.Append(events);
}

void EventIntake::AddLosses() {
  for (int source = 0; source < events::kSourceCount; ++source) {
    const auto which = static_cast<events::Source>(source);
    AddLoss(which, ring_.dropped(which), dropped_told_[static_cast<size_t>(source)]);
    AddLoss(which, ring_.torn(which), torn_told_[static_cast<size_t>(source)]);
  }
  AddLoss(events::Source::kSession, ring_.torn_of_nobody(), nobodys_told_);
}

void EventIntake::AddLoss(events::Source source, uint64_t total, uint64_t& told) {
  if (total <= told) return;  // the counters lie in shared memory; one that falls is damage, not news
  Event loss = SessionEvent(EventKind::kLoss);
  loss.source = source;
  loss.bytes = static_cast<int64_t>(total - told);
  lost_ += total - told;
  told = total;
  Append(std::span(&loss, 1));
}

void EventIntake::AddMarker(std::string_view text) {
  std::vector<Event> events;
  events::CutName(SessionEvent(EventKind::kName), kSessionNameId, text,
                  [&](const Event& piece) { events.push_back(piece); });
  Event marker = SessionEvent(EventKind::kMarker);
  marker.name = kSessionNameId;
  events.push_back(marker);
  Append(events);
}

void EventIntake::Describe(const events::RunDescription& description) {
  if (recording_) Record(recording_->Describe(description));
}

void EventIntake::FlushRecording() {
  if (recording_) Record(recording_->Flush(builder_));
}

Recording::Closed EventIntake::CloseRecording() {
  if (!recording_) return {};
  Recording::Closed closed = recording_->Close(builder_);
  Record(closed.written);
  part_ = closed.part;
  recording_.reset();
  return closed;
}

void EventIntake::Record(const Status& written) {
  if (!written) recording_error_ = written.error().message;
}

}  // namespace tidemark::session
