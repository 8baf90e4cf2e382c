// The files of the libraries that are loaded into programs that are not ours, as CMake makes them.
#pragma once

namespace tidemark::capture {

// In lib/probe of this build, into any program.
inline constexpr const char* kProbeLibrary = "libtidemark-probe.so";
// Compiled for the program's LibTorch, beside each other: on the phantom the gates and the recorder, in a
// program as it is the library that watches its operators.
inline constexpr const char* kGatesLibrary = "libtidemark-capture-gates.so";
inline constexpr const char* kRecorderLibrary = "libtidemark-capture.so";
inline constexpr const char* kOperatorsLibrary = "libtidemark-operators.so";

}  // namespace tidemark::capture
