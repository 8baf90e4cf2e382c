#include "app/gui/script.h"

#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/gui/application.h"

namespace tidemark::gui {
namespace {

constexpr int kSettleFrames = 6;  // a picture is taken when hover, layout and tables have caught up

Error BadLine(int number, const std::string& line) {
  return Error{"Line " + std::to_string(number) + " of the script is not a step: \"" + line +
               "\". Steps are wait, steps, do, set, drop, mouse, click, wheel, shot and quit."};
}

// None = there is none of this label.
const Action* ActionCalled(const std::string& label) {
  const auto found = std::ranges::find_if(Actions(), [&](const Action& one) { return label == one.label; });
  return found == Actions().end() ? nullptr : &*found;
}

// The settings in force with some keys replaced.
Result<networks::TrainingSettings> Changed(const networks::TrainingSettings& now, const std::string& text) {
  const nlohmann::json change = nlohmann::json::parse(text, nullptr, false);
  nlohmann::json all = nlohmann::json::parse(networks::ToJson(now), nullptr, false);
  if (!change.is_object() || !all.is_object())
    return Error{"The script's settings are not a JSON object: " + text};
  all.update(change);
  return networks::SettingsFromJson(all.dump());
}

}  // namespace

Result<std::vector<ScriptStep>> ScriptFromText(const std::string& text) {
  using Kind = ScriptStep::Kind;
  std::vector<ScriptStep> steps;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb.empty() || verb.front() == '#') continue;
    ScriptStep step;
    bool ok = true;
    if (verb == "wait" || verb == "steps" || verb == "wheel") {
      step.kind = verb == "wait" ? Kind::kWait : verb == "steps" ? Kind::kWaitSteps : Kind::kWheel;
      ok = static_cast<bool>(words >> step.x);
    } else if (verb == "mouse") {
      step.kind = Kind::kMouse;
      ok = static_cast<bool>(words >> step.x >> step.y);
    } else if (verb == "do" || verb == "set" || verb == "drop" || verb == "shot") {
      step.kind = verb == "do"     ? Kind::kCommand
                  : verb == "set"  ? Kind::kSettings
                  : verb == "drop" ? Kind::kDrop
                                   : Kind::kScreenshot;
      std::getline(words >> std::ws, step.text);
      ok = !step.text.empty();
    } else if (verb == "click" || verb == "quit") {
      step.kind = verb == "click" ? Kind::kClick : Kind::kQuit;
    } else {
      ok = false;
    }
    if (!ok) return BadLine(number, line);
    if (step.kind == Kind::kCommand && ActionCalled(step.text) == nullptr)
      return Error{"Line " + std::to_string(number) + " of the script: there is no action \"" + step.text +
                   "\". Actions are called as in the menus, \"Go to the peak\" for one."};
    steps.push_back(step);
  }
  return steps;
}

bool Script::IsDue(const ScriptStep& step, const Application& application) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  if (step.kind == ScriptStep::Kind::kWait) return seconds >= step.x;
  if (step.kind == ScriptStep::Kind::kWaitSteps) {
    const auto& input = application.scene_input();
    return input.view != nullptr && !input.view->steps().empty() &&
           static_cast<double>(input.view->steps().back().number) >= step.x;
  }
  return true;
}

void Script::Do(const ScriptStep& step, Application& application) {
  using Kind = ScriptStep::Kind;
  ImGuiIO& io = ImGui::GetIO();
  switch (step.kind) {
    case Kind::kCommand:
      application.Push(DoAction{ActionCalled(step.text)->id});
      break;
    case Kind::kSettings:
      if (const Result<networks::TrainingSettings> settings = Changed(application.settings(), step.text)) {
        application.Push(ChangeSettings{*settings});
      } else {
        application.AddLogLine(presenters::LogLevel::kError, settings.error().message);
      }
      break;
    case Kind::kDrop:
      application.TakeDropped({step.text}, false);
      break;
    case Kind::kMouse:
      mouse_ = {static_cast<float>(step.x), static_cast<float>(step.y)};
      break;
    case Kind::kClick:
      io.AddMouseButtonEvent(0, true);
      mouse_down_ = true;
      break;
    case Kind::kWheel:
      io.AddMouseWheelEvent(0, static_cast<float>(step.x));
      break;
    case Kind::kScreenshot:
      application.Push(TakeScreenshot{step.text});
      break;
    case Kind::kQuit:
      quit_ = true;
      break;
    case Kind::kWait:
    case Kind::kWaitSteps:
      break;
  }
}

bool Script::Advance(Application& application) {
  if (next_ >= steps_.size()) return false;
  if (frames_to_settle_ > 0) {
    --frames_to_settle_;
    if (mouse_down_ && frames_to_settle_ == kSettleFrames - 2) {
      ImGui::GetIO().AddMouseButtonEvent(0, false);
      mouse_down_ = false;
    }
    return true;
  }
  const ScriptStep& step = steps_[next_];
  if (!IsDue(step, application)) return false;
  Do(step, application);
  ++next_;
  begun_ = Clock::now();
  frames_to_settle_ = kSettleFrames;
  return true;
}

}  // namespace tidemark::gui
