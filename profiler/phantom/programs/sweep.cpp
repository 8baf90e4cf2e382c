#include "profiler/phantom/programs/sweep.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/base/command.h"
#include "profiler/base/paths.h"
#include "profiler/phantom/programs/program_arguments.h"
#include "profiler/phantom/programs/python_words.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::phantom {
namespace {

using Json = nlohmann::json;

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

// What Python is to run, between its own options and the program's arguments.
struct Entry {
  const char* kind = nullptr;  // as sweep.py calls it
  std::string what;
  std::vector<std::string> options;
  size_t arguments = 0;  // where they begin in the words
};

// The option in a word such as "-W", "-um" or "-mpackage" that takes the rest of it, or else the next word; 0
// if none does.
size_t TakerIn(const std::string& word) {
  const size_t taker = word.starts_with("--") ? std::string::npos : word.find_first_of("cmWX", 1);
  return taker == std::string::npos ? 0 : taker;
}

// What stands in Python's place: a script that names Python in its first line, or, behind uv or conda, any
// script or a module. Launchers start a Python of their own, which would be none of the warm one's.
Result<Entry> EntryWithoutPython(const std::vector<std::string>& program, size_t place) {
  const std::string& word = program[place];
  const bool is_module = IsModuleOption(word) && place + 1 < program.size();
  if (is_module && !IsLauncher(program[place + 1])) return Entry{"module", program[place + 1], {}, place + 2};
  if (!is_module && !IsLauncher(word) && (word.ends_with(".py") || word.find('/') != std::string::npos))
    return Entry{"script", word, {}, place + 1};
  return Error{"To be run many times, a program needs Python and its script, not " + word +
               ", as in: python train.py."};
}

Result<Entry> EntryOf(const std::vector<std::string>& program, size_t place) {
  if (!IsPython(program[place])) return EntryWithoutPython(program, place);
  std::vector<std::string> options;
  for (size_t i = place + 1; i < program.size(); ++i) {
    const std::string& word = program[i];
    if (!word.starts_with('-')) return Entry{"script", word, options, i + 1};
    const size_t taker = TakerIn(word);
    const bool takes_next = taker > 0 && taker + 1 == word.size();
    if (takes_next && i + 1 == program.size()) break;
    if (taker > 0 && (word[taker] == 'm' || word[taker] == 'c')) {
      if (taker > 1) options.push_back(word.substr(0, taker));
      return Entry{word[taker] == 'm' ? "module" : "code",
                   takes_next ? program[i + 1] : word.substr(taker + 1), options, takes_next ? i + 2 : i + 1};
    }
    options.push_back(word);
    if (takes_next) options.push_back(program[++i]);
  }
  return Error{
      "To be run many times, a program needs a script or a module after Python, as in: python train.py."};
}

Json OrderOf(const SweepTask& task, const Entry& entry) {
  const std::vector<std::string> given(task.program.begin() + static_cast<std::ptrdiff_t>(entry.arguments),
                                       task.program.end());
  Json runs = Json::array();
  for (size_t i = 0; i < task.values.size(); ++i) {
    const int64_t value = task.values[i];
    runs.push_back({{"value", value},
                    {"arguments", task.name.empty() ? given : WithArgumentFrom(given, 0, task.name, value)},
                    {"environment", i < task.own_environments.size() ? task.own_environments[i]
                                                                     : std::vector<std::string>()}});
  }
  return {{entry.kind, entry.what}, {"runs", std::move(runs)}, {"at_once", task.at_once}};
}

std::optional<SweepAnswer> AnswerIn(std::string_view line) {
  constexpr std::string_view kPrefix = "tidemark {";
  if (!line.starts_with(kPrefix)) return std::nullopt;
  const Json json = Json::parse(line.substr(kPrefix.size() - 1), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  SweepAnswer answer;
  answer.value = json.value("value", int64_t{0});
  answer.process_id = json.value("process", 0);
  answer.allocated_peak_bytes = json.value("allocated_peak_bytes", int64_t{0});
  answer.reserved_peak_bytes = json.value("reserved_peak_bytes", int64_t{0});
  answer.used_cuda = json.value("used_cuda", false);
  answer.out_of_memory = json.value("out_of_memory", false);
  answer.sentence = json.value("sentence", std::string());
  answer.in_vain = json.value("in_vain", std::vector<std::string>());
  return answer;
}

// Where the program's own begin; the command's end where that is not known, as of a launcher.
size_t OwnArguments(const std::vector<std::string>& command) {
  const Result<PythonStart> python = PythonOf(command);
  const Result<Entry> entry = python ? EntryOf(command, python->place) : python.error();
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

Status Sweep(const SweepTask& task, const std::function<void(const SweepAnswer&)>& answered,
             const std::function<bool()>& goes_on) {
  const Result<PythonStart> python = PythonOf(task.program);
  if (!python) return python.error();
  const Result<Entry> entry = EntryOf(task.program, python->place);
  if (!entry) return entry.error();
  std::vector<std::string> words = python->words;
  words.insert(words.end(), entry->options.begin(), entry->options.end());
  words.insert(words.end(), {"-u", (AssetsFolder() / "python" / "sweep.py").string(),
                             OrderOf(task, *entry).dump(-1, ' ', false, Json::error_handler_t::replace)});
  size_t answers = 0;
  bool was_ended = false;
  CommandOptions options;
  options.with_errors = true;
  options.environment = task.environment;
  options.on_line = [&](std::string_view line) {
    const std::optional<SweepAnswer> answer = AnswerIn(line);
    if (!answer) return;
    ++answers;
    answered(*answer);
  };
  options.goes_on = [&] {
    was_ended = was_ended || !goes_on();
    return !was_ended;
  };
  const Result<CommandOutcome> outcome = RunCommand(words, options);
  if (!outcome) return outcome.error();
  if (answers == task.values.size() || was_ended || !goes_on()) return Done{};
  const size_t shown = std::min<size_t>(outcome->output.size(), 300);
  return Error{"The sweep ended early: " + outcome->output.substr(outcome->output.size() - shown)};
}

}  // namespace tidemark::phantom
