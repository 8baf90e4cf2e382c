// How the probe (profiler/capture/probe) is told what to do, by whoever loads it into a program.
#pragma once

namespace tidemark::capture {

// The environment variable with the name of the socket where rings are handed out
// (profiler/capture/transport/listener.h).
inline constexpr const char* kProbeSocketVariable = "TIDEMARK_PROBE_SOCKET";
// Set: the CPU's tensors are recorded, for programs that use no GPU.
inline constexpr const char* kProbeCpuVariable = "TIDEMARK_PROBE_CPU";
// Set: operators are recorded. The file of a library that watches them (profiler/capture/operators), and that
// of the LibTorch that it was compiled for, which alone it may be loaded beside.
inline constexpr const char* kProbeOperatorsVariable = "TIDEMARK_PROBE_OPERATORS";
inline constexpr const char* kProbeTorchVariable = "TIDEMARK_PROBE_TORCH";
// The sources that are left out (their events::NameOf), with commas between.
inline constexpr const char* kProbeWithoutVariable = "TIDEMARK_PROBE_WITHOUT";

}  // namespace tidemark::capture
