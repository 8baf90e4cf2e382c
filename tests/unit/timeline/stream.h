// Writes streams of events for tests: one call per thing that happens, a microsecond apart.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

class Stream {
 public:
  static constexpr int64_t kStartNs = 1'700'000'000'000'000'000;

  events::Event& Add(events::EventKind kind, uint64_t address = 0, int64_t bytes = 0) {
    events::Event event;
    event.kind = kind;
    event.address = address;
    event.bytes = bytes;
    event.time_ns = kStartNs + static_cast<int64_t>(events_.size()) * 1000;
    events_.push_back(event);
    return events_.back();
  }
  events::Event& Allocate(uint64_t address, int64_t bytes,
                          events::Category category = events::Category::kTemporary) {
    events::Event& event = Add(events::EventKind::kAllocate, address, bytes);
    event.rounded_bytes = bytes % 512 == 0 || bytes > std::numeric_limits<int64_t>::max() - 512
                              ? bytes
                              : (bytes / 512 + 1) * 512;
    event.category = category;
    return event;
  }
  void Free(uint64_t address) { Add(events::EventKind::kFreeCompleted, address); }
  void RequestFree(uint64_t address) { Add(events::EventKind::kFreeRequested, address); }
  events::Event& Categorize(uint64_t address, events::Category category, events::NameId name = 0) {
    events::Event& event = Add(events::EventKind::kCategorize, address);
    event.category = category;
    event.name = name;
    return event;
  }
  void Shape(uint64_t address, events::NameId text) {
    Add(events::EventKind::kTensorShape, address).name = text;
  }
  void BeginStep(int64_t number) { Add(events::EventKind::kStepBegin, 0, number); }
  void EndStep(int64_t number) { Add(events::EventKind::kStepEnd, 0, number); }
  void BeginPhase(events::Phase phase) { Add(events::EventKind::kPhase).phase = phase; }
  void Metric(events::NameId name, double value, int64_t step) {
    events::Event& event = Add(events::EventKind::kMetric, 0, step);
    event.name = name;
    events::SetMetric(event, value);
  }
  void Mark(events::NameId text, events::NameId settings = 0) {
    events::Event& event = Add(events::EventKind::kMarker);
    event.name = text;
    event.op = settings;
  }
  void Count(events::Level level, int64_t bytes) {
    events::Event& event = Add(events::EventKind::kCounter, 0, bytes);
    event.level = level;
    event.source = level == events::Level::kDriver ? events::Source::kDriver : events::Source::kDevice;
  }
  // What a source says of itself.
  void Say(events::Source source, std::string_view text) {
    const events::NameId name = Name(text);
    events::Event& event = Add(events::EventKind::kMarker);
    event.source = source;
    event.name = name;
  }
  // In as many pieces as it needs; returns the id.
  events::NameId Name(std::string_view text) {
    const events::NameId id = ++names_;
    size_t offset = 0;
    do {
      events::Event& event = Add(events::EventKind::kName);
      event.name = id;
      event.layer = static_cast<events::NameId>(offset);
      event.op = static_cast<events::NameId>(text.size());
      events::SetNamePiece(event, text.substr(offset, events::kNamePieceBytes));
      offset += events::kNamePieceBytes;
    } while (offset < text.size());
    return id;
  }

  // Index of the latest event.
  EventIndex latest() const { return events_.size() - 1; }
  const std::vector<events::Event>& events() const { return events_; }
  std::shared_ptr<const View> Publish(size_t budget_events = kDefaultBudgetEvents) const {
    Builder builder(budget_events);
    builder.Append(events_);
    return builder.Publish();
  }

 private:
  std::vector<events::Event> events_;
  events::NameId names_ = 0;
};

}  // namespace tidemark::timeline
