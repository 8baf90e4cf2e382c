// The window's own time for a frame (without OpenGL) while a phantom run streams as fast as it goes. Needs a
// display.
//   bench_gui_frame [FRAMES]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "app/gui/application.h"
#include "app/gui/gui.h"

namespace {

using namespace tidemark;

struct Stage {
  const char* title;
  std::vector<double> seconds;      // on the clock
  std::vector<double> cpu_seconds;  // in which the thread had a processor
};

void Print(const char* title, const char* what, std::vector<double> sorted) {
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return 1e3 * sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  std::printf("%-30s %-10s %5zu frames   p50 %6.2f ms   p95 %6.2f ms   max %6.2f ms\n", title, what,
              sorted.size(), at(0.5), at(0.95), at(1));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t frames = argc > 1 ? static_cast<size_t>(std::max(10, std::atoi(argv[1]))) : 600;
  std::vector<Stage> stages = {{"follows the last steps", {}, {}},
                               {"shows the whole run", {}, {}},
                               {"shows the whole run by time", {}, {}}};
  size_t stage = 0;
  size_t skipped = 0;
  uint64_t events = 0;
  gui::Application* application = nullptr;
  gui::WindowOptions options;
  options.width = 1920;
  options.height = 1080;
  options.keep_settings = false;
  options.steps_per_second = 0;
  options.device = networks::DeviceChoice{networks::DeviceKind::kPhantom, 0, "h200"};
  options.hooks.never_idle = true;
  options.hooks.opened = [&](gui::Application& app) { application = &app; };
  options.hooks.own_time = [&](double seconds, double cpu_seconds) {
    const auto& view = application->scene_input().view;
    // The first frames build fonts and layout, and nothing streams yet.
    if (view == nullptr || view->steps().size() < 20 || ++skipped < 60) return;
    stages[stage].seconds.push_back(seconds);
    stages[stage].cpu_seconds.push_back(cpu_seconds);
    events = view->end();
    if (stages[stage].seconds.size() < frames) return;
    ++stage;
    if (stage == 1) application->Push(gui::DoAction{gui::ActionId::kFit});
    if (stage == 2) application->Push(gui::DoAction{gui::ActionId::kSwitchAxis});
  };
  options.hooks.finished = [&] { return stage >= stages.size(); };
  const auto begin = std::chrono::steady_clock::now();
  const int code = gui::RunWindow(options);
  if (code != 0) return code;
  for (const Stage& done : stages) {
    Print(done.title, "clock", done.seconds);
    Print("", "processor", done.cpu_seconds);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.1f million events in %.0f s, 1920x1080\n", static_cast<double>(events) / 1e6, seconds);
  return 0;
}
