// Whether a file is being recorded: who records into it holds a lock on all of it until he closes it or his
// process ends, however that is (FORMAT.md). Any thread; nothing here waits.
#pragma once

#include <cstdint>
#include <filesystem>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

namespace tidemark::trace {

// Until `fd` is closed; an error where another records into the file, which the sentence calls `file`. A file
// system without locks does without.
Status LockAgainstOthers(int fd, const std::filesystem::path& file);

// For who records into a regular file by putting another in its place again and again: `lock` is to be on the
// one that the name leads to. Where it is, it stays; where there is no file, an empty one is there then. An
// error where another records into it.
Status LockName(const std::filesystem::path& file, UniqueFd& lock);

enum class Recorded : uint8_t { kNo, kYes, kUnknown };  // kUnknown: the file system does not tell

// By another descriptor than this one, on this machine or, where the file system tells, on another. kNo of
// what other programs write, such as one that copies a recording as it grows.
Recorded IsBeingRecorded(int fd);

// An error where this file is being recorded, as far as that can be told: a recording that goes on would end
// where another file takes its place. Of a file that one has a lock on oneself it is not to be asked.
Status CanBeReplaced(const std::filesystem::path& file);

}  // namespace tidemark::trace
