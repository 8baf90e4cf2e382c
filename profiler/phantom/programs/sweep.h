// Many runs of one program, each with another value of one of its arguments, or other variables in its
// environment: processes forked from one Python that has imported torch, so that a run costs what the program
// itself costs. Any thread; returns when all are done.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

struct SweepTask {
  // "python", "train.py" (or "-m", "package.train", or "-c", CODE), and its other arguments
  std::vector<std::string> program;
  std::vector<std::string> environment;  // "NAME=value" entries that put it on the phantom
  std::string name;                      // "batch": the program gets --batch VALUE; "": what it is given
  std::vector<int64_t> values;
  // Of each value, if any: "NAME=value" entries for that run alone. What Python and torch read when they are
  // loaded they do not change.
  std::vector<std::vector<std::string>> own_environments = {};
  unsigned at_once = std::max(1U, std::thread::hardware_concurrency());  // processes; never 0
};

struct SweepAnswer {
  int64_t value = 0;
  int process_id = 0;  // of the run, which has ended
  int64_t allocated_peak_bytes = 0;
  int64_t reserved_peak_bytes = 0;
  bool used_cuda = false;  // else the peaks say nothing
  bool out_of_memory = false;
  std::string sentence;                   // why it ended early; "" if it did not
  std::vector<std::string> in_vain = {};  // options of techniques.h that changed nothing
};

// The command with another value of one of the program's arguments, in the form in which it has it, or else
// as --NAME VALUE (program_arguments.h).
std::vector<std::string> WithArgument(const std::vector<std::string>& command, const std::string& name,
                                      int64_t value);

// "batch=8,16,64" and "batch=1..512", which doubles from the first to the last.
struct SweepRange {
  std::string name;
  std::vector<int64_t> values;
};
Result<SweepRange> SweepRangeFromText(const std::string& text);
// Over the sizes of a batch up to what the command asks for; nothing where no argument of it tells one.
std::optional<SweepRange> BatchSweepOf(const std::vector<std::string>& command);

// Tells the answers in the order of the values, each as soon as it is known; `goes_on` is asked several times
// a second, and where it says no, the runs under way are ended and the answers told so far are all. Fails
// with a sentence where the program is none that Python runs itself, cannot be started or ends before its
// last answer.
Status Sweep(const SweepTask& task, const std::function<void(const SweepAnswer&)>& answered,
             const std::function<bool()>& goes_on);

}  // namespace tidemark::phantom
