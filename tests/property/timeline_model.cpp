#include "tests/property/timeline_model.h"

#include <algorithm>
#include <limits>

namespace tidemark::timeline {

using events::Category;
using events::Event;
using events::EventKind;
using events::Phase;

namespace {

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Event Next() {
    Event event;
    event.kind = static_cast<EventKind>(Below(static_cast<int64_t>(EventKind::kKernel)));
    if (Below(10) == 0) event.kind = EventKind::kTensorShape;
    if (Below(2) == 0) event.kind = Below(2) == 0 ? EventKind::kAllocate : EventKind::kFreeCompleted;
    event.time_ns = time_ns_ += Below(2000) - 200;
    event.bytes = Size();
    event.rounded_bytes = Size();
    event.address = 0x7f0000000000 + static_cast<uint64_t>(Below(60)) * 512;
    const bool tells_device = event.kind != EventKind::kCategorize && event.kind != EventKind::kTensorShape;
    if (tells_device) event.device = static_cast<uint8_t>(event.address / 512 % 3);
    event.category = static_cast<Category>(Below(events::kCategoryCount));
    event.phase = static_cast<Phase>(Below(events::kPhaseCount));
    event.name = static_cast<uint32_t>(Below(20));
    event.layer = static_cast<uint32_t>(Below(20));
    event.op = static_cast<uint32_t>(Below(20));
    if (event.kind >= EventKind::kSegmentAllocate && event.kind <= EventKind::kSegmentUnmap) Segment(event);
    if (event.kind == EventKind::kCounter)
      event.level = static_cast<events::Level>(Below(events::kLevelCount));
    if (event.kind == EventKind::kStepBegin) event.bytes = ++step_;
    if (event.kind == EventKind::kStepEnd) event.bytes = step_ + (Below(10) == 0 ? 1 : 0);
    return event;
  }

 private:
  int64_t Below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }
  int64_t Size() {
    if (Below(2000) == 0) return std::numeric_limits<int64_t>::max() - Below(5);
    if (Below(200) == 0) return -Below(5000);
    return Below(4) == 0 ? Below(100'000'000) : Below(5000);
  }
  void Segment(Event& event) {
    event.address = static_cast<uint64_t>(Below(100) * kPageBytes);
    event.bytes = Below(8) * kPageBytes;
    if (event.bytes == 0 &&
        (event.kind == EventKind::kSegmentFree || event.kind == EventKind::kSegmentUnmap)) {
      event.bytes = kPageBytes;  // 0 there means "whatever begins there", which pages do not know
    }
  }

  std::mt19937_64 random_;
  int64_t time_ns_ = 1'700'000'000'000'000'000;
  int64_t step_ = 0;
};

int64_t Wrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

SeriesValues ValuesOf(const Model::Moment& moment) {
  SeriesValues values{};
  for (const auto& [address, block] : moment.blocks) {
    if (block.pending_free) continue;
    auto& category = values[static_cast<size_t>(block.category)];
    category = Wrapped(category, block.rounded_bytes);
    auto& allocated = values[static_cast<size_t>(Series::kAllocated)];
    allocated = Wrapped(allocated, block.rounded_bytes);
    auto& requested = values[static_cast<size_t>(Series::kRequested)];
    requested = Wrapped(requested, block.bytes);
  }
  values[static_cast<size_t>(Series::kReserved)] = static_cast<int64_t>(moment.pages.size()) * kPageBytes;
  for (const auto& [level, bytes] : moment.levels) values[static_cast<size_t>(SeriesOf(level))] = bytes;
  return values;
}

}  // namespace

std::vector<Event> RandomStream(size_t count, uint32_t seed) {
  Generator generator(seed);
  std::vector<Event> events(count);
  for (Event& event : events) event = generator.Next();
  return events;
}

Model::Model(std::span<const Event> events) : events_(events.begin(), events.end()) {
  Moment moment;
  int64_t time_ns = std::numeric_limits<int64_t>::min();
  for (size_t index = 0; index < events_.size(); ++index) {
    Apply(moment, index, &ends_);
    moment.values = ValuesOf(moment);
    after_.push_back(moment.values);
    time_ns = std::max(time_ns, events_[index].time_ns);
    times_.push_back(time_ns);
  }
}

