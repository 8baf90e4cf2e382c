#include "profiler/timeline/stored_view.h"

#include <algorithm>
#include <limits>

#include "profiler/base/check.h"
#include "profiler/timeline/address_set.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/partial_sum.h"

namespace tidemark::timeline {
namespace {

__extension__ using Wide = __int128;  // a product of two 64-bit numbers

struct ExtentVisitor {
  Series series;
  Extent extent{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};

  void OnNode(const Chunk& chunk, size_t node, EventIndex) {
    const Extent other = chunk.ExtentOf(series, node);
    extent.min = std::min(extent.min, other.min);
    extent.max = std::max(extent.max, other.max);
  }
  void OnEvent(EventIndex, const SeriesValues& values) {
    extent.min = std::min(extent.min, ValueOf(values, series));
    extent.max = std::max(extent.max, ValueOf(values, series));
  }
};

// Remembers where the peak is and fetches its values at the end: rows of values lie far apart.
class ColumnVisitor {
 public:
  void OnNode(const Chunk& chunk, size_t node, EventIndex) {
    const Extent allocated = chunk.ExtentOf(Series::kAllocated, node);
    if (Exceeds(allocated.max)) {
      peak_chunk_ = &chunk;
      peak_node_ = node;
    }
    Include(allocated, chunk.ExtentOf(Series::kReserved, node).max);
  }
  void OnEvent(EventIndex index, const SeriesValues& values) {
    const int64_t allocated = ValueOf(values, Series::kAllocated);
    if (Exceeds(allocated)) {
      peak_chunk_ = nullptr;
      column_.peak = {index, values};
    }
    Include({allocated, allocated}, ValueOf(values, Series::kReserved));
  }
  View::Column Take() {
    if (peak_chunk_ != nullptr) {
      column_.peak = {peak_chunk_->start().index + peak_chunk_->PeakOffset(peak_node_),
                      peak_chunk_->ValuesAtPeak(peak_node_)};
    }
    return column_;
  }

 private:
  bool Exceeds(int64_t allocated) const { return !any_ || allocated > highest_; }
  void Include(const Extent& allocated, int64_t reserved_max) {
    highest_ = any_ ? std::max(highest_, allocated.max) : allocated.max;
    column_.lowest = any_ ? std::min(column_.lowest, allocated.min) : allocated.min;
    column_.reserved_max = any_ ? std::max(column_.reserved_max, reserved_max) : reserved_max;
    any_ = true;
  }

  View::Column column_;
  bool any_ = false;
  int64_t highest_ = 0;
  const Chunk* peak_chunk_ = nullptr;
  size_t peak_node_ = 0;
};

// Where a series first reaches a value: a single event, or the largest node that holds it.
struct ReachVisitor {
  Series series;
  int64_t value;
  std::optional<EventIndex> at;
  const Chunk* chunk = nullptr;
  size_t node = 0;

