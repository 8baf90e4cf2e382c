// What an event costs on its way: a push by the traced thread, alone and with a second producer, while
// another thread empties the ring as a recorder does; that one's pop, and ring to timeline to recording. With
// an argument (bench_ring 60): also what holds for so many seconds while another process sends a million
// events a second.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double PushNanoseconds(transport::RingWriter& writer) {
  events::Event event;
  const Stopwatch watch;
  for (size_t i = 0; i < kPushes; ++i) {
    event.bytes = static_cast<int64_t>(i);
    writer.Push(event);
  }
  return watch.Microseconds() * 1000 / kPushes;
}

// Empties the ring every 2 ms, as session/program_recorder.cpp does while there are events.
class Popper {
 public:
  explicit Popper(transport::RingReader& reader) : reader_(reader), thread_([this] { Run(); }) {}
  ~Popper() {
    done_ = true;
    thread_.join();
  }
  Popper(const Popper&) = delete;
  Popper& operator=(const Popper&) = delete;

  void AwaitAll(size_t pushed) const {
    while (popped_ < pushed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  double nanoseconds() const { return microseconds_ * 1000 / static_cast<double>(popped_); }

 private:
  void Run() {
    std::vector<events::Event> batch(8192);
    while (!done_) {
      const Stopwatch watch;
      size_t popped = 0;
      while (const size_t count = reader_.Pop(batch, false)) popped += count;
      if (popped > 0) microseconds_ = microseconds_ + watch.Microseconds();
      popped_ += popped;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  transport::RingReader& reader_;
  std::atomic<bool> done_{false};
  std::atomic<size_t> popped_{0};
  std::atomic<double> microseconds_{0};  // of those
  std::thread thread_;
};

void MeasurePushes(int producers) {
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  const Popper popper(reader);
  std::vector<double> rounds;
  for (int round = 1; round <= kRounds; ++round) {
    std::vector<double> ns(static_cast<size_t>(producers));
    std::vector<std::thread> threads;
    for (double& each : ns) threads.emplace_back([&] { each = PushNanoseconds(writer); });
    for (std::thread& thread : threads) thread.join();
    rounds.push_back(ns[0]);
    popper.AwaitAll(static_cast<size_t>(round) * kPushes * static_cast<size_t>(producers));
  }
  std::ranges::sort(rounds);
  std::printf("push, %d producer(s): best %.1f ns, median %.1f ns; pop %.1f ns\n", producers, rounds.front(),
              rounds[rounds.size() / 2], popper.nanoseconds());
}

// By the clock, which is read at both ends of each.
void MeasureBursts() {
  constexpr int kBursts = 20'000;
  constexpr int kPushesInBurst = 3;
  constexpr size_t kOwnBytes = size_t{1} << 18;
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  const Popper popper(reader);
  // The reader has had each slot once.
  size_t pushed = 0;
  for (; pushed < transport::kDefaultRingCapacity; pushed += kPushes) {
    (void)PushNanoseconds(writer);
    popper.AwaitAll(pushed + kPushes);
  }
  std::vector<char> own(kOwnBytes);
  std::vector<int64_t> bursts;
  events::Event event;
  for (int burst = 0; burst < kBursts; ++burst) {
    for (size_t i = 0; i < kOwnBytes; i += 64) ++own[i];
    const int64_t begin_ns = NowNs();
    for (int i = 0; i < kPushesInBurst; ++i) {
      event.bytes = i;
      writer.Push(event);
    }
    bursts.push_back(NowNs() - begin_ns);
  }
  std::vector<int64_t> clock;
  for (int i = 0; i < kBursts; ++i) {
    const int64_t begin_ns = NowNs();
    clock.push_back(NowNs() - begin_ns);
  }
  std::ranges::sort(bursts);
  std::ranges::sort(clock);
  std::printf(
      "three pushes after other work: median %lld ns, 95th percentile %lld ns; of them the clock %lld ns\n",
      static_cast<long long>(bursts[kBursts / 2]), static_cast<long long>(bursts[kBursts * 95 / 100]),
      static_cast<long long>(clock[kBursts / 2]));
}

void MeasureIntake(TrainingStream::Tells tells, bool recorded) {
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench.tide";
  auto reader = std::move(*transport::RingReader::Create());
  auto writer = transport::RingWriter::Beside(reader);
  session::EventIntake intake(std::move(reader), timeline::kDefaultBudgetEvents);
  if (recorded) intake.RecordTo(session::RecordingOf(std::move(*trace::TideWriter::Create(file, {}))));
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
  intake.RecordTo(session::RecordingOf(std::move(*trace::TideWriter::Create(file, {}))));
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
  (void)intake.CloseRecording();
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
  tidemark::bench::MeasureBursts();
  for (const auto tells : {tidemark::bench::TrainingStream::Tells::kCategories,
                           tidemark::bench::TrainingStream::Tells::kHints}) {
    tidemark::bench::MeasureIntake(tells, false);
    tidemark::bench::MeasureIntake(tells, true);
  }
  if (count > 1) tidemark::bench::MeasureSteady(std::atoi(arguments[1]));
}
