// What a command line has Python run. Any thread; looks at no file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

// What Python is to run, between its own options and the program's arguments.
struct PythonEntry {
  const char* kind = nullptr;  // "script", "module" or "code"
  std::string what;
  std::vector<std::string> options;
  size_t arguments = 0;  // where they begin in the words
};

// `place`: of Python in the words, or of what is in its place (PythonStart). Error: a sentence, where it is
// none that a Python of ours can run, as a launcher.
Result<PythonEntry> EntryOf(const std::vector<std::string>& program, size_t place);

}  // namespace tidemark::phantom
