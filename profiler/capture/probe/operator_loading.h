// LibTorch's operators, and with them torch.nn's layers, where they are asked for: by a library that was
// compiled for the LibTorch of this process, for the probe knows none.
#pragma once

namespace tidemark::capture {

// Loads it at the first call; whether it is loaded, and watches. LibTorch must be in the process. Where that
// is another one than the library was compiled for, nothing is loaded, and the allocator's state says so. Any
// thread.
bool LoadOperatorWatch();

}  // namespace tidemark::capture
