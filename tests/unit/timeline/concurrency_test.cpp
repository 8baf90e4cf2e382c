// One builder, readers of its views in other threads: nothing that a view tells changes, and ThreadSanitizer
// has nothing to say.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "profiler/timeline/timeline.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {
namespace {

// What the owner of a builder does with its views: the latest, behind a lock.
class LatestView {
 public:
  void Set(std::shared_ptr<const View> view) {
    const std::lock_guard lock(mutex_);
    view_ = std::move(view);
  }
  std::shared_ptr<const View> Get() {
    const std::lock_guard lock(mutex_);
    return view_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const View> view_;
};

Stream LongStream() {
  Stream stream;
  const auto text = stream.Name("switched");
  for (int step = 0; step < 700; ++step) {
    stream.BeginStep(step);
    stream.BeginPhase(events::Phase::kForward);
    for (uint64_t n = 0; n < 20; ++n) stream.Allocate(0x1000 * (n + 1), 512 + step % 7);
    for (uint64_t n = 0; n < 20; ++n)
      stream.Categorize(0x1000 * (n + 1), events::Category::kActivation, text);
    if (step % 10 == 0) stream.Allocate(0x1000, 4096);  // its free was lost
    for (uint64_t n = 0; n < 20; ++n) stream.Free(0x1000 * (n + 1));
    if (step % 50 == 0) stream.Mark(stream.Name("marker " + std::to_string(step)));
    stream.EndStep(step);
  }
  return stream;
}

// False if the view contradicts itself.
bool Agrees(const View& view) {
  if (view.empty()) return true;
  Bucket whole;
  view.Envelope(Series::kAllocated, view.first(), view.end(), std::span(&whole, 1));
  const View::Peak peak = view.PeakIn(Series::kAllocated, view.first(), view.end());
  const State state = view.StateAt(view.end() - 1);
  int64_t alive = 0;
  for (const LiveBlock& block : state.blocks) alive += block.rounded_bytes;
  bool agrees = whole.max == ValueOf(peak.values, Series::kAllocated) && whole.last == alive &&
                view.ValuesAt(view.end() - 1) == state.values;
  for (const LiveBlock& block : state.blocks) agrees = agrees && !view.FreedAt(block.born);
  if (!view.steps().empty()) agrees = agrees && view.steps().back().begin < view.end();
  for (const Marker& marker : view.markers())
    agrees = agrees && marker.index < view.end() && !marker.text.empty();
  return agrees && view.IndexAt(view.TimeOf(view.end() - 1)) < view.end();
}

}  // namespace

TEST_CASE("Views can be read while the builder goes on") {
  const Stream stream = LongStream();
  Builder builder(32'768);
  LatestView latest;
  latest.Set(builder.Publish());
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  const auto read = [&] {
    std::shared_ptr<const View> kept = latest.Get();
    while (!done.load()) {
      const std::shared_ptr<const View> view = latest.Get();
      if (!Agrees(*view) || !Agrees(*kept)) ++wrong;
      if (view->end() % 3 == 0) kept = view;
    }
  };
  std::thread first(read);
  std::thread second(read);
  const std::span<const events::Event> events(stream.events());
  for (size_t at = 0; at < events.size(); at += 97) {
    builder.Append(events.subspan(at, std::min<size_t>(97, events.size() - at)));
    latest.Set(builder.Publish());
  }
  done.store(true);
  first.join();
  second.join();
  CHECK(wrong.load() == 0);
  CHECK(latest.Get()->health().double_allocations > 0);
  CHECK(latest.Get()->first() > 0);
}

}  // namespace tidemark::timeline
