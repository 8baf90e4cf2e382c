#include "profiler/phantom/programs/sweep.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/phantom/programs/program_arguments.h"
#include "profiler/phantom/programs/python_entry.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::phantom {
namespace {

constexpr size_t kMostValues = 10'000;

// Nothing if it is neither a list nor a range.
std::vector<int64_t> ValuesOf(std::string_view text) {
  std::vector<int64_t> values;
  if (const size_t dots = text.find(".."); dots != std::string_view::npos) {
    const std::optional<int64_t> first = Whole(text.substr(0, dots));
    const std::optional<int64_t> last = Whole(text.substr(dots + 2));
    if (!first || !last || *first < 1 || *first > *last) return {};
    const int64_t end = *last;
    for (int64_t value = *first; value<end; value = value> end / 2 ? end : value * 2) {
      values.push_back(value);
    }
    values.push_back(end);
    return values;
  }
  while (values.size() < kMostValues) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::optional<int64_t> value = Whole(text.substr(0, comma));
    if (!value) return {};
    values.push_back(*value);
    if (comma == text.size()) return values;
    text.remove_prefix(comma + 1);
  }
  return {};
}

// Where the program's own begin; the command's end where that is not known, as of a launcher.
size_t OwnArguments(const std::vector<std::string>& command) {
  const Result<PythonStart> python = PythonOf(command);
  const Result<PythonEntry> entry = python ? EntryOf(command, python->place) : python.error();
  return entry ? entry->arguments : command.size();
}

}  // namespace

std::vector<std::string> WithArgument(const std::vector<std::string>& command, const std::string& name,
                                      int64_t value) {
  return WithArgumentFrom(command, OwnArguments(command), name, value);
}

std::optional<SweepRange> BatchSweepOf(const std::vector<std::string>& command) {
  const std::optional<BatchArgument> batch = FindBatchArgument(command, OwnArguments(command));
  if (!batch) return std::nullopt;
  return SweepRange{batch->name, ValuesOf("1.." + std::to_string(batch->value))};
}

Result<SweepRange> SweepRangeFromText(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0) {
    SweepRange range{text.substr(0, equals), ValuesOf(std::string_view(text).substr(equals + 1))};
    if (!range.values.empty()) return range;
  }
  return Error{
      "A sweep is an argument's name and its values, as in batch=1..512 (doubling) or "
      "batch=8,24,96, not '" +
      text + "'."};
}

Status Sweep(const SweepTask& task, const RunsWatch& watch) {
  Result<WarmProgram> program = WarmProgram::Of(task.program, task.environment);
  if (!program) return program.error();
  std::vector<RunOrder> orders;
  orders.reserve(task.values.size());
  for (const int64_t value : task.values) orders.push_back({value, task.name});
  return program->Run(orders, watch);
}

}  // namespace tidemark::phantom
