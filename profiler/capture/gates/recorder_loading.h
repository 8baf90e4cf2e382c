// Loads the recorder into a process that uses CUDA through LibTorch, once.
#pragma once

#include <atomic>

namespace tidemark::capture {

// The environment variable with the name of the socket where the recorder asks for a ring
// (profiler/capture/transport/listener.h).
inline constexpr const char* kSocketVariable = "TIDEMARK_CAPTURE_SOCKET";

// What the recorder exports: true once it listens or has found out that it cannot; false while LibTorch's
// allocator is not there yet.
inline constexpr const char* kRecorderEntry = "TidemarkStartRecording";
using RecorderEntry = bool (*)(const char* socket);

namespace internal {
extern std::atomic<bool> recorder_wanted;
void TryLoadRecorder();
}  // namespace internal

// Any thread; costs one load once it is done. Does nothing unless the environment names a socket.
inline void LoadRecorder() {
  if (internal::recorder_wanted.load(std::memory_order_relaxed)) internal::TryLoadRecorder();
}

}  // namespace tidemark::capture
