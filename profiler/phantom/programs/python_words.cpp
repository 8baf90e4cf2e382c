#include "profiler/phantom/programs/python_words.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace tidemark::phantom {
namespace {

std::string NameOf(const std::string& word) { return std::filesystem::path(word).filename().string(); }

// Of the options with a value, those whose value can look like Python, a launcher or a script. What else
// takes a value needs no place here, and what takes none must have none: Python may follow it.
struct Manager {
  std::string_view name;
  std::string_view options;  // with a space at either side of each
};
constexpr std::array<Manager, 10> kManagers = {
    {{"uv",
      " --with -w --with-editable --with-requirements --python -p --package --extra --no-extra --group "
      "--no-group --only-group --directory --project "},
     {"poetry", " --directory -C --project -P "},
     {"pdm", " --project -p --venv "},
     {"pipenv", " --python "},
     {"hatch", " --env -e --project -p "},
     {"rye", " --pyproject "},
     {"pixi", " --environment -e --manifest-path "},
     {"conda", " --name -n --prefix -p --cwd "},
     {"mamba", " --name -n --prefix -p --cwd "},
     {"micromamba", " --name -n --prefix -p --root-prefix -r --cwd "}}};

const Manager* ManagerCalled(const std::string& word) {
  const auto* const found = std::ranges::find(kManagers, NameOf(word), &Manager::name);
  return found == kManagers.end() ? nullptr : found;
}

}  // namespace

bool IsPython(const std::string& word) {
  std::string name = NameOf(word);
  if (name.ends_with("-dbg")) name.resize(name.size() - 4);
  return name.starts_with("python") && name.find_first_not_of("0123456789.td", 6) == std::string::npos;
}

bool IsLauncher(const std::string& word) {
  constexpr std::array<std::string_view, 7> kLaunchers = {"torchrun",
                                                          "accelerate",
                                                          "deepspeed",
                                                          "lightning",
                                                          "torch.distributed.run",
                                                          "torch.distributed.launch",
                                                          "accelerate.commands.launch"};
  return std::ranges::count(kLaunchers, NameOf(word)) > 0;
}

bool IsRunByPython(const std::string& word) {
  return word.ends_with(".py") || word == "-m" || word == "ipython" || IsLauncher(word);
}

bool IsModuleOption(const std::string& word) { return word == "-m" || word == "--module"; }

bool BringsItsOwnPython(const std::string& word) { return ManagerCalled(word) != nullptr; }

bool TakesNextWord(const ManagerOption& option) {
  const Manager* const manager = ManagerCalled(option.manager);
  return manager != nullptr && manager->options.find(" " + option.word + " ") != std::string_view::npos;
}

}  // namespace tidemark::phantom
