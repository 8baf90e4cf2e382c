// A user's program on the phantom GPU: its environment, and waiting for it as a shell would. One at a time,
// in any thread: it takes over the process's signals while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

// One rank of a distributed program; the others are pretended.
struct Rank {
  int64_t rank = 0;
  int64_t world = 1;
};

// Before the system's commands those that tell of the phantom in their place: nvidia-smi.
std::string PathWithCommands();

// Ranks that share its machine, each with a card: eight at most; the last machine has what is left.
int64_t RanksOfMachine(const Rank& rank);
// What torchrun would set for it, and what has Python pretend the others (PythonEnvironment).
std::vector<std::string> RankEnvironment(const Rank& rank);

// Has the program's Python tell its layers (python/tidemark_layers.py), to whatever in the process listens.
std::vector<std::string> PythonEnvironment();

// Where the program's processes leave what makes its numbers less than certain; removed with this object.
class DoubtsFile {
 public:
  static Result<DoubtsFile> Create();
  DoubtsFile(DoubtsFile&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  DoubtsFile& operator=(DoubtsFile&&) = delete;
  ~DoubtsFile();

  std::string EnvironmentEntry() const;
  std::vector<std::string> Sentences() const;  // each once

 private:
  explicit DoubtsFile(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// Starts `words` with these "NAME=value" entries added, and waits. Ctrl-C and Ctrl-\ reach it from the
// terminal, and what ends us is passed on to it. The exit code is its own, 128 + N if signal N ended it.
Result<int> RunProgram(const std::vector<std::string>& words, const std::vector<std::string>& environment);

// While RunProgram waits, from any thread: asks the program to end (SIGTERM); asked again, kills it.
void StopProgram();
// Whether we were asked to end (SIGTERM, SIGHUP) while RunProgram waited; the program was asked, too.
bool WasAskedToEnd();

}  // namespace tidemark::phantom
