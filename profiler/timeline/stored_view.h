// The view that a Builder publishes: shares the builder's chunks, names and lists as they were at that
// moment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/timeline/names.h"
#include "profiler/timeline/store.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

struct Published {
  Store store;
  std::shared_ptr<const NameTable> names;
  uint64_t name_limit = 0;
  Sequence<Step> steps;
  std::optional<int64_t> step_under_way;
  Sequence<PhaseSpan> phases;
  Sequence<Marker> markers;
  Sequence<OutOfMemory> failures;
  Sequence<EventIndex> graph_replays;
  Sequence<std::string> settings;
  std::vector<SourceState> sources;
  DeviceWorkPages device_work;
  Health health;
  int64_t start_ns = 0;
  bool tells_requested = true;
  Series peak_level = Series::kAllocated;
  int64_t cupti_bytes = 0;
  std::vector<DevicePeaks> devices;
  Highest highest_allocated;
  Highest highest_reserved;
};

class StoredView final : public View {
 public:
  explicit StoredView(Published published);

  events::Event event(EventIndex index) const override;
  std::string_view name(events::NameId id) const override;
  std::vector<std::pair<events::NameId, std::string>> names() const override;
  int64_t TimeOf(EventIndex index) const override;
  EventIndex IndexAt(int64_t time_ns) const override;
  Cut CutNear(int64_t time_ns, int64_t tolerance_ns) const override;

  void Envelope(Series series, EventIndex begin, EventIndex end, std::span<Bucket> out) const override;
  void EnvelopeInTime(Series series, int64_t begin_ns, int64_t end_ns, std::span<Bucket> out) const override;
  Peak PeakIn(Series series, EventIndex begin, EventIndex end) const override;
  void Columns(std::span<const EventIndex> edges, CategorySet categories,
               std::span<Column> out) const override;
  SeriesValues ValuesAt(EventIndex index) const override;
  State StateAt(EventIndex index) const override;
  StateEffort EffortOfState(EventIndex index) const override;
  std::optional<EventIndex> FreedAt(EventIndex born) const override;
  std::optional<EventIndex> StopsCountingAt(EventIndex born) const override;
  events::NameId ShapeOf(EventIndex born) const override;

  const Sequence<Step>& steps() const override { return data_.steps; }
  std::optional<int64_t> step_under_way() const override { return data_.step_under_way; }
  const Sequence<PhaseSpan>& phases() const override { return data_.phases; }
  const Sequence<Marker>& markers() const override { return data_.markers; }
  const Sequence<OutOfMemory>& out_of_memory() const override { return data_.failures; }
  const Sequence<EventIndex>& graph_replays() const override { return data_.graph_replays; }
  const Sequence<std::string>& settings() const override { return data_.settings; }
  const std::vector<SourceState>& sources() const override { return data_.sources; }
  const DeviceWorkPages& device_work() const override { return data_.device_work; }
  const Health& health() const override { return data_.health; }

 private:
  events::EventKind KindOf(EventIndex index) const;
  std::optional<EventIndex> NextOf(EventIndex index) const;  // Chunk::NextAfter, within this view
  std::optional<EventIndex> NextOfBirth(EventIndex born) const;
  bool HasEndedBy(EventIndex last, EventIndex next) const;
  // A visitor as Cursor's for each column, a copy of `fresh`, which then gives the column away.
  template <typename Visitor>
  void VisitColumns(std::span<const EventIndex> edges, const Visitor& fresh, std::span<Column> out) const;
  EventIndex Before(EventIndex index) const { return index > first_ ? index - 1 : index; }
  // Told of each event from `from` to `last` that moves blocks or segments, as its chunk and its place there.
  template <typename Visitor>
  void ForMemoryEvents(EventIndex from, EventIndex last, const Visitor& visitor) const;

  Published data_;
};

}  // namespace tidemark::timeline