void Model::Apply(Moment& moment, size_t index, Ends* ends) const {
  const Event& event = events_[index];
  const auto found = moment.blocks.find(event.address);
  const bool lives = found != moment.blocks.end();
  const auto end = [&] {
    if (ends != nullptr) ends->ended[found->second.born] = index;
    moment.blocks.erase(found);
  };
  const auto page = event.address / kPageBytes;
  switch (event.kind) {
    case EventKind::kAllocate:
      if (lives) end();
      moment.blocks[event.address] = {event.address,
                                      std::max<int64_t>(0, event.bytes),
                                      std::max<int64_t>(0, event.rounded_bytes),
                                      event.category,
                                      event.name,
                                      event.layer,
                                      event.op,
                                      event.stream,
                                      index,
                                      false,
                                      event.device};
      return;
    case EventKind::kFreeRequested:
      if (lives && ends != nullptr) ends->requested.try_emplace(found->second.born, index);
      if (lives) found->second.pending_free = true;
      return;
    case EventKind::kFreeCompleted:
      if (lives) end();
      return;
    case EventKind::kCategorize:
      if (lives) found->second.category = event.category;
      if (lives && event.name != 0) found->second.name = event.name;
      return;
    case EventKind::kTensorShape:
      if (!lives || found->second.pending_free || found->second.shape != 0 || event.name == 0) return;
      found->second.shape = event.name;
      if (ends != nullptr) ends->shaped[found->second.born] = index;
      return;
    case EventKind::kSegmentAllocate:
    case EventKind::kSegmentMap:
      for (int64_t n = 0; n < event.bytes / kPageBytes; ++n)
        moment.pages.insert(page + static_cast<uint64_t>(n));
      return;
    case EventKind::kSegmentFree:
    case EventKind::kSegmentUnmap:
      for (int64_t n = 0; n < event.bytes / kPageBytes; ++n)
        moment.pages.erase(page + static_cast<uint64_t>(n));
      return;
    case EventKind::kCounter:
      if (event.level != events::Level::kNone) moment.levels[event.level] = event.bytes;
      return;
    case EventKind::kPhase:
      moment.phase = event.phase;
      return;
    case EventKind::kStepBegin:
      moment.step = event.bytes;
      return;
    default:
      return;
  }
}

size_t Model::IndexAt(int64_t time_ns) const {
  size_t index = 0;
  while (index < times_.size() && times_[index] < time_ns) ++index;
  return index;
}

std::optional<EventIndex> Model::FreedAt(size_t born) const {
  const auto found = ends_.ended.find(born);
  return found == ends_.ended.end() ? std::nullopt : std::optional(found->second);
}

std::optional<EventIndex> Model::StopsCountingAt(size_t born) const {
  const auto found = ends_.requested.find(born);
  return found == ends_.requested.end() ? FreedAt(born) : std::optional(found->second);
}

std::optional<EventIndex> Model::ShapedAt(size_t born) const {
  const auto found = ends_.shaped.find(born);
  return found == ends_.shaped.end() ? std::nullopt : std::optional(found->second);
}

Bucket Model::BucketOf(Series series, size_t begin, size_t end) const {
  Bucket bucket;
  bucket.first = ValueOf(Before(begin), series);
  bucket.min = bucket.max = bucket.last = bucket.first;
  if (begin >= end) return bucket;
  bucket.min = bucket.max = ValueOf(After(begin), series);
  for (size_t index = begin; index < end; ++index) {
    bucket.last = ValueOf(After(index), series);
    bucket.min = std::min(bucket.min, bucket.last);
    bucket.max = std::max(bucket.max, bucket.last);
  }
  return bucket;
}

View::Peak Model::PeakIn(Series series, size_t begin, size_t end) const {
  if (begin >= end) return {begin == 0 ? 0 : begin - 1, Before(begin)};
  size_t peak = begin;
  for (size_t index = begin; index < end; ++index) {
    if (ValueOf(After(index), series) > ValueOf(After(peak), series)) peak = index;
  }
  return {peak, After(peak)};
}

Model::Moment Model::MomentAt(size_t index) const {
  Moment moment;
  for (size_t at = 0; at <= index; ++at) Apply(moment, at, nullptr);
  moment.values = ValuesOf(moment);
  return moment;
}

}  // namespace tidemark::timeline
