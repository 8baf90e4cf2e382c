// What an event costs on its way: a push by the traced thread, alone and with a second producer; the ingest
// thread's pop, and ring to timeline to recording.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "profiler/capture/transport/ring.h"
#include "profiler/session/event_intake.h"
#include "tests/bench/stopwatch.h"
#include "tests/bench/training_stream.h"

namespace tidemark::bench {
namespace {

constexpr int kRounds = 30;
constexpr size_t kPushes = 100'000;

double PushNanoseconds(transport::RingWriter& writer) {
  events::Event event;
  const Stopwatch watch;
  for (size_t i = 0; i < kPushes; ++i) {
    event.bytes = static_cast<int64_t>(i);
    writer.Push(event);
  }
  return watch.Microseconds() * 1000 / kPushes;
}

void MeasurePushes(int producers) {
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  std::vector<events::Event> batch(8192);
  double best = 1e9;
  double sum = 0;
  double pop_us = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> ns(static_cast<size_t>(producers));
    std::vector<std::thread> threads;
    for (double& each : ns) threads.emplace_back([&] { each = PushNanoseconds(writer); });
    for (std::thread& thread : threads) thread.join();
    best = std::min(best, ns[0]);
    sum += ns[0];
    const Stopwatch watch;
    while (reader.Pop(batch, false) > 0) {
    }
    pop_us += watch.Microseconds();
  }
  std::printf("push, %d producer(s): best %.1f ns, mean %.1f ns; pop %.1f ns\n", producers, best,
              sum / kRounds, pop_us * 1000 / (kRounds * static_cast<double>(kPushes) * producers));
}

void MeasureIntake(bool recorded) {
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench.tide";
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  session::EventIntake intake(std::move(reader), timeline::kDefaultBudgetEvents);
  if (recorded) intake.RecordTo(std::move(*trace::TideWriter::Create(file, {})));
  TrainingStream stream;
  double us = 0;
  size_t events = 0;
  while (events < 4'000'000) {
    for (const events::Event& event : stream.Take(200'000)) writer.Push(event);
    const Stopwatch watch;
    events += intake.Take(false);
    intake.Publish();
    us += watch.Microseconds();
  }
  std::printf("ring to timeline%s: %.2f M events/s\n", recorded ? " and recording" : "",
              static_cast<double>(events) / us);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tidemark::bench

int main() {
  tidemark::bench::MeasurePushes(1);
  tidemark::bench::MeasurePushes(2);
  tidemark::bench::MeasureIntake(false);
  tidemark::bench::MeasureIntake(true);
}
