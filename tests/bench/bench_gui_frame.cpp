// The window at 1920×1080 while a person pans, zooms and hovers over long runs, with events streaming in: its
// own time for a frame (without OpenGL), the whole frame beside that of an empty Dear ImGui window, memory,
// the same over a memory map of 100,000 blocks and in a run of many settings, and how long a recording of ten
// million events takes to its first picture. Needs a display.
//   bench_gui_frame [ALLOCATIONS_IN_MILLIONS...]   1 and 10 without any
#include <imgui.h>
#include <imgui_internal.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "app/gui/application.h"
#include "app/gui/gui.h"
#include "app/gui/window/window.h"
#include "profiler/trace/tide.h"
#include "tests/bench/machine.h"
#include "tests/bench/training_stream.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kFrames = 150;         // of each thing that a person does
constexpr size_t kFramesToSettle = 40;  // fonts, layout, tables
constexpr size_t kEventsPerSecond = 200'000;

// Of all threads, those of OpenGL in software among them: on a busy machine the clock says little.
double ProcessSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

int64_t ResidentBytes() {
  malloc_trim(0);  // what the events were made in is not the timeline's
  std::ifstream statm("/proc/self/statm");
  int64_t all = 0;
  int64_t resident = 0;
  statm >> all >> resident;
  return resident * 4096;
}

