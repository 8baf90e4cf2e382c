// The machine that the phantom GPU is in.
#pragma once

namespace tidemark::phantom {

// How many cards the stand-ins say it has, all alike; one where it is not set.
inline constexpr const char* kDeviceCountVariable = "TIDEMARK_PHANTOM_DEVICES";

// What is told where a program took memory on several of them.
inline constexpr const char* kSeveralGpusDoubt =
    "The program took memory on several GPUs of its machine: what they hold is added up where no card is "
    "named. "
    "tidemark info --device cuda:1 tells of one of them; export --device makes a recording of it.";

}  // namespace tidemark::phantom
