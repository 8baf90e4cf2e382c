// What the GPU did besides holding memory: kernels, memory copies and memsets, each with when it began and
// how long it took. Kept apart from the events, in pages, so that the axis of events is one of memory and a
// page's sums answer for 128 of them. In the order in which they were told, which is nearly that in which
// they began: of several streams, and of several buffers of CUPTI, one may come after another that began
// later.
//
// Times in nanoseconds (CLOCK_REALTIME). 33 bytes each, with what a page adds. The builder keeps a number of
// bytes, lets the oldest go beyond and counts them; it belongs to one thread; what it publishes is immutable.
// Append O(1) amortised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "profiler/events/event.h"
#include "profiler/timeline/sequence.h"

namespace tidemark::timeline {

struct DeviceWork {
  int64_t begin_ns = 0;
  int64_t duration_ns = 0;  // not negative
  int64_t bytes = 0;        // of a copy or a memset
  events::NameId name = 0;
  uint16_t stream = 0;
  events::EventKind kind = events::EventKind::kKernel;  // kKernel, kMemoryCopy or kMemorySet
  uint8_t device = 0;

  int64_t end_ns() const { return begin_ns + duration_ns; }
};
static_assert(sizeof(DeviceWork) == 32);

inline constexpr size_t kDeviceWorkKinds = 3;
inline size_t KindIndex(const DeviceWork& work) {
  return static_cast<size_t>(work.kind) - static_cast<size_t>(events::EventKind::kKernel);
}

DeviceWork DeviceWorkFrom(const events::Event& event);  // whose IsDeviceWork(kind)
// The event that tells it.
events::Event EventFrom(const DeviceWork& work);

struct DeviceWorkPage {
  static constexpr size_t kSize = 128;
  std::array<DeviceWork, kSize> items;
  size_t count = 0;
  int64_t begin_ns = 0;   // the earliest
  int64_t end_ns = 0;     // the latest
  size_t longest = 0;     // the first of the longest
  int64_t bytes = 0;      // of all
  int64_t latest_ns = 0;  // the latest end of these and of all that were told before
  std::array<int64_t, kDeviceWorkKinds> busy_ns{};
  std::array<int64_t, kDeviceWorkKinds> counts{};
  uint64_t told_before = 0;  // the event that came after the last of them

  void Add(const DeviceWork& work);
};
using DeviceWorkPages = Sequence<DeviceWorkPage, 16>;

class DeviceWorkBuilder {
 public:
  explicit DeviceWorkBuilder(size_t most_bytes) : most_pages_(most_bytes / sizeof(DeviceWorkPage)) {}

  void Append(const DeviceWork& work, uint64_t next_event);
  // What was told before that event goes, a page at a time.
  void LetGoBefore(uint64_t event);
  size_t bytes() const { return pages_.size() * sizeof(DeviceWorkPage); }
  uint64_t let_go() const { return let_go_; }  // of works
  DeviceWorkPages Publish() const { return open_.count == 0 ? pages_.Publish() : pages_.Publish(open_); }

 private:
  void LetGo(size_t pages);

  const size_t most_pages_;
  uint64_t let_go_ = 0;
  SequenceBuilder<DeviceWorkPage, 16> pages_;
  DeviceWorkPage open_;
};

}  // namespace tidemark::timeline
