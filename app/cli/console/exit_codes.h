// What the program's exit code says: 0 done, 1 failed (one sentence on stderr), 2 wrong usage (one sentence
// on stderr), 127 no such program, as a shell says it, 130 interrupted.
#pragma once

namespace tidemark::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNoProgram = 127;
inline constexpr int kExitInterrupted = 130;

}  // namespace tidemark::cli
