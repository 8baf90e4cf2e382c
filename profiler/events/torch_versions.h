// Which versions of PyTorch programs on a phantom may have. Pure.
#pragma once

#include <charconv>
#include <string_view>
#include <utility>

#include "profiler/events/allocator_settings.h"

namespace tidemark::events {

inline constexpr const char* kSnapshotProducer = "PyTorch memory snapshot";
inline constexpr const char* kTorchVersions =
    "2.5 to 2.15";  // what profiler/phantom/README.md names was tried

// Of a version such as "2.6.0+cu124" the first two numbers; 0 and 0 of what is none.
inline std::pair<int, int> TorchNumbers(std::string_view version) {
  std::pair<int, int> number{0, 0};
  const char* const end = version.data() + version.size();
  const char* const point = std::from_chars(version.data(), end, number.first).ptr;
  if (point == end || *point != '.') return {0, 0};
  std::from_chars(point + 1, end, number.second);
  return number;
}

// Whether it is among them; what is none is not.
inline bool IsTriedTorch(std::string_view version) {
  constexpr std::pair kFirst{2, 5};
  constexpr std::pair kLast{2, 15};
  const std::pair<int, int> number = TorchNumbers(version);
  return number >= kFirst && number <= kLast;
}

// Whether its allocator, set up so, tells whoever records it of which private pool memory is: cudaMallocAsync
// tells nothing at all.
inline bool TellsPools(std::string_view version, std::string_view allocator_settings) {
  constexpr std::pair kFirst{2, 8};
  return TorchNumbers(version) >= kFirst && !IsAsyncAllocator(allocator_settings);
}

}  // namespace tidemark::events
