// Waiting, without a window, for what an application does beside its own thread.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "app/gui/application.h"

namespace tidemark::gui {

// False where it takes too long.
inline bool PollUntil(Application& application, const std::function<bool()>& reached) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool is_reached = reached();
  for (; !is_reached && std::chrono::steady_clock::now() < end; is_reached = reached()) {
    application.Poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return is_reached;
}

}  // namespace tidemark::gui
