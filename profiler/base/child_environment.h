// The environment of a process that is to be started: this process's own, changed. Any thread, as long as
// none changes the process's own meanwhile; O(entries × changes).
#pragma once

#include <string>
#include <vector>

namespace tidemark {

class ChildEnvironment {
 public:
  // Each change is "NAME=value", which takes the place of what NAME was, or "NAME", which leaves it out.
  explicit ChildEnvironment(const std::vector<std::string>& changes);

  // As execve and posix_spawn take it; lasts as long as this object.
  char* const* entries() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

}  // namespace tidemark
