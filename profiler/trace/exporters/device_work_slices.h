// How traces tell what the GPU did: a track for each stream of each card.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/device_work.h"
#include "profiler/trace/trace_words.h"

namespace tidemark::trace {

inline std::string StreamTitle(const timeline::DeviceWork& work) {
  return "GPU " + std::to_string(work.device) + " stream " + std::to_string(work.stream);
}

inline uint32_t StreamNumber(const timeline::DeviceWork& work) {
  static_assert(sizeof work.stream * 8 == kStreamBits);
  return uint32_t{work.device} << kStreamBits | work.stream;
}

inline std::vector<timeline::DeviceWork> ByBeginning(const timeline::DeviceWorkPage& page) {
  std::vector<timeline::DeviceWork> items(page.items.begin(),
                                          page.items.begin() + static_cast<std::ptrdiff_t>(page.count));
  std::ranges::stable_sort(items, {}, &timeline::DeviceWork::begin_ns);
  return items;
}

}  // namespace tidemark::trace
