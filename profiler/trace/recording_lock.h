// Whether a file is being recorded: who records into it holds a lock on all of it until he closes it or his
// process ends, however that is (FORMAT.md). Any thread; nothing here waits.
#pragma once

#include <cstdint>
#include <filesystem>

#include "profiler/base/result.h"

namespace tidemark::trace {

// Until `fd` is closed; an error where another records into the file, which the sentence calls `file`. A file
// system without locks does without.
Status LockAgainstOthers(int fd, const std::filesystem::path& file);

enum class Recorded : uint8_t { kNo, kYes, kUnknown };  // kUnknown: the file system does not tell

// By another descriptor than this one, on this machine or, where the file system tells, on another. kNo of
// what other programs write, such as one that copies a recording as it grows.
Recorded IsBeingRecorded(int fd);

// An error where this file is being recorded, as far as that can be told: a recording that goes on would end
// where another file takes its place.
Status CanBeReplaced(const std::filesystem::path& file);

}  // namespace tidemark::trace
