#include "profiler/phantom/programs/python_entry.h"

#include "profiler/phantom/programs/python_words.h"

namespace tidemark::phantom {
namespace {

// The option in a word such as "-W", "-um" or "-mpackage" that takes the rest of it, or else the next word; 0
// if none does.
size_t TakerIn(const std::string& word) {
  const size_t taker = word.starts_with("--") ? std::string::npos : word.find_first_of("cmWX", 1);
  return taker == std::string::npos ? 0 : taker;
}

// What stands in Python's place: a script that names Python in its first line, or, behind uv or conda, any
// script or a module. Launchers start a Python of their own, which would be none of the warm one's.
Result<PythonEntry> EntryWithoutPython(const std::vector<std::string>& program, size_t place) {
  const std::string& word = program[place];
  const bool is_module = IsModuleOption(word) && place + 1 < program.size();
  if (is_module && !IsLauncher(program[place + 1]))
    return PythonEntry{"module", program[place + 1], {}, place + 2};
  if (!is_module && !IsLauncher(word) && (word.ends_with(".py") || word.find('/') != std::string::npos))
    return PythonEntry{"script", word, {}, place + 1};
  return Error{"To be run many times, a program needs Python and its script, not " + word +
               ", as in: python train.py."};
}

}  // namespace

Result<PythonEntry> EntryOf(const std::vector<std::string>& program, size_t place) {
  if (!IsPython(program[place])) return EntryWithoutPython(program, place);
  std::vector<std::string> options;
  for (size_t i = place + 1; i < program.size(); ++i) {
    const std::string& word = program[i];
    if (!word.starts_with('-')) return PythonEntry{"script", word, options, i + 1};
    const size_t taker = TakerIn(word);
    const bool takes_next = taker > 0 && taker + 1 == word.size();
    if (takes_next && i + 1 == program.size()) break;
    if (taker > 0 && (word[taker] == 'm' || word[taker] == 'c')) {
      if (taker > 1) options.push_back(word.substr(0, taker));
      return PythonEntry{word[taker] == 'm' ? "module" : "code",
                         takes_next ? program[i + 1] : word.substr(taker + 1), options,
                         takes_next ? i + 2 : i + 1};
    }
    options.push_back(word);
    if (takes_next) options.push_back(program[++i]);
  }
  return Error{
      "To be run many times, a program needs a script or a module after Python, as in: python train.py."};
}

}  // namespace tidemark::phantom
