// What tests of runs begin with, and how they wait.
#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "profiler/session/run.h"
#include "tests/support/catch.h"

namespace tidemark::session {

inline std::unique_ptr<Run> StartOrFail(const LiveOptions& options) {
  auto run = Run::Start(options);
  if (!run) FAIL(run.error().message);
  return std::move(*run);
}

// Whether it came true within so many milliseconds.
template <typename Condition>
bool Eventually(int patience_ms, Condition condition) {
  for (int i = 0; i < patience_ms; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace tidemark::session
