#include "profiler/timeline/device_work.h"

#include <algorithm>
#include <limits>

namespace tidemark::timeline {

using events::Event;
using events::EventKind;

namespace {

// Letting go costs as much as the list of pages is long, so a part of them goes at once.
constexpr size_t kShareAtOnce = 16;

}  // namespace

DeviceWork DeviceWorkFrom(const Event& event) {
  // A file may hold any number; sums of these do not overflow.
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;
  DeviceWork work;
  const int64_t told_ns = event.address == 0 ? event.time_ns : static_cast<int64_t>(event.address);
  work.begin_ns = std::clamp(told_ns, int64_t{0}, kMost);
  work.duration_ns = std::clamp(event.rounded_bytes, int64_t{0}, kMost / int64_t{DeviceWorkPage::kSize});
  work.bytes = std::clamp(event.bytes, int64_t{0}, kMost / int64_t{DeviceWorkPage::kSize});
  work.name = event.name;
  work.stream = static_cast<uint16_t>(std::min<uint64_t>(event.stream, std::numeric_limits<uint16_t>::max()));
  work.kind = event.kind;
  work.device = event.device;
  return work;
}

Event EventFrom(const DeviceWork& work) {
  Event event;
  event.time_ns = work.end_ns();
  event.address = static_cast<uint64_t>(work.begin_ns);
  event.bytes = work.bytes;
  event.rounded_bytes = work.duration_ns;
  event.stream = work.stream;
  event.name = work.name;
  event.kind = work.kind;
  event.source = events::Source::kDriver;
  event.device = work.device;
  return event;
}

void DeviceWorkPage::Add(const DeviceWork& work) {
  begin_ns = count == 0 ? work.begin_ns : std::min(begin_ns, work.begin_ns);
  end_ns = count == 0 ? work.end_ns() : std::max(end_ns, work.end_ns());
  latest_ns = std::max(latest_ns, work.end_ns());
  bytes += work.bytes;
  if (count > 0 && work.duration_ns > items[longest].duration_ns) longest = count;
  busy_ns[KindIndex(work)] += work.duration_ns;
  ++counts[KindIndex(work)];
  items[count++] = work;
}

void DeviceWorkBuilder::Append(const DeviceWork& work, uint64_t next_event) {
  open_.Add(work);
  open_.told_before = next_event;
  if (open_.count < DeviceWorkPage::kSize) return;
  pages_.push_back(open_);
  const int64_t latest_ns = open_.latest_ns;
  open_ = {};
  open_.latest_ns = latest_ns;
  if (pages_.size() > most_pages_) LetGo(pages_.size() - most_pages_ + most_pages_ / kShareAtOnce);
}

void DeviceWorkBuilder::LetGoBefore(uint64_t event) {
  const size_t before = pages_.size();
  pages_.LetGoWhile([event](const DeviceWorkPage& page) { return page.told_before <= event; });
  let_go_ += (before - pages_.size()) * DeviceWorkPage::kSize;
}

void DeviceWorkBuilder::LetGo(size_t pages) {
  let_go_ += pages * DeviceWorkPage::kSize;
  pages_.LetGoWhile([&pages](const DeviceWorkPage&) { return pages-- > 0; });
}

}  // namespace tidemark::timeline
