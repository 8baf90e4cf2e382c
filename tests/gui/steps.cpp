#include "tests/gui/steps.h"

#include <chrono>
#include <string>
#include <system_error>

namespace tidemark::gui {

namespace fs = std::filesystem;

fs::path& Artefacts() {
  static fs::path folder;
  return folder;
}

fs::path KeptRuns() { return Artefacts() / "kept-runs"; }

const SceneInput& Run() { return application().scene_input(); }

int64_t CompleteSteps() {
  if (Run().view == nullptr) return 0;
  const auto& steps = Run().view->steps();
  return static_cast<int64_t>(steps.size()) - (steps.empty() || steps.back().complete ? 0 : 1);
}

bool WaitUntil(ImGuiTestContext* context, const std::function<bool()>& reached, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    context->Yield();
  }
  return true;
}

void Rest(ImGuiTestContext* context, double seconds) {
  WaitUntil(
      context, [] { return false; }, seconds);
}

bool WaitForSteps(ImGuiTestContext* context, int64_t more) {
  const int64_t wanted = CompleteSteps() + more;
  return WaitUntil(context, [wanted] { return CompleteSteps() >= wanted; });
}

std::optional<timeline::Step> LastCompleteStep() {
  if (Run().view == nullptr) return std::nullopt;
  const auto& steps = Run().view->steps();
  for (size_t i = steps.size(); i-- > 0;) {
    if (steps[i].complete) return steps[i];
  }
  return std::nullopt;
}

bool WaitForChosenSettings(ImGuiTestContext* context) {
  return WaitUntil(context, [] {
    const std::optional<timeline::Step> last = LastCompleteStep();
    if (!last || last->settings < 0) return false;
    return Run().view->settings()[static_cast<size_t>(last->settings)] ==
           networks::ToJson(application().settings());
  });
}

int64_t LastPeak() {
  const std::optional<timeline::Step> last = LastCompleteStep();
  return last ? timeline::ValueOf(last->at_peak, timeline::Series::kAllocated) : 0;
}

void Picture(ImGuiTestContext* context, const char* name) {
  const fs::path file = Artefacts() / (std::string(name) + ".png");
  std::error_code ignored;
  fs::remove(file, ignored);
  context->Yield(4);
  application().Push(TakeScreenshot{file});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(file); }));
}

}  // namespace tidemark::gui
