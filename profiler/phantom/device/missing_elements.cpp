// What a card's kernels assert, and none says here: that an index is one of those that there are.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/python_place.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {

extern "C" void TidemarkPhantomElementIsMissing(int64_t element, int64_t count) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomElementIsMissing), ElementIsMissingFunction>);
  // A program that goes wrong in more places goes wrong at the first.
  constexpr size_t kMostPlacesTold = 32;
  // By their places. Never destroyed: doubts last as long as the process.
  static auto* const sentences = new std::map<std::string, std::string>;
  static Mutex mutex;
  const std::string place = PythonPlace().value_or("The program");
  const MutexLock lock(mutex);
  const auto [told, is_new] = sentences->try_emplace(
      place,
      place + " asked for element " + std::to_string(element) + " of " + std::to_string(count) +
          ", counted from 0: on a card a kernel's assertion ends the program there (device-side assert "
          "triggered).");
  if (!is_new) return;
  const bool is_told = sentences->size() <= kMostPlacesTold;
  Doubt(is_told ? told->second.c_str() : "Elements that are not there were asked for in more places.");
}

}  // namespace tidemark::phantom::device
