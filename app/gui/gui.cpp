#include "app/gui/gui.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "app/gui/application.h"
#include "app/gui/kept_runs.h"
#include "app/gui/language.h"
#include "app/gui/shell/shell.h"
#include "app/gui/view/view_keeper.h"
#include "app/gui/window/theme.h"
#include "app/gui/window/window.h"
#include "profiler/base/standard_error.h"

namespace tidemark::gui {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kFrameSeconds =
    1.0 / 60;                            // never faster, even where the driver does not wait for the screen
constexpr double kIdleSeconds = 0.03;    // how often an idle window looks for news
constexpr double kLiveSeconds = 0.004;   // and one whose run goes on: it copies what is said of the run
constexpr double kAskingSeconds = 0.01;  // and one that has asked for a prediction, for its answer
// How often it is drawn while it waits for work to be done: painting in software would take the processors
// from that work.
constexpr double kWaitingSeconds = 0.1;
constexpr double kAfterInputSeconds = 0.6;            // hover effects and tooltips come after a pause
constexpr std::chrono::milliseconds kKeepEvery{500};  // what changed is written
constexpr int kFirstFrames = 8;                       // ImGui settles its layout over some frames
constexpr int kFramesAfterNews = 3;  // panels and tabs that come with it find their places over some frames

int Fail(const Error& error) {
  TellSentence(error.message);
  return 1;
}

struct Kept {
  ViewState state;
  ViewKeeper keeper{""};
  Translations translations;
  std::vector<std::string> complaints;
};

Status CheckScale(float scale) {
  if (scale >= kSmallestScale && scale <= kLargestScale) return Done{};
  return Error{
      fmt::format("The window's scale is {} to {}, not {}: 1 is as large as the screen says, 2 twice that.",
                  kSmallestScale, kLargestScale, scale)};
}

Kept LoadKept(const WindowOptions& options) {
  Kept kept;
  if (options.keep_settings) {
    const Result<std::filesystem::path> folder = ConfigFolder();
    if (folder) {
      kept.keeper = ViewKeeper(*folder / "view.json");
      Result<ViewState> state = kept.keeper.Load();
      if (state) {
        kept.state = std::move(*state);
      } else {
        kept.complaints.push_back(state.error().message);
      }
      Result<Translations> translations = LoadTranslations(*folder / "texts.json");
      if (translations) {
        kept.translations = std::move(*translations);
      } else {
        kept.complaints.push_back(translations.error().message);
      }
    } else {
      kept.complaints.push_back(folder.error().message);
    }
  }
  if (options.scale) UseScale(*options.scale, &kept.state);
  if (options.dark) kept.state.dark = *options.dark;
  return kept;
}

void Keep(ViewKeeper& keeper, const Window& window, Application& application) {
  if (!keeper.keeps()) return;
  ViewState& state = application.view_state();
  const WindowSize last = window.design_size();
  state.window_width = last.width;
  state.window_height = last.height;
  state.layout = LayoutToKeep(application.shell());
  if (const Status saved = keeper.Keep(state); !saved) TellSentence(saved.error().message);
}

class FrameLoop {
 public:
  FrameLoop(const WindowOptions& options, ViewKeeper& keeper, Window& window, Application& application)
      : options_(options), keeper_(keeper), window_(window), application_(application) {}

  void Run() {
    while (!Finished()) {
      const bool busy = options_.hooks.never_idle || needs_frame_ || application_.unfinished() ||
                        window_.has_unseen_input() || window_.SecondsSinceInput() < kAfterInputSeconds;
      window_.Wait(busy                            ? 0
                   : application_.expects_events() ? kLiveSeconds
                   : application_.asking()         ? kAskingSeconds
                                                   : kIdleSeconds);
      KeepPace();
      TakeDroppedFiles();
      const bool news = application_.Poll();
      if (news) frames_left_ = std::max(frames_left_, kFramesAfterNews);
      if (application_.ExecuteCommands()) needs_frame_ = true;
      const bool waited = application_.waiting() && SecondsSinceFrame() >= kWaitingSeconds;
      if (frames_left_ > 0 || busy || needs_frame_ || waited ||
          window_.SecondsSinceInput() < kAfterInputSeconds)
        DrawFrame();
      KeepSettings();
    }
  }

 private:
  bool Finished() {
    if (options_.hooks.finished && options_.hooks.finished()) return true;
    if (options_.closes && options_.closes()) return true;
    if (window_.TakeCloseRequest()) application_.Push(ActionId::kQuit);
    return application_.wants_to_quit();
  }

