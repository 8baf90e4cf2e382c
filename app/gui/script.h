// Plays the steps of a window's script, for pictures and for trying it without a person. UI thread only.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/gui.h"

namespace tidemark::gui {

class Script {
 public:
  explicit Script(std::vector<ScriptStep> steps) : steps_(std::move(steps)) {}
  // Does what is due. True if a frame must be drawn for it.
  bool Advance(Application& application);
  bool finished_by_quit() const { return quit_; }
  std::optional<std::pair<float, float>> mouse() const { return mouse_; }

 private:
  bool IsDue(const ScriptStep& step, const Application& application);
  void Do(const ScriptStep& step, Application& application);

  using Clock = std::chrono::steady_clock;
  std::vector<ScriptStep> steps_;
  size_t next_ = 0;
  Clock::time_point begun_ = Clock::now();
  int frames_to_settle_ = 0;
  bool mouse_down_ = false;
  std::optional<std::pair<float, float>> mouse_;
  bool quit_ = false;
};

}  // namespace tidemark::gui
