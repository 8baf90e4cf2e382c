// The library that the probe (profiler/capture/probe) loads where operators are asked for: all that has to be
// compiled for a program's own LibTorch to tell them.
#include <exception>
#include <type_traits>

#include "profiler/capture/torch/operator_watch.h"

extern "C" __attribute__((visibility("default"))) bool TidemarkWatchOperators(
    const tidemark::capture::OperatorListener* listener) {
  static_assert(std::is_same_v<decltype(&TidemarkWatchOperators), tidemark::capture::OperatorAdapterEntry>);
  try {
    tidemark::capture::WatchOperators(*listener);
  } catch (const std::exception&) {
    return false;  // who loaded it says so
  }
  return true;
}
