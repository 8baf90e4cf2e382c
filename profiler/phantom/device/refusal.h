// How a stand-in says that it cannot go on: on stderr, after what the program has printed, and the process
// ends at once. From any thread; waits for no lock, no allocation, no exit handlers, so that it works in
// whatever state the program is; where that is Python's, it waits for its lock, a second at the most.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace tidemark::phantom::device {

// The status of a process that was ended here (EX_SOFTWARE of sysexits.h).
inline constexpr int kEndedStatus = 70;

// "tidemark phantom: not modelled: NAME (0x1, 0x2)". The arguments are whatever the call's integer registers
// held.
[[noreturn]] void Refuse(const char* function, std::initializer_list<uint64_t> arguments);
[[noreturn]] void EndProcess(const char* sentence);

}  // namespace tidemark::phantom::device
