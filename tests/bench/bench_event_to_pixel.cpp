// From an event in a traced program to the picture that shows it: how old the newest event of a frame is when
// the frame is handed to the driver of the display (buffers swapped), and how old the oldest that it shows
// first. The whole way: ring, recorder, timeline, window at 1920×1080; the events come from a thread that
// stamps them as a program's does. Needs a display.
// What of it is our own waiting (until a frame begins), our own drawing, and OpenGL's painting, is told
// apart. Again with nearly no frame painted, which in software takes most of the time and on a GPU nearly
// none.
//   bench_event_to_pixel [EVENTS_PER_SECOND...]   5, 100 and 100000 without any
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "app/gui/application.h"
#include "app/gui/gui.h"
#include "profiler/base/clock.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/program_recorder.h"
#include "tests/bench/machine.h"

namespace tidemark::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kSettledAfter = 3s;  // fonts, layout
constexpr auto kEndsAfter = 11s;

[[noreturn]] void Fail(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(1);
}

transport::RingWriter RingOf(const session::ProgramRecorder& recorder) {
  const std::string& entry = recorder.environment_entry();
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  if (!ring) Fail(ring.error().message);
  if (!ring->has_value()) Fail("The recorder gave no ring.");
  return std::move(**ring);
}

// Blocks that come and go, stamped when they are pushed.
class Program {
 public:
  Program(transport::RingWriter ring, int events_per_second)
      : thread_([this, ring = std::move(ring), events_per_second](const std::stop_token& stop) mutable {
          const auto begin = std::chrono::steady_clock::now();
          for (uint64_t pushed = 0; !stop.stop_requested();) {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
            const auto due = static_cast<uint64_t>(passed.count() * events_per_second);
            for (; pushed < due; ++pushed) Push(ring, pushed);
            std::this_thread::sleep_for(
                std::chrono::duration<double>(std::min(1e-3, 1.0 / events_per_second)));
          }
        }) {}

 private:
  static void Push(transport::RingWriter& ring, uint64_t number) {
    events::Event event;
    event.time_ns = RealtimeNs();
    event.kind = number % 2 == 0 ? events::EventKind::kAllocate : events::EventKind::kFreeCompleted;
    event.source = events::Source::kAllocator;
    event.address = 0x1000 + number / 2 % 64 * 0x100000;
    event.bytes = event.rounded_bytes = 1 << 20;
    ring.Push(event);
  }
  std::jthread thread_;
};

// In milliseconds, a figure a frame.
struct Ages {
  std::vector<double> newest;
  std::vector<double> oldest;
  std::vector<double> waited;  // the newest, until its frame began
  std::vector<double> drawn;
  std::vector<double> painted;
};

double At(std::vector<double> ages, double share) {
  if (ages.empty()) return 0;
  std::ranges::sort(ages);
  return ages[static_cast<size_t>(share * static_cast<double>(ages.size() - 1))];
}

Ages Measure(int events_per_second, bool painted) {
  session::RecorderOptions recorded;
  recorded.first_only = true;
  recorded.is_watched = true;
  recorded.description.title = "bench";
  recorded.description.device = "cuda:0";
  const auto recorder = session::ProgramRecorder::Start(recorded);
  if (!recorder) Fail(recorder.error().message);
  Ages ages;
  {
    const Program program(RingOf(**recorder), events_per_second);
    gui::Application* application = nullptr;
    events::EventIndex shown = 0;
    const auto begun = std::chrono::steady_clock::now();
    gui::WindowOptions options;
    options.width = 1920;
    options.height = 1080;
    options.keep_settings = false;
    options.run = (*recorder)->first();
    options.hooks.opened = [&](gui::Application& app) { application = &app; };
    double drawn_ms = 0;
    double painted_ms = 0;
    options.hooks.own_time = [&](double seconds, double) { drawn_ms = seconds * 1e3; };
    options.hooks.painting_time = [&](double seconds) { painted_ms = seconds * 1e3; };
    options.hooks.shown = [&] {
      const int64_t now_ns = RealtimeNs();
      const auto view = application->scene_input().view;
      if (view == nullptr || view->end() <= shown) return;
      const auto age_ms = [&](events::EventIndex index) {
        return static_cast<double>(now_ns - view->event(index).time_ns) / 1e6;
      };
      if (std::chrono::steady_clock::now() - begun > kSettledAfter) {
        ages.newest.push_back(age_ms(view->end() - 1));
        ages.waited.push_back(ages.newest.back() - drawn_ms - painted_ms);
        ages.drawn.push_back(drawn_ms);
        ages.painted.push_back(painted_ms);
        ages.oldest.push_back(age_ms(std::max(shown, view->first())));
      }
      shown = view->end();
    };
    options.hooks.finished = [&] { return std::chrono::steady_clock::now() - begun > kEndsAfter; };
    if (!painted) options.hooks.frames_per_painting = 1000;
    if (gui::RunWindow(options) != 0) std::exit(1);
  }
  (*recorder)->End(0);
  return ages;
}

void Print(int events_per_second, bool painted) {
  const Ages ages = Measure(events_per_second, painted);
  std::printf(
      "%7d events/s, %-11s %4zu frames with news: newest p50 %5.1f  p95 %5.1f  max %5.1f ms   oldest p95 "
      "%5.1f ms   of the newest, p95: waited %5.1f  drawn %5.1f  painted %5.1f ms\n",
      events_per_second, painted ? "painted," : "not painted,", ages.newest.size(), At(ages.newest, 0.5),
      At(ages.newest, 0.95), At(ages.newest, 1), At(ages.oldest, 0.95), At(ages.waited, 0.95),
      At(ages.drawn, 0.95), At(ages.painted, 0.95));
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  using namespace tidemark::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each figure as it is known
  PrintMachine();
  std::vector<int> rates;
  for (int i = 1; i < argc; ++i) rates.push_back(std::max(1, std::atoi(argv[i])));
  if (rates.empty()) rates = {5, 100, 100'000};
  for (const int rate : rates) {
    Print(rate, true);
    Print(rate, false);
  }
  return 0;
}
