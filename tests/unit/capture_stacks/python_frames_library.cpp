// For python_frames_test.py, which loads it by ctypes: that lets go of Python's lock around a call, as
// LibTorch does.
#include <array>
#include <cstring>
#include <span>
#include <string>

#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"

// The calling thread's frames, a line each, the innermost first; how many there are. `text` has room for
// `bytes`.
extern "C" __attribute__((visibility("default"))) int StackText(char* text, int bytes) {
  using tidemark::capture::PythonFrame;
  std::array<PythonFrame, 64> frames;
  const size_t count = tidemark::capture::ReadPythonFrames(frames);
  std::string all;
  for (const PythonFrame& frame : std::span(frames).first(count)) all += TextOf(frame) + '\n';
  std::strncpy(text, all.c_str(), static_cast<size_t>(bytes) - 1);
  return static_cast<int>(count);
}

// The same `times` times without their texts, for a clock.
extern "C" __attribute__((visibility("default"))) int ReadAgain(int times) {
  std::array<tidemark::capture::PythonFrame, 64> frames;
  size_t count = 0;
  for (int i = 0; i < times; ++i) count += tidemark::capture::ReadPythonFrames(frames);
  return static_cast<int>(count);
}

extern "C" __attribute__((visibility("default"))) const void* FirstArgument(const char* function,
                                                                            const char* file) {
  return tidemark::capture::FirstArgumentOf(function, file);
}

// What the calling thread's stack is called where stacks are wanted, from what is known of it or anew.
extern "C" __attribute__((visibility("default"))) void StackName(char* text, int bytes) {
  const std::string name = tidemark::capture::NameOf(tidemark::capture::WithPythonStack(0));
  std::strncpy(text, name.c_str(), static_cast<size_t>(bytes) - 1);
}
