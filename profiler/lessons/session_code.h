// What a person has set in the window, as one short line that can be pasted into a chat or kept in a file:
//   tidemark1:batch=128;amp=fp16;card=a100-40gb;lock=batch+amp:9c2e41d0
// Only what differs from a fresh window is in it; the last part is a CRC-32 of what stands before it. `1` is
// the version: a code of a later one is refused by name. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::lessons {

struct SessionState {
  networks::TrainingSettings settings;
  networks::DeviceChoice device;
  std::string allocator;        // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own settings
  double steps_per_second = 2;  // 0 = as fast as it goes
  ByteUnit unit = ByteUnit::kMegabytes;
  bool wall_clock = false;          // the timeline's axis
  uint32_t hidden_categories = 0;   // bits, by events::Category
  std::vector<std::string> panels;  // that are shown; empty = as they are
  std::vector<std::string> locked;  // controls (situation.h) that are shown and cannot be changed
  std::vector<std::string> hidden;  // controls that are not shown
  std::string lesson;               // "" = none
  int page = 0;
  bool operator==(const SessionState&) const = default;
};

// What codes call a set of categories, as did views that were kept before they used names: a bit each, the
// same for ever, wherever a category comes to stand among events::Category.
uint32_t BitsInCode(uint32_t categories);
// Nothing where a bit is no category's.
std::optional<uint32_t> CategoriesOfBits(uint32_t bits);

std::string CodeOf(const SessionState& state);
// Finds the code in what was pasted, with whatever a chat put around or broke into it. Errors: there is none,
// it was cut or changed, it is of a later version, or it sets what cannot be.
Result<SessionState> StateFromCode(std::string_view pasted);

}  // namespace tidemark::lessons
