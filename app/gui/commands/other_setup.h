// What a run's requests are put to the allocator with where a person says it: what is not said is as it was.
// Plain data; the UI thread's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::gui {

// The cache that is there when the run begins.
enum class CacheOf : uint8_t { kNothing, kThisRun, kRecording };

struct OtherSetup {
  std::string card = {};       // its name; "" = the run's own
  int64_t memory_bytes = 0;    // 0 = the card's
  std::string allocator = {};  // PYTORCH_CUDA_ALLOC_CONF; "" = the run's own
  CacheOf cache = CacheOf::kNothing;
  std::filesystem::path recording = {};  // kRecording: of what ran before

  bool operator==(const OtherSetup&) const = default;
};

}  // namespace tidemark::gui
