// Runs something in a process of its own, for tests of what ends a process.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tidemark::phantom {

struct Ended {
  int status = -1;  // what the process gave to exit(); -1 when a signal ended it
  std::string output;
  std::string errors;
};

// A copy of this process.
Ended RunInChild(const std::function<void()>& work);
// Another program, with entries ("NAME=value") added to this process's environment.
Ended RunProgram(const std::vector<std::string>& command, const std::vector<std::string>& environment);

}  // namespace tidemark::phantom
