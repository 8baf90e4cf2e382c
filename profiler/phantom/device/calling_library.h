// Who asks the phantom device for memory. Any thread.
#pragma once

namespace tidemark::phantom::device {

// The file of the shared library or program that called the CUDA library that this thread is in (as
// CUpti_ActivityMemory4::source tells it); null where
// that cannot be told. Lives as long as the process. Some microseconds.
const char* CallingLibrary();

}  // namespace tidemark::phantom::device
