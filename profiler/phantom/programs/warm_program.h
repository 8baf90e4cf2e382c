// Many runs of one program, each with another value of one of its arguments, or other variables in its
// environment: processes forked from one Python that has imported what the program needs, so that a run costs
// what the program itself costs. One thread at a time, the one that asked for the first run: the Python ends
// with that thread, or with its owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profiler/base/command.h"
#include "profiler/base/result.h"
#include "profiler/phantom/programs/python_entry.h"

namespace tidemark::phantom {

struct RunOrder {
  int64_t value = 0;          // the answer has it, too
  std::string argument = {};  // "batch": the program gets --batch VALUE; "": what it is given
  // "NAME=value" entries for that run alone. What Python and torch read when they are loaded they do not
  // change.
  std::vector<std::string> environment = {};
};

struct RunAnswer {
  int64_t value = 0;
  int process_id = 0;  // of the run, which has ended
  int64_t allocated_peak_bytes = 0;
  int64_t reserved_peak_bytes = 0;
  bool used_cuda = false;  // else the peaks say nothing
  bool out_of_memory = false;
  std::string sentence;                   // why it ended early; "" if it did not
  std::vector<std::string> in_vain = {};  // options of techniques.h that changed nothing
};

struct RunsWatch {
  std::function<void(const RunAnswer&)> answered;
  std::function<bool()> goes_on;                                         // asked several times a second
  unsigned at_once = std::max(1U, std::thread::hardware_concurrency());  // processes; never 0
};

class WarmProgram {
 public:
  // `program`: "python", "train.py" (or "-m", "package.train", or "-c", CODE), and its other arguments.
  // `environment`: "NAME=value" entries that put it on the phantom. Starts nothing yet. Error: the program is
  // none that Python runs itself.
  static Result<WarmProgram> Of(const std::vector<std::string>& program,
                                const std::vector<std::string>& environment);

  // Returns when all are done. Tells the answers in their order, each once it and those before it are known;
  // where `goes_on` says no, the runs under way are ended, and the answers told so far are all. Error: a
  // sentence, where Python cannot be started or ends before its last answer.
  Status Run(const std::vector<RunOrder>& orders, const RunsWatch& watch);

 private:
  WarmProgram() = default;
  Status Start();

  std::vector<std::string> words_;  // of Python and its options
  PythonEntry entry_;
  std::vector<std::string> arguments_;  // the program's own
  std::vector<std::string> environment_;
  std::unique_ptr<RunningCommand> python_;  // null where none runs
};

}  // namespace tidemark::phantom
