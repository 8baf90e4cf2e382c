// A program's runs over the values of one of its arguments. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/phantom/programs/warm_program.h"

namespace tidemark::phantom {

struct SweepTask {
  // "python", "train.py" (or "-m", "package.train", or "-c", CODE), and its other arguments
  std::vector<std::string> program;
  std::vector<std::string> environment;  // "NAME=value" entries that put it on the phantom
  std::string name;                      // "batch": the program gets --batch VALUE; "": what it is given
  std::vector<int64_t> values;
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

// Returns when all are done, as WarmProgram::Run.
Status Sweep(const SweepTask& task, const RunsWatch& watch);

}  // namespace tidemark::phantom