  void TakeDroppedFiles() {
    const std::vector<std::filesystem::path> files = window_.TakeDroppedFiles();
    if (!files.empty()) application_.TakeDropped(files, ImGui::GetIO().KeyShift);
  }

  void KeepPace() {
    for (double left = Left(); left > 0; left = Left()) window_.Wait(left);
  }
  double Left() const { return kFrameSeconds - SecondsSinceFrame(); }
  double SecondsSinceFrame() const { return Seconds(Clock::now() - last_frame_).count(); }

  void DrawFrame() {
    last_frame_ = Clock::now();
    has_drawn_ = true;
    if (title_ != application_.title()) window_.SetTitle(title_ = application_.title());
    UseOwnColors(application_.view_state().own_colors);
    window_.BeginFrame(application_.view_state().dark, application_.view_state().scale);
    application_.Draw();
    window_.EndFrame(++frames_ % options_.hooks.frames_per_painting == 0);
    application_.AddOwnTime(window_.own_seconds());
    if (options_.hooks.own_time) options_.hooks.own_time(window_.own_seconds(), window_.own_cpu_seconds());
    if (options_.hooks.painting_time) options_.hooks.painting_time(window_.painting_seconds());
    if (options_.hooks.shown) options_.hooks.shown();
    if (const auto wanted = application_.TakeScreenshotRequest()) Screenshot(*wanted);
    frames_left_ = std::max(0, frames_left_ - 1);
    needs_frame_ = application_.ExecuteCommands() || frames_left_ > 0;
  }

  void KeepSettings() {
    if (!has_drawn_ || Clock::now() - kept_at_ < kKeepEvery) return;
    has_drawn_ = false;
    kept_at_ = Clock::now();
    Keep(keeper_, window_, application_);
  }

  void Screenshot(const TakeScreenshot& wanted) {
    const std::filesystem::path& file = wanted.file;
    std::optional<WindowPart> part;
    const ImGuiWindow* const panel =
        wanted.panel.empty() ? nullptr : ImGui::FindWindowByName(("###" + wanted.panel).c_str());
    if (panel != nullptr)  // without its tabs
      part = WindowPart{panel->InnerRect.Min.x, panel->InnerRect.Min.y, panel->Pos.x + panel->Size.x,
                        panel->Pos.y + panel->Size.y};
    const Status saved = window_.SaveScreenshot(file, part);
    application_.AddLogLine(saved ? presenters::LogLevel::kGood : presenters::LogLevel::kError,
                            saved ? "Screenshot saved as " + file.string() + "." : saved.error().message);
  }

  const WindowOptions& options_;
  ViewKeeper& keeper_;
  Window& window_;
  Application& application_;
  Clock::time_point kept_at_;
  bool has_drawn_ = false;  // since then
  Clock::time_point last_frame_;
  std::string title_;
  bool needs_frame_ = true;
  int frames_ = 0;
  int frames_left_ = kFirstFrames;
};

}  // namespace

int RunWindow(const WindowOptions& options) {
  if (Status scale = CheckScale(options.scale.value_or(1)); !scale) return Fail(scale.error());
  Kept kept = LoadKept(options);
  UseTranslations(std::move(kept.translations));
  Result<std::unique_ptr<Window>> window =
      Window::Open({options.width, options.height}, {kept.state.window_width, kept.state.window_height},
                   kept.state.layout, kept.state.scale);
  if (!window) return Fail(window.error());
  Result<std::unique_ptr<Application>> application = Application::Create(
      {options.first, options.services,
       options.kept_runs.value_or(options.keep_settings ? KeptRunsFolder() : std::filesystem::path())},
      std::move(kept.state));
  if (!application) return Fail(application.error());
  if (options.opened) options.opened();
  Application& app = **application;
  if (options.hooks.opened) options.hooks.opened(app);
  if (options.run != nullptr && !options.files.empty()) {
    app.Follow(options.run, options.files.front());
  } else if (options.run != nullptr) {
    app.ShowRun(options.run);
  } else if (options.files.size() > 1) {
    app.OpenRanks(options.files);
  } else if (!options.files.empty()) {
    app.OpenFile(options.files.front());
  } else {
    app.StartExample();
  }
  for (const std::string& complaint : kept.complaints) app.Complain(complaint);
  FrameLoop(options, kept.keeper, **window, app).Run();
  app.EndSlowMotion();
  (*window)->Hide();  // what is being written may take its time
  for (const std::string& told : app.KeepOnClosing()) TellSentence(told);
  Keep(kept.keeper, **window, app);
  if (options.hooks.closing) options.hooks.closing();
  return 0;
}

}  // namespace tidemark::gui
