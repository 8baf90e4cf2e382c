// What the timeline's store costs: ingest, memory, publishing, and the questions that one frame asks.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "profiler/timeline/timeline.h"
#include "tests/bench/stopwatch.h"
#include "tests/bench/training_stream.h"

namespace tidemark::bench {
namespace {

using timeline::Builder;
using timeline::EventIndex;
using timeline::Series;
using timeline::View;

double ResidentBytes() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  long size = 0;
  long resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(resident) * 4096;
}

void MeasureIngest(Builder& builder, size_t count) {
  TrainingStream stream;
  const double before = ResidentBytes();
  double microseconds = 0;
  double slowest_publish = 0;
  double publishing = 0;
  size_t done = 0;
  int published = 0;
  std::shared_ptr<const View> held;
  while (done < count) {
    const std::vector<events::Event> events = stream.Take(20'000);
    const Stopwatch watch;
    builder.Append(events);
    microseconds += watch.Microseconds();
    done += events.size();
    const Stopwatch publish;
    held = builder.Publish();
    slowest_publish = std::max(slowest_publish, publish.Microseconds());
    publishing += publish.Microseconds();
    ++published;
  }
  std::printf("  ingest            %10.1f M events/s, %.1f bytes per event\n",
              static_cast<double>(done) / microseconds,
              (ResidentBytes() - before) / static_cast<double>(done));
  std::printf("  publish           %10.2f us mean with a new chunk each time, %.1f us slowest\n",
              publishing / published, slowest_publish);
}

void MeasureQuestions(Builder& builder) {
  std::printf("  publish again     %10.2f us\n", BestMicroseconds(50, [&] { builder.Publish(); }));
  const std::shared_ptr<const View> view = builder.Publish();
  std::vector<timeline::Bucket> buckets(2000);
  for (const Series series : {Series::kAllocated, Series::kReserved}) {
    std::printf("  envelope 2,000    %10.1f us\n",
                BestMicroseconds(20, [&] { view->Envelope(series, view->first(), view->end(), buckets); }));
  }
  std::printf("  in time 2,000     %10.1f us\n", BestMicroseconds(20, [&] {
                view->EnvelopeInTime(Series::kAllocated, view->TimeOf(view->first()),
                                     view->TimeOf(view->end()), buckets);
              }));
  std::vector<EventIndex> edges(2001);
  for (size_t k = 0; k < edges.size(); ++k)
    edges[k] = view->first() + (view->end() - view->first()) * k / 2000;
  std::vector<View::Column> columns(2000);
  std::printf("  columns 2,000     %10.1f us\n",
              BestMicroseconds(20, [&] { view->Columns(edges, timeline::kAllCategories, columns); }));
  EventIndex at = view->first();
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    at = view->first() + (at + 7'654'321) % (view->end() - view->first());
    worst = std::max(worst, BestMicroseconds(1, [&] { view->StateAt(at); }));
  }
  std::printf("  state at          %10.1f us worst of 200\n", worst);
  std::printf("  peak of all       %10.1f us\n",
              BestMicroseconds(20, [&] { view->PeakIn(Series::kRequested, view->first(), view->end()); }));
}

bool FindsSpike(size_t count) {
  TrainingStream stream;
  Builder builder;
  builder.Append(stream.Take(count / 2));
  events::Event spike;
  spike.kind = events::EventKind::kAllocate;
  spike.address = 42;
  spike.bytes = spike.rounded_bytes = 777'777'777;
  builder.Append(std::vector{spike});
  const EventIndex index = builder.Publish()->end() - 1;
  const int64_t expected = ValueOf(builder.Publish()->ValuesAt(index), Series::kAllocated);
  spike.kind = events::EventKind::kFreeCompleted;
  builder.Append(std::vector{spike});
  builder.Append(stream.Take(count / 2));
  const auto view = builder.Publish();
  std::vector<timeline::Bucket> one(1);
  view->Envelope(Series::kAllocated, 0, view->end(), one);
  return view->PeakIn(Series::kAllocated, 0, view->end()).index == index && one[0].max == expected;
}

}  // namespace
}  // namespace tidemark::bench

int main() {
  using namespace tidemark::bench;
  for (const size_t count : {size_t{1'000'000}, size_t{10'000'000}, size_t{16'000'000}}) {
    std::printf("%zu M events\n", count / 1'000'000);
    tidemark::timeline::Builder builder(20'000'000);
    MeasureIngest(builder, count);
    MeasureQuestions(builder);
  }
  const bool found = FindsSpike(10'000'000);
  std::printf("a one-event spike in 10 M events is %s\n", found ? "found, exact to the byte" : "LOST");
  return found ? EXIT_SUCCESS : EXIT_FAILURE;
}
