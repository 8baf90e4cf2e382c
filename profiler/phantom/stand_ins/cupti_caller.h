// Who asks the phantom device for memory, as CUPTI tells it (CUpti_ActivityMemory4::source).
#pragma once

namespace tidemark::phantom::cupti {

// The file of the shared library or program that called the CUDA library that this thread is in; null where
// that cannot be told. Lives as long as the process. Some microseconds.
const char* CallingLibrary();

}  // namespace tidemark::phantom::cupti
