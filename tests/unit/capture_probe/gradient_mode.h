// LibTorch's, as a process has it that has loaded LibTorch: what is asked for by its name.
#pragma once

namespace c10 {

struct __attribute__((visibility("default"))) GradMode {
  // NOLINTBEGIN(readability-identifier-naming): their names
  static bool is_enabled();
  static void set_enabled(bool enabled);
  // NOLINTEND(readability-identifier-naming)
};

}  // namespace c10