  void OnNode(const Chunk& candidate, size_t candidate_node, EventIndex) {
    if (at || chunk != nullptr || candidate.ExtentOf(series, candidate_node).max != value) return;
    chunk = &candidate;
    node = candidate_node;
  }
  void OnEvent(EventIndex index, const SeriesValues& values) {
    if (!at && chunk == nullptr && ValueOf(values, series) == value) at = index;
  }
};

EventIndex FirstInNode(const Chunk& chunk, size_t node, Series series, int64_t value) {
  auto level =
      static_cast<size_t>(std::upper_bound(kFirstNode.begin(), kFirstNode.end(), node) - kFirstNode.begin()) -
      1;
  size_t number = node - kFirstNode[level];
  while (level > 0) {
    --level;
    number *= kFanOut;
    while (chunk.ExtentOf(series, kFirstNode[level] + number).max != value) ++number;
  }
  size_t offset = number * kLeafEvents;
  SeriesValues values = ValuesBefore(chunk, offset);
  for (chunk.Replay(values, offset, offset + 1); ValueOf(values, series) != value;
       chunk.Replay(values, offset, offset + 1))
    ++offset;
  return chunk.start().index + offset;
}

// The part of a range that full chunks fill; empty, at its beginning, if none does.
struct FullChunks {
  EventIndex begin;
  EventIndex end;
};

FullChunks FullChunksIn(const Store& store, EventIndex begin, EventIndex end) {
  const EventIndex known = std::min<EventIndex>(end - store.first, store.summaries.size() * kChunkEvents);
  const EventIndex first = (begin - store.first + kChunkEvents - 1) / kChunkEvents * kChunkEvents;
  const EventIndex last = known / kChunkEvents * kChunkEvents;
  if (first >= last) return {begin, begin};
  return {store.first + first, store.first + last};
}

const Extent& SummaryOf(const Store& store, EventIndex start, Series series) {
  return store.summaries[(start - store.first) / kChunkEvents].extents[static_cast<size_t>(series)];
}

// begin < end
int64_t LargestIn(const Store& store, Series series, EventIndex begin, EventIndex end) {
  const FullChunks full = FullChunksIn(store, begin, end);
  ExtentVisitor visitor{series};
  Cursor(store, begin).Advance(full.begin, visitor);
  int64_t largest = visitor.extent.max;
  for (EventIndex start = full.begin; start < full.end; start += kChunkEvents)
    largest = std::max(largest, SummaryOf(store, start, series).max);
  Cursor(store, full.end).Advance(end, visitor);
  return std::max(largest, visitor.extent.max);
}

std::optional<EventIndex> FirstWalked(const Store& store, Series series, int64_t value, EventIndex begin,
                                      EventIndex end) {
  ReachVisitor visitor{series, value, {}, nullptr, 0};
  Cursor(store, begin).Advance(end, visitor);
  if (visitor.chunk != nullptr) return FirstInNode(*visitor.chunk, visitor.node, series, value);
  return visitor.at;
}

// The value is the largest of the range.
EventIndex FirstAtValue(const Store& store, Series series, int64_t value, EventIndex begin, EventIndex end) {
  const FullChunks full = FullChunksIn(store, begin, end);
  if (const auto at = FirstWalked(store, series, value, begin, full.begin)) return *at;
  for (EventIndex start = full.begin; start < full.end; start += kChunkEvents) {
    if (SummaryOf(store, start, series).max == value)
      return FirstInNode(store.ChunkOf(start), kNodes - 1, series, value);
  }
  const auto at = FirstWalked(store, series, value, full.end, end);
  TIDEMARK_CHECK(at.has_value());
  return *at;
}

// From a checkpoint to a later moment. What no event on the way touches is as it was, and most of many blocks
// is: only what is touched goes through a ledger.
class StateReplay {
 public:
  explicit StateReplay(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  EventIndex begin() const { return checkpoint_.index; }
  // First the address of every event, ...
  void Note(uint64_t address) { touched_.Add(address); }
  // ... then the events themselves.
  void Begin() {
    std::vector<LiveBlock> touched;
    for (size_t i = 0; i < checkpoint_.blocks.size(); ++i) {
      if (!touched_.Contains(checkpoint_.blocks[i].address)) continue;
      places_.push_back(i);
      touched.push_back(checkpoint_.blocks[i]);
    }
    ledger_.Restore(touched, checkpoint_.segments);
  }
  void Apply(events::Event event, EventIndex index) { ledger_.Apply(event, index, ignored_); }
  void End(State& state) const {
    std::vector<LiveBlock> left;
    ledger_.blocks().AppendTo(left);
    state.blocks.reserve(checkpoint_.blocks.size() - places_.size() + left.size());
    auto next = left.begin();
    auto from = checkpoint_.blocks.begin();
    for (const size_t place : places_) {
      const auto touched = checkpoint_.blocks.begin() + static_cast<std::ptrdiff_t>(place);
      state.blocks.insert(state.blocks.end(), from, touched);
      if (next != left.end() && next->born == touched->born) state.blocks.push_back(*next++);
      from = std::next(touched);
    }
    state.blocks.insert(state.blocks.end(), from, checkpoint_.blocks.end());
    state.blocks.insert(state.blocks.end(), next, left.end());
    ledger_.segments().AppendTo(state.segments);
  }

 private:
  const Checkpoint& checkpoint_;
  AddressSet touched_;
  std::vector<size_t> places_;  // of touched ones in the checkpoint
  Ledger ledger_;
  Health ignored_;  // the builder has counted these
};

Bucket BucketOf(Cursor& cursor, Series series, EventIndex begin, EventIndex end) {
  Bucket bucket;
  bucket.first = cursor.Value(series);
  if (begin >= end) return {bucket.first, bucket.first, bucket.first, bucket.first};
  ExtentVisitor visitor{series};
  cursor.Advance(end, visitor);
  bucket.min = visitor.extent.min;
  bucket.max = visitor.extent.max;
  bucket.last = cursor.Value(series);
  return bucket;
}

}  // namespace

StoredView::StoredView(Published published) : data_(std::move(published)) {
  first_ = data_.store.first;
  end_ = data_.store.end;
  start_ns_ = data_.start_ns;
  tells_requested_ = data_.tells_requested;
  peak_level_ = data_.peak_level;
  cupti_bytes_ = data_.cupti_bytes;
  devices_ = data_.devices;
  highest_allocated_ = data_.highest_allocated;
  highest_reserved_ = data_.highest_reserved;
}

events::Event StoredView::event(EventIndex index) const {
  TIDEMARK_CHECK(first_ <= index && index < end_);
  return data_.store.ChunkOf(index).EventAt(data_.store.OffsetOf(index));
}

std::string_view StoredView::name(events::NameId id) const { return data_.names->Find(id, data_.name_limit); }

std::vector<std::pair<events::NameId, std::string>> StoredView::names() const {
  return data_.names->All(data_.name_limit);
}

int64_t StoredView::TimeOf(EventIndex index) const {
  return empty() ? 0 : data_.store.TimeOf(std::clamp(index, first_, end_ - 1));
}

EventIndex StoredView::IndexAt(int64_t time_ns) const {
  size_t from = 0;
  return data_.store.IndexAt(time_ns, from);
}

View::Cut StoredView::CutNear(int64_t time_ns, int64_t tolerance_ns) const {
  size_t from = 0;
  const EventIndex leaf = data_.store.LeafAt(time_ns, from);
  for (size_t level = kLevels; level-- > 0 && tolerance_ns > 0;) {
    const EventIndex index = leaf / kNodeEvents[level] * kNodeEvents[level];
    if (index <= first_) continue;
    const int64_t time_before = data_.store.TimeOf(index - 1);  // the leaf's: no event is looked at
    if (Wide{time_ns} - Wide{time_before} <= Wide{tolerance_ns}) return {index, time_before};
  }
  return {data_.store.IndexAt(time_ns, from), time_ns};
}

void StoredView::Envelope(Series series, EventIndex begin, EventIndex end, std::span<Bucket> out) const {
  if (out.empty()) return;
  const Wide span = end > begin ? Wide{end} - Wide{begin} : 0;
  const auto edge = [&](size_t k) {
    return data_.store.Clamped(
        begin + static_cast<EventIndex>(span * static_cast<Wide>(k) / static_cast<Wide>(out.size())));
  };
  EventIndex from = edge(0);
  Cursor cursor(data_.store, from);
  for (size_t k = 0; k < out.size(); ++k) {
    const EventIndex to = edge(k + 1);
    out[k] = BucketOf(cursor, series, from, to);
    from = to;
  }
}

void StoredView::EnvelopeInTime(Series series, int64_t begin_ns, int64_t end_ns,
                                std::span<Bucket> out) const {
  if (out.empty()) return;
  const Wide span = end_ns > begin_ns ? Wide{end_ns} - Wide{begin_ns} : 0;
  size_t chunk = 0;
  const auto edge = [&](size_t k) {
    const Wide time = Wide{begin_ns} + span * static_cast<Wide>(k) / static_cast<Wide>(out.size());
    return data_.store.IndexAt(static_cast<int64_t>(time), chunk);
  };
  EventIndex from = edge(0);
  Cursor cursor(data_.store, from);
  for (size_t k = 0; k < out.size(); ++k) {
    const EventIndex to = edge(k + 1);
    out[k] = BucketOf(cursor, series, from, to);
    from = to;
  }
}

View::Peak StoredView::PeakIn(Series series, EventIndex begin, EventIndex end) const {
  begin = data_.store.Clamped(begin);
  end = std::max(begin, data_.store.Clamped(end));
  if (begin == end) return {Before(begin), Cursor(data_.store, begin).Values()};
  const int64_t largest = LargestIn(data_.store, series, begin, end);
  const EventIndex index = FirstAtValue(data_.store, series, largest, begin, end);
  return {index, ValuesAt(index)};
}

template <typename Visitor>
void StoredView::VisitColumns(std::span<const EventIndex> edges, const Visitor& fresh,
                              std::span<Column> out) const {
  if (out.empty()) return;
  TIDEMARK_CHECK(edges.size() == out.size() + 1);
  EventIndex from = data_.store.Clamped(edges[0]);
  Cursor cursor(data_.store, from);
  for (size_t k = 0; k < out.size(); ++k) {
    const EventIndex to = std::max(from, data_.store.Clamped(edges[k + 1]));
    Visitor visitor = fresh;
    if (from == to) {
      visitor.OnEvent(Before(from), cursor.Values());
    } else {
      cursor.Advance(to, visitor);
    }
    out[k] = visitor.Take();
    from = to;
  }
}

void StoredView::Columns(std::span<const EventIndex> edges, CategorySet categories,
                         std::span<Column> out) const {
  if (categories == kAllCategories) {
    VisitColumns(edges, ColumnVisitor(), out);
  } else {
    VisitColumns(edges, PartialSum(categories), out);
  }
}

SeriesValues StoredView::ValuesAt(EventIndex index) const {
  return empty() ? SeriesValues{} : data_.store.ValuesBefore(std::clamp(index, first_, end_ - 1) + 1);
}

State StoredView::StateAt(EventIndex index) const {
  State state;
  if (empty()) return state;
  state.index = std::clamp(index, first_, end_ - 1);
  state.time_ns = TimeOf(state.index);
  state.phase = event(state.index).phase;
  state.values = ValuesAt(state.index);
  StateReplay replay(*data_.store.ChunkOf(state.index).start().checkpoint);
  ForMemoryEvents(replay.begin(), state.index,
                  [&](const Chunk& chunk, size_t offset) { replay.Note(chunk.AddressOf(offset)); });
  replay.Begin();
  ForMemoryEvents(replay.begin(), state.index, [&](const Chunk& chunk, size_t offset) {
    replay.Apply(chunk.EventAt(offset), chunk.start().index + offset);
  });
  replay.End(state);
  for (Segment& segment : state.segments) segment.pool_owner = events::OwnerOfPool(name(segment.pool_name));
  return state;
}

// Blocks that come and go on the way are left out: what happens at their address meanwhile finds nothing
// there, or a block whose own end was not seen and comes with theirs.
template <typename Visitor>
void StoredView::ForMemoryEvents(EventIndex from, EventIndex last, const Visitor& visitor) const {
  while (from <= last) {
    const Chunk& chunk = data_.store.ChunkOf(from);
    const EventIndex start = chunk.start().index;
    const auto end = static_cast<size_t>(std::min<EventIndex>(last - start + 1, kChunkEvents));
    for (size_t offset = data_.store.OffsetOf(from); offset < end; ++offset) {
      const events::EventKind kind = chunk.KindOf(offset);
      if (!events::IsOfBlock(kind) && !events::IsOfSegment(kind)) continue;
      if (kind == events::EventKind::kAllocate) {
        const uint32_t after = chunk.NextAfter(offset);
        if (after != 0 && HasEndedBy(last, start + offset + after)) continue;
      }
      visitor(chunk, offset);
    }
    from = start + end;
  }
}

View::StateEffort StoredView::EffortOfState(EventIndex index) const {
  if (empty()) return {};
  index = std::clamp(index, first_, end_ - 1);
  const Checkpoint& checkpoint = *data_.store.ChunkOf(index).start().checkpoint;
  return {checkpoint.blocks.size(), index - checkpoint.index + 1};
}

events::EventKind StoredView::KindOf(EventIndex index) const {
  return data_.store.ChunkOf(index).KindOf(data_.store.OffsetOf(index));
}

std::optional<EventIndex> StoredView::NextOf(EventIndex index) const {
  const uint32_t after = data_.store.ChunkOf(index).NextAfter(data_.store.OffsetOf(index));
  if (after == 0 || index + after >= end_) return std::nullopt;
  return index + after;
}

std::optional<EventIndex> StoredView::NextOfBirth(EventIndex born) const {
  if (born < first_ || born >= end_ || KindOf(born) != events::EventKind::kAllocate) return std::nullopt;
  return NextOf(born);
}

// Whether a block of which `next` comes next is gone by then: one whose free was requested waits for its end.
bool StoredView::HasEndedBy(EventIndex last, EventIndex next) const {
  if (next > last) return false;
  const events::EventKind kind = KindOf(next);
  if (kind != events::EventKind::kTensorShape && kind != events::EventKind::kFreeRequested) return true;
  const std::optional<EventIndex> after = NextOf(next);
  return after && HasEndedBy(last, *after);
}

std::optional<EventIndex> StoredView::StopsCountingAt(EventIndex born) const {
  const std::optional<EventIndex> next = NextOfBirth(born);
  return next && KindOf(*next) == events::EventKind::kTensorShape ? NextOf(*next) : next;
}

std::optional<EventIndex> StoredView::FreedAt(EventIndex born) const {
  const std::optional<EventIndex> stopped = StopsCountingAt(born);
  const bool waits = stopped && KindOf(*stopped) == events::EventKind::kFreeRequested;
  return waits ? NextOf(*stopped) : stopped;
}

events::NameId StoredView::ShapeOf(EventIndex born) const {
  const std::optional<EventIndex> next = NextOfBirth(born);
  return next && KindOf(*next) == events::EventKind::kTensorShape ? event(*next).name : 0;
}

}  // namespace tidemark::timeline
