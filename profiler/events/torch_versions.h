// Which versions of PyTorch programs on a phantom may have. Pure.
#pragma once

#include <charconv>
#include <string_view>
#include <utility>

namespace tidemark::events {

inline constexpr const char* kTorchVersions =
    "2.5 to 2.15";  // what profiler/phantom/README.md names was tried

// Whether a version such as "2.6.0+cu124" is among them; what is none is not.
inline bool IsTriedTorch(std::string_view version) {
  constexpr std::pair kFirst{2, 5};
  constexpr std::pair kLast{2, 15};
  std::pair<int, int> number{0, 0};
  const char* const end = version.data() + version.size();
  const char* const point = std::from_chars(version.data(), end, number.first).ptr;
  if (point == end || *point != '.') return false;
  std::from_chars(point + 1, end, number.second);
  return number >= kFirst && number <= kLast;
}

}  // namespace tidemark::events
