// A view that counts what the thread that made it asks, for tests of how much a question costs it. Others
// may ask as well.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

class CountingView final : public View {
 public:
  struct Counts {
    uint64_t events = 0;  // looked at one by one
    uint64_t states = 0;
    uint64_t ends = 0;     // FreedAt and StopsCountingAt
    uint64_t values = 0;   // ValuesAt
    uint64_t columns = 0;  // of all Columns
    uint64_t names = 0;
  };

  explicit CountingView(std::shared_ptr<const View> view) : view_(std::move(view)) {
    first_ = view_->first();
    end_ = view_->end();
    start_ns_ = view_->start_ns();
    tells_requested_ = view_->tells_requested();
    peak_level_ = view_->peak_level();
  }

  const Counts& counts() const { return counts_; }
  void Forget() const { counts_ = {}; }

  events::Event event(EventIndex index) const override {
    Count(counts_.events);
    return view_->event(index);
  }
  std::string_view name(events::NameId id) const override {
    Count(counts_.names);
    return view_->name(id);
  }
  std::vector<std::pair<events::NameId, std::string>> names() const override { return view_->names(); }
  int64_t TimeOf(EventIndex index) const override { return view_->TimeOf(index); }
  EventIndex IndexAt(int64_t time_ns) const override { return view_->IndexAt(time_ns); }
  Cut CutNear(int64_t time_ns, int64_t tolerance_ns) const override {
    return view_->CutNear(time_ns, tolerance_ns);
  }
  void Envelope(Series series, EventIndex begin, EventIndex end, std::span<Bucket> out) const override {
    view_->Envelope(series, begin, end, out);
  }
  void EnvelopeInTime(Series series, int64_t begin_ns, int64_t end_ns, std::span<Bucket> out) const override {
    view_->EnvelopeInTime(series, begin_ns, end_ns, out);
  }
  Peak PeakIn(Series series, EventIndex begin, EventIndex end) const override {
    return view_->PeakIn(series, begin, end);
  }
  void Columns(std::span<const EventIndex> edges, CategorySet categories,
               std::span<Column> out) const override {
    Count(counts_.columns, out.size());
    view_->Columns(edges, categories, out);
  }
  SeriesValues ValuesAt(EventIndex index) const override {
    Count(counts_.values);
    return view_->ValuesAt(index);
  }
  State StateAt(EventIndex index) const override {
    Count(counts_.states);
    return view_->StateAt(index);
  }
  StateEffort EffortOfState(EventIndex index) const override { return view_->EffortOfState(index); }
  std::optional<EventIndex> FreedAt(EventIndex born) const override {
    Count(counts_.ends);
    return view_->FreedAt(born);
  }
  std::optional<EventIndex> StopsCountingAt(EventIndex born) const override {
    Count(counts_.ends);
    return view_->StopsCountingAt(born);
  }
  events::NameId ShapeOf(EventIndex born) const override { return view_->ShapeOf(born); }
  const Sequence<Step>& steps() const override { return view_->steps(); }
  std::optional<int64_t> step_under_way() const override { return view_->step_under_way(); }
  const Sequence<PhaseSpan>& phases() const override { return view_->phases(); }
  const Sequence<Marker>& markers() const override { return view_->markers(); }
  const Sequence<OutOfMemory>& out_of_memory() const override { return view_->out_of_memory(); }
  const Sequence<EventIndex>& graph_replays() const override { return view_->graph_replays(); }
  const Sequence<std::string>& settings() const override { return view_->settings(); }
  const std::vector<SourceState>& sources() const override { return view_->sources(); }
  const DeviceWorkPages& device_work() const override { return view_->device_work(); }
  const Health& health() const override { return view_->health(); }

 private:
  void Count(uint64_t& what, uint64_t times = 1) const {
    if (std::this_thread::get_id() == thread_) what += times;
  }

  std::shared_ptr<const View> view_;
  const std::thread::id thread_ = std::this_thread::get_id();
  mutable Counts counts_;
};

}  // namespace tidemark::timeline
