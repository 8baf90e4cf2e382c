// How another process ends, which is no child of ours: a descriptor that becomes readable once it has, and
// its exit code where the kernel tells that. Linux 6.15 does (PIDFD_GET_INFO, linux/pidfd.h); before it, only
// as long as nobody has waited for the process (/proc/PID/stat, proc(5)).
//
// Not thread safe; one owner.
#pragma once

#include <sys/types.h>

#include <optional>
#include <utility>

#include "profiler/base/unique_fd.h"

namespace tidemark {

// Whether it is for this process to wait for.
bool IsOwnChild(pid_t process);

class ProcessEnd {
 public:
  // None, and errno tells why, where there is no such process any more, the kernel has no pidfd_open (before
  // Linux 5.3: ENOSYS), or no descriptor is free.
  static std::optional<ProcessEnd> Of(pid_t process);

  int fd() const { return process_.get(); }  // readable when the process has ended, all its threads included
  // Whether it has, or does within that time.
  bool ComesWithin(int timeout_ms) const;
  // 128 + N if signal N ended it; nothing where nobody knows. After the end, and best at once.
  std::optional<int> ExitCode() const;

 private:
  ProcessEnd(UniqueFd process, UniqueFd facts) : process_(std::move(process)), facts_(std::move(facts)) {}

  UniqueFd process_;  // a pidfd
  UniqueFd facts_;    // its /proc/PID/stat, opened while it was alive: no other process's
};

}  // namespace tidemark
