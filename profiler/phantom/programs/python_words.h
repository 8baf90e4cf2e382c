// What the words of a command line that runs Python mean. Any thread; looks at no file, in the word's length.
#pragma once

#include <string>

namespace tidemark::phantom {

// "python", ".venv/bin/python3.13t", "python3-dbg"; not "python_run.sh" or "python-env".
bool IsPython(const std::string& word);

// Starts a process for each card: torchrun, accelerate, and what python -m runs in their stead.
bool IsLauncher(const std::string& word);

// A script, a module's option, a launcher or ipython: Python runs it, though it is not Python by name.
bool IsRunByPython(const std::string& word);

// "-m" and "--module", of Python and of launchers; the module's name follows.
bool IsModuleOption(const std::string& word);

// Brings a Python, which need not be in PATH, and scripts beside it: uv, conda.
bool BringsItsOwnPython(const std::string& word);

// Whether `manager`, which brings its own Python, takes the word after this option for the option's value.
struct ManagerOption {
  const std::string& manager;
  const std::string& word;
};
bool TakesNextWord(const ManagerOption& option);

}  // namespace tidemark::phantom
