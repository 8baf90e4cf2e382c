// What an event costs on its way: a push by the traced thread, alone and with a second producer; the ingest
// thread's pop, and ring to timeline to recording. With an argument (bench_ring 60): also what holds for so
// many seconds while another process sends a million events a second.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

void MeasureIntake(TrainingStream::Tells tells, bool recorded) {
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench.tide";
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  session::EventIntake intake(std::move(reader), timeline::kDefaultBudgetEvents);
  if (recorded) intake.RecordTo(std::move(*trace::TideWriter::Create(file, {})));
  TrainingStream stream(20, tells);
  double us = 0;
  size_t events = 0;
  while (events < 4'000'000) {
    for (const events::Event& event : stream.Take(200'000)) writer.Push(event);
    const Stopwatch watch;
    events += intake.Take(false);
    intake.Publish();
    us += watch.Microseconds();
  }
  std::printf("ring to timeline%s, %s: %.2f M events/s\n", recorded ? " and recording" : "",
              tells == TrainingStream::Tells::kHints ? "roles inferred" : "roles told",
              static_cast<double>(events) / us);
  std::filesystem::remove(file);
}

constexpr int kEventsAMillisecond = 1000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The traced process, whose roles are inferred: a thousand events at the beginning of each millisecond, each
// stamped with its time.
[[noreturn]] void Send(transport::RingWriter writer, int seconds) {
  TrainingStream stream(20, TrainingStream::Tells::kHints);
  const int64_t begin = NowNs();
  std::vector<events::Event> events;
  size_t next = 0;
  for (int64_t millisecond = 0; millisecond < int64_t{1000} * seconds; ++millisecond) {
    const int64_t due = begin + millisecond * 1'000'000;
    std::this_thread::sleep_for(std::chrono::nanoseconds(due - NowNs()));
    for (int i = 0; i < kEventsAMillisecond; ++i) {
      if (next == events.size()) {
        events = stream.Take(100'000);
        next = 0;
      }
      events[next].time_ns = NowNs();
      writer.Push(events[next++]);
    }
  }
  _exit(0);
}

// As a live run takes them (session/live_run.cpp), recording. Latency: from the stamp of the
// oldest event that a view adds, to that view.
void MeasureSteady(int seconds) {
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench.tide";
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  session::EventIntake intake(std::move(reader), timeline::kDefaultBudgetEvents);
  intake.RecordTo(std::move(*trace::TideWriter::Create(file, {})));
  const pid_t sender = fork();
  if (sender == 0) Send(std::move(writer), seconds);
  std::vector<double> latencies_ms;
  timeline::EventIndex seen = 0;
  size_t taken = 0;
  for (bool sending = true; sending;) {
    sending = waitpid(sender, nullptr, WNOHANG) == 0;
    taken += intake.Take(!sending);
    const auto view = intake.Publish();
    const timeline::EventIndex added = std::max(seen, view->first());
    if (added < view->end())
      latencies_ms.push_back(static_cast<double>(NowNs() - view->event(added).time_ns) / 1e6);
    seen = view->end();
    std::this_thread::sleep_for(session::kPublishEvery);
  }
  intake.CloseRecording();
  std::sort(latencies_ms.begin(), latencies_ms.end());
  const auto sent = static_cast<uint64_t>(seconds) * 1000 * kEventsAMillisecond;
  std::printf(
      "%d s at a million events/s from another process: sent %llu, taken %zu, lost %llu; kept "
      "%llu, without hints; oldest new event to view: median %.1f ms, p95 %.1f ms; recording %.0f MB\n",
      seconds, static_cast<unsigned long long>(sent), taken, static_cast<unsigned long long>(intake.lost()),
      static_cast<unsigned long long>(intake.captured()), latencies_ms[latencies_ms.size() / 2],
      latencies_ms[latencies_ms.size() * 95 / 100],
      static_cast<double>(std::filesystem::file_size(file)) / 1e6);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tidemark::bench

int main(int count, char** arguments) {
  tidemark::bench::MeasurePushes(1);
  tidemark::bench::MeasurePushes(2);
  for (const auto tells : {tidemark::bench::TrainingStream::Tells::kCategories,
                           tidemark::bench::TrainingStream::Tells::kHints}) {
    tidemark::bench::MeasureIntake(tells, false);
    tidemark::bench::MeasureIntake(tells, true);
  }
  if (count > 1) tidemark::bench::MeasureSteady(std::atoi(arguments[1]));
}
