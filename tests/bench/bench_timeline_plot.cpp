// What the timeline panel's presenter costs at every zoom: 2,000 columns over one million and ten million
// events.
#include <cstdio>
#include <memory>

#include "app/presenters/timeline_plot.h"
#include "tests/bench/stopwatch.h"
#include "tests/bench/training_stream.h"

namespace tidemark::bench {
namespace {

using presenters::TimeAxis;
using presenters::VisibleRange;

void Measure(const timeline::View& view, TimeAxis axis, double share) {
  const VisibleRange whole = presenters::WholeRange(view, axis);
  const double width = (whole.end - whole.begin) * share;
  const double begin = whole.begin + (whole.end - whole.begin - width) * 0.37;
  const presenters::TimelinePlotRequest request{axis, {begin, begin + width}, 2000};
  size_t columns = 0;
  const double time =
      BestMicroseconds(15, [&] { columns = MakeTimelinePlot(view, {}, request).columns.size(); });
  std::printf("  %-10s %12.0f events   %6zu columns %10.1f us\n",
              axis == TimeAxis::kEvents ? "events" : "wall clock", static_cast<double>(view.end()) * share,
              columns, time);
}

}  // namespace
}  // namespace tidemark::bench

int main() {
  using namespace tidemark::bench;
  for (const size_t count : {size_t{1'000'000}, size_t{10'000'000}}) {
    std::printf("%zu M events\n", count / 1'000'000);
    TrainingStream stream;
    tidemark::timeline::Builder builder(20'000'000);
    for (size_t done = 0; done < count;) {
      const auto events = stream.Take(100'000);
      builder.Append(events);
      done += events.size();
    }
    const auto view = builder.Publish();
    for (const auto axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
      for (double share = 1; share * static_cast<double>(count) > 500; share /= 4)
        Measure(*view, axis, share);
    }
    std::printf("  block under the mouse %10.1f us\n", BestMicroseconds(20, [&] {
                  tidemark::presenters::BlockUnder(*view, view->end() - 100, 20'000'000);
                }));
  }
  return 0;
}
