// A line that tells of work that goes on beside the window.
#pragma once

#include <atomic>
#include <string>

namespace tidemark::gui {

struct JobLine {
  std::string title;
  double progress = -1;                 // < 0: not known
  std::atomic<bool>* cancel = nullptr;  // set it to stop the job; none = it cannot be stopped
};

}  // namespace tidemark::gui
