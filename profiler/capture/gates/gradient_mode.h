// Whether LibTorch, whichever is in the process, records on the calling thread what backward needs
// (c10::GradMode). Any thread.
#pragma once

#include "profiler/capture/gates/behind.h"

namespace tidemark::capture {

// Yes where none is there that could be asked.
inline bool RecordsGradients() {
  static constinit FunctionBehind<bool (*)()> is_enabled;
  const auto asked = is_enabled.Get("libc10.so", "_ZN3c108GradMode10is_enabledEv");
  return asked == nullptr || asked();
}

}  // namespace tidemark::capture
