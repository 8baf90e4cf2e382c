// How traces tell what the GPU did: a track for each stream of each card, categories as torch.profiler's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/device_work.h"

namespace tidemark::trace {

inline std::string StreamTitle(const timeline::DeviceWork& work) {
  return "GPU " + std::to_string(work.device) + " stream " + std::to_string(work.stream);
}

// Streams of two cards may have the same number.
inline uint32_t StreamNumber(const timeline::DeviceWork& work) {
  return uint32_t{work.device} << 16 | work.stream;
}

inline std::vector<timeline::DeviceWork> ByBeginning(const timeline::DeviceWorkPage& page) {
  std::vector<timeline::DeviceWork> items(page.items.begin(),
                                          page.items.begin() + static_cast<std::ptrdiff_t>(page.count));
  std::ranges::stable_sort(items, {}, &timeline::DeviceWork::begin_ns);
  return items;
}

}  // namespace tidemark::trace
