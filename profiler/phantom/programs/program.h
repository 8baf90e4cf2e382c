// A user's program on the phantom GPU: its environment, and waiting for it as a shell would. Any thread: a
// program takes over the process's signals while it runs, so that the next one begins when it has ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom {

// One rank of a distributed program; the others are pretended.
struct Rank {
  int64_t rank = 0;
  int64_t world = 1;
};

// Puts before the system's commands those that tell of the phantom in their place, nvidia-smi, and names the
// Python that runs them: the program's.
std::vector<std::string> CommandsEnvironment(const std::filesystem::path& python);

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

// Where those of the program's processes that are ranks exchange what NCCL would, or a rank among pretended
// ones finds what others would send it; removed with this object.
class RanksFolder {
 public:
  static Result<RanksFolder> Create();
  RanksFolder(RanksFolder&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  RanksFolder& operator=(RanksFolder&&) = delete;
  ~RanksFolder();

  std::string EnvironmentEntry() const;             // of ranks that run together
  std::string EnvironmentEntryOfPretended() const;  // of one whose others do not run

 private:
  explicit RanksFolder(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// What becomes of a program when we are killed while we wait for it: it is asked to end (SIGTERM, of which a
// launcher tells its ranks), or goes on alone.
enum class WhenWeAreKilled : uint8_t { kEndsToo, kLivesOn };

// One program's end that is not its own: on request, before it begins, while it runs and after; and with us.
// Any thread.
class ProgramStop {
 public:
  explicit ProgramStop(WhenWeAreKilled when_killed = WhenWeAreKilled::kEndsToo) : when_killed_(when_killed) {}

  // Asks it to end (SIGTERM); asked again, kills it. One that has not begun does not begin any more.
  void Ask();
  bool WasAsked();
  WhenWeAreKilled when_killed() const { return when_killed_; }

 private:
  friend Result<int> RunProgram(const std::vector<std::string>&, const std::vector<std::string>&,
                                ProgramStop&, int);
  void Began(pid_t pid);
  void Ended();

  const WhenWeAreKilled when_killed_;
  Mutex mutex_;
  pid_t pid_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // while the number is its own
  int asked_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // times
};

// Starts `words` with these "NAME=value" entries added, and waits. Ctrl-C and Ctrl-\ reach it from the
// terminal, and what ends us is passed on to it. The exit code is its own, 128 + N if signal N ended it, and
// 128 + SIGTERM where it was asked to end before it began. `standard_error`: the descriptor that is its own;
// -1 = ours.
Result<int> RunProgram(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                       ProgramStop& stop, int standard_error = -1);

// Whether we were asked to end (SIGTERM, SIGHUP) while RunProgram waited; the program was asked, too.
bool WasAskedToEnd();

}  // namespace tidemark::phantom
