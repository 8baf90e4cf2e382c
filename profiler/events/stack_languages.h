// Of which languages stacks are told: what `--stacks` takes, and what the programs that it records find in
// their environment, with commas between.
#pragma once

namespace tidemark::events {

inline constexpr const char* kStacksVariable = "TIDEMARK_STACKS";
inline constexpr const char* kPythonStacks = "python";
inline constexpr const char* kNativeStacks = "c++";  // of segments and of what the driver gives

}  // namespace tidemark::events