// A run that a thread of its own goes on writing.
class StreamingRun : public session::FakeRun {
 public:
  explicit StreamingRun(size_t allocations) : builder_(allocations * 5 + 10'000'000) {
    while (allocations_ < allocations) Append(stream_.Take(1 << 18));
    view_ = builder_.Publish();
    status_.state = session::RunState::kRunning;
  }
  ~StreamingRun() override {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void Stream() {
    thread_ = std::thread([this] {
      const auto begin = Clock::now();
      for (size_t sent = 0; !ends_;) {
        const auto due = static_cast<size_t>(Seconds(Clock::now() - begin) * kEventsPerSecond);
        if (due > sent + kEventsPerSecond / 100) {
          const std::vector<events::Event> events = stream_.Take(due - sent);
          sent += events.size();
          Append(events);
          const std::lock_guard lock(mutex_);
          view_ = builder_.Publish();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  size_t allocations() const { return allocations_; }

  std::shared_ptr<const timeline::View> view() const override {
    const std::lock_guard lock(mutex_);
    return view_;
  }
  session::RunStatus status() const override { return status_; }
  events::RunDescription description() const override {
    events::RunDescription description;
    description.title = "bench";
    description.device = "cuda:0";
    return description;
  }

 private:
  void Append(const std::vector<events::Event>& events) {
    for (const events::Event& event : events)
      allocations_ += event.kind == events::EventKind::kAllocate ? 1 : 0;
    builder_.Append(events);
  }

  TrainingStream stream_;
  timeline::Builder builder_;
  std::atomic<size_t> allocations_ = 0;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const timeline::View> view_;
  session::RunStatus status_;
  std::thread thread_;
};

// A run that has ended.
class EndedRun : public session::FakeRun {
 public:
  explicit EndedRun(const timeline::Stream& stream) : view_(stream.Publish()) {}
  std::shared_ptr<const timeline::View> view() const override { return view_; }
  events::RunDescription description() const override {
    events::RunDescription description;
    description.title = "bench";
    description.device = "cpu";  // of which nothing is predicted meanwhile
    return description;
  }

 private:
  std::shared_ptr<const timeline::View> view_;
};

// As much alive at once as in a program with many small tensors: blocks of five categories and 50 layers,
// smaller than a pixel of the map, with gaps between them.
timeline::Stream CrowdedStream() {
  timeline::Stream stream;
  constexpr uint64_t kSegments = 40;
  constexpr uint64_t kBlocksInEach = 2500;
  constexpr uint64_t kSegmentBytes = 20 << 20;
  for (uint64_t segment = 0; segment < kSegments; ++segment)
    stream.Add(events::EventKind::kSegmentAllocate, (segment + 1) << 32, kSegmentBytes);
  std::vector<events::NameId> layers;
  layers.reserve(50);
  for (int layer = 0; layer < 50; ++layer) layers.push_back(stream.Name("layer " + std::to_string(layer)));
  for (uint64_t block = 0; block < kSegments * kBlocksInEach; ++block) {
    const uint64_t place = block * 7919 % (kSegments * kBlocksInEach);  // by birth in another order
    const uint64_t address =
        ((place / kBlocksInEach + 1) << 32) + place % kBlocksInEach * (kSegmentBytes / kBlocksInEach);
    const auto bytes = static_cast<int64_t>(512 + block * 512 % 7680);
    stream.Allocate(address, bytes, static_cast<events::Category>(block % 5 + 1)).layer =
        layers[block % layers.size()];
  }
  return stream;
}

// As somebody leaves it who drags a control through 500 values.
timeline::Stream StreamOfManySettings() {
  timeline::Stream stream;
  const events::NameId changed = stream.Name("settings changed");
  for (int batch = 1; batch <= 500; ++batch) {
    networks::TrainingSettings settings;
    settings.batch = batch;
    stream.Mark(changed, stream.Name(networks::ToJson(settings)));
    stream.BeginStep(batch);
    stream.Allocate(1 << 20, batch * 4096);
    stream.Free(1 << 20);
    stream.EndStep(batch);
  }
  return stream;
}

struct Times {
  std::vector<double> own;
  std::vector<double> processor;  // the part of own in which the thread had one
  std::vector<double> whole;      // with painting
  std::vector<double> all;        // processor time of all threads, of the whole frame
  std::vector<double> vertices;   // that OpenGL is given, in thousands
};

double At(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return 1e3 * values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

void Print(const char* what, const Times& times) {
  std::printf(
      "  %-34s own p50 %5.2f  p95 %5.2f  max %6.2f ms (processor p95 %5.2f)   whole frame p50 %5.1f  p95 "
      "%5.1f ms  processors p50 %5.1f ms   vertices p95 %5.1f k\n",
      what, At(times.own, 0.5), At(times.own, 0.95), At(times.own, 1), At(times.processor, 0.95),
      At(times.whole, 0.5), At(times.whole, 0.95), At(times.all, 0.5), At(times.vertices, 0.95) / 1e3);
}

// When a frame begins, told by Dear ImGui.
class FrameClock {
 public:
  void Attach() {
    ImGuiContextHook hook;
    hook.Type = ImGuiContextHookType_NewFramePre;
    hook.UserData = this;
    hook.Callback = [](ImGuiContext*, ImGuiContextHook* self) {
      auto* const clock = static_cast<FrameClock*>(self->UserData);
      clock->begin_ = Clock::now();
      clock->process_begin_ = ProcessSeconds();
    };
    ImGui::AddContextHook(ImGui::GetCurrentContext(), &hook);
  }
  double SinceBegin() const { return Seconds(Clock::now() - begin_); }
  double ProcessSinceBegin() const { return ProcessSeconds() - process_begin_; }

 private:
  Clock::time_point begin_ = Clock::now();
  double process_begin_ = 0;
};

// What a person does, frame by frame.
struct Doing {
  const char* title;
  std::function<void(gui::Application&)> begin;  // unless it is the first: the window opens so
  void (*step)(size_t frame);
};

constexpr float kLeft = 460;  // inside the plot of a window of 1920×1080
constexpr float kTop = 300;

void Hover(size_t frame) {
  ImGui::GetIO().AddMousePosEvent(kLeft + static_cast<float>(frame * 37 % 900),
                                  kTop + static_cast<float>(frame * 13 % 160));
}
void Zoom(size_t frame) {
  ImGui::GetIO().AddMousePosEvent(kLeft + 300, kTop);
  ImGui::GetIO().AddMouseWheelEvent(0, frame / 60 % 2 == 0 ? 1.0F : -1.0F);
}
void Pan(size_t frame) {
  ImGuiIO& io = ImGui::GetIO();
  const size_t part = frame % 40;
  if (part == 0) io.AddMouseButtonEvent(0, false);
  io.AddMousePosEvent(kLeft + 20 * static_cast<float>(part), kTop);
  if (part == 1) io.AddMouseButtonEvent(0, true);
}
void Nothing(size_t) {}

void HoverOverMap(size_t frame) {
  const ImGuiWindow* const map = ImGui::FindWindowByName("###memory_map");
  if (map == nullptr || !map->WasActive) {
    std::fprintf(stderr, "The window does not show the memory map.\n");
    std::exit(1);
  }
  const ImRect& inside = map->InnerRect;
  ImGui::GetIO().AddMousePosEvent(
      inside.Min.x + static_cast<float>(frame * 37 % static_cast<size_t>(inside.GetWidth())),
      inside.Min.y + 60 + static_cast<float>(frame * 13 % 60));
}

std::function<void(gui::Application&)> Does(gui::ActionId action) {
  return [action](gui::Application& application) { application.Push(gui::DoAction{action}); };
}

std::vector<Doing> OverTimeline() {
  return {{"follows the last steps", {}, Nothing},
          {"hovers over the whole run", Does(gui::ActionId::kFit), Hover},
          {"zooms in and out", Does(gui::ActionId::kFit), Zoom},
          {"pans", Does(gui::ActionId::kGoToPeak), Pan},
          {"hovers over the whole run by time",
           [](gui::Application& application) {
             application.Push(gui::DoAction{gui::ActionId::kFit});
             application.Push(gui::DoAction{gui::ActionId::kSwitchAxis});
           },
           Hover}};
}

std::vector<Doing> OverMap() {
  return {{"shows the map", {}, Nothing},
          {"hovers over the map", [](gui::Application&) {}, HoverOverMap},
          {"hovers over it, a layer selected",
           [](gui::Application& application) {
             application.Push(gui::Select{presenters::LayerSelected("layer 7")});
           },
           HoverOverMap}};
}

std::vector<Times> Use(std::shared_ptr<session::Run> run, const std::vector<Doing>& doings) {
  std::vector<Times> times(doings.size());
  size_t doing = 0;
  size_t frame = 0;
  gui::Application* application = nullptr;
  FrameClock clock;
  gui::WindowOptions options;
  options.width = 1920;
  options.height = 1080;
  options.keep_settings = false;
  options.run = std::move(run);
  options.hooks.never_idle = true;
  options.hooks.opened = [&](gui::Application& app) {
    application = &app;
    clock.Attach();
  };
  options.hooks.own_time = [&](double seconds, double cpu_seconds) {
    const double whole = clock.SinceBegin();
    if (frame++ >= kFramesToSettle) {
      times[doing].own.push_back(seconds);
      times[doing].processor.push_back(cpu_seconds);
      times[doing].whole.push_back(whole);
      times[doing].all.push_back(clock.ProcessSinceBegin());
      times[doing].vertices.push_back(ImGui::GetDrawData()->TotalVtxCount / 1e3);
    }
    doings[doing].step(frame);
    if (frame < kFrames + kFramesToSettle) return;
    frame = 0;
    if (++doing >= doings.size()) return;
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    doings[doing].begin(*application);
  };
  options.hooks.finished = [&] { return doing >= doings.size(); };
  if (gui::RunWindow(options) != 0) std::exit(1);
  return times;
}

// The least that a window can be: an empty one, painted by the same OpenGL.
Times EmptyWindow() {
  Times times;
  auto window = gui::Window::Open({1920, 1080}, {}, {}, 1);
  if (!window) {
    std::fprintf(stderr, "%s\n", window.error().message.c_str());
    std::exit(1);
  }
  for (size_t frame = 0; frame < kFrames + kFramesToSettle; ++frame) {
    (*window)->Wait(0);
    const auto begin = Clock::now();
    const double process_begin = ProcessSeconds();
    (*window)->BeginFrame(true, 1);
    ImGui::SetNextWindowPos({0, 0});
    // Another picture than before, for one that stays is not painted again.
    ImGui::SetNextWindowSize({1920, 1080 - static_cast<float>(frame % 2)});
    ImGui::Begin("empty", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::End();
    (*window)->EndFrame();
    if (frame < kFramesToSettle) continue;
    times.whole.push_back(Seconds(Clock::now() - begin));
    times.all.push_back(ProcessSeconds() - process_begin);
    times.own.push_back((*window)->own_seconds());
    times.processor.push_back((*window)->own_cpu_seconds());
  }
  return times;
}

void MeasureUse(size_t millions) {
  const int64_t before = ResidentBytes();
  auto run = std::make_shared<StreamingRun>(millions * 1'000'000);
  const double allocations = static_cast<double>(run->allocations());
  std::printf("%.1f million allocations in %.1f million events: %.0f bytes an allocation, %.0f an event\n",
              allocations / 1e6, static_cast<double>(run->view()->end()) / 1e6,
              static_cast<double>(ResidentBytes() - before) / allocations,
              static_cast<double>(ResidentBytes() - before) / static_cast<double>(run->view()->end()));
  run->Stream();
  const auto first = run->view()->end();
  const auto begin = Clock::now();
  const std::vector<Doing> doings = OverTimeline();
  const std::vector<Times> times = Use(run, doings);
  const double rate = static_cast<double>(run->view()->end() - first) / Seconds(Clock::now() - begin);
  for (size_t i = 0; i < doings.size(); ++i) Print(doings[i].title, times[i]);
  std::printf("  %.0f events/s streamed in meanwhile\n", rate);
}

void MeasureEnded(const char* what, const timeline::Stream& stream, const std::vector<Doing>& doings) {
  std::printf("%s\n", what);
  const std::vector<Times> times = Use(std::make_shared<EndedRun>(stream), doings);
  for (size_t i = 0; i < doings.size(); ++i) Print(doings[i].title, times[i]);
}

void MeasureFirstPicture() {
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench-gui.tide";
  {
    TrainingStream stream;
    auto writer = std::move(*trace::TideWriter::Create(file, {}));
    for (size_t events = 0; events < 10'000'000;) {
      const auto batch = stream.Take(100'000);
      events += batch.size();
      if (!writer.Append(batch).ok()) std::exit(1);
    }
    if (!writer.Close().ok()) std::exit(1);
  }
  const auto begin = Clock::now();
  double seconds = 0;
  gui::Application* application = nullptr;
  gui::WindowOptions options;
  options.width = 1920;
  options.height = 1080;
  options.keep_settings = false;
  options.files = {file};
  options.hooks.opened = [&](gui::Application& app) { application = &app; };
  options.hooks.own_time = [&](double, double) {
    const gui::Frame* frame = application->frame();
    if (seconds == 0 && frame != nullptr && !frame->timeline.plot->columns.empty())
      seconds = Seconds(Clock::now() - begin);
  };
  options.hooks.finished = [&] { return seconds > 0; };
  if (gui::RunWindow(options) != 0) std::exit(1);
  std::printf(
      "first picture of a recording of 10 million events: %.2f s, from the program's start of the window\n",
      seconds);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  using namespace tidemark::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each figure as it is known
  PrintMachine();
  std::vector<size_t> millions;
  for (int i = 1; i < argc; ++i) millions.push_back(static_cast<size_t>(std::max(1, std::atoi(argv[i]))));
  if (millions.empty()) millions = {1, 10};
  Print("an empty window", EmptyWindow());
  for (const size_t count : millions) MeasureUse(count);
  MeasureEnded("a memory map of 100,000 blocks", CrowdedStream(), OverMap());
  MeasureEnded("a run with 500 settings, one after the other", StreamOfManySettings(),
               {{"shows it", {}, Nothing}});
  Print("an empty window", EmptyWindow());
  MeasureFirstPicture();
  return 0;
}
