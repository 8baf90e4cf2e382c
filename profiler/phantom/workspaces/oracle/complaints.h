// What cuDNN says on standard error. It drops an engine from its answers, and goes on, when a function of the
// driver is missing; the only sign is a line there. An answer given after one is not cuDNN's on a card.
#pragma once

#include <string>

#include "profiler/base/unique_fd.h"

namespace tidemark::phantom::workspaces {

// From its making on, this process's standard error goes into a file without a name. One of a process.
class Complaints {
 public:
  Complaints();

  // The first function that was found missing so far; "" if none was. Reads what is new.
  const std::string& MissingFunction();

 private:
  UniqueFd file_;
  int64_t read_bytes_ = 0;
  std::string missing_;
};

}  // namespace tidemark::phantom::workspaces
