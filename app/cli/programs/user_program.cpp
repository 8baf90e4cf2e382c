#include "app/cli/programs/user_program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "app/cli/console/exit_codes.h"
#include "profiler/base/shell_words.h"
#include "profiler/base/utf8.h"
#include "profiler/phantom/programs/python_words.h"
#include "profiler/phantom/programs/torch_installation.h"
#include "profiler/trace/tide.h"

namespace tidemark::cli {
namespace {

using Words = std::vector<std::string>;

// Where the script or the module's option begins that a launcher or Python is given; the end if none does.
Words::const_iterator ProgramOf(const Words& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto next = std::next(word);
    const bool runs_launcher = next != words.end() && phantom::IsLauncher(*next);
    if (word->ends_with(".py") || (phantom::IsModuleOption(*word) && !runs_launcher)) return word;
  }
  return words.end();
}

// A script's file or a module's name; "" if neither is there.
std::string TitleAt(const Words& words, Words::const_iterator program) {
  if (program == words.end()) return "";
  if (!phantom::IsModuleOption(*program)) return std::filesystem::path(*program).filename().string();
  return std::next(program) == words.end() ? "" : *std::next(program);
}

}  // namespace

int ExitOfFailedStart(const std::vector<std::string>& program, const std::string& recording) {
  if (!trace::CanBeRecorded(recording)) return kExitFailed;
  return phantom::InPath(program.front()) ? kExitFailed : kExitNoProgram;
}

std::string CommandLineOf(const std::vector<std::string>& program) {
  constexpr size_t kLongest = 1000;
  std::string line;
  for (const std::string& word : program) line += (line.empty() ? "" : " ") + InShell(word);
  return line.size() <= kLongest ? line : std::string(FirstLetters(line, kLongest)) + "...";
}

std::string TitleOf(const std::vector<std::string>& program) {
  const auto own = ProgramOf(program);
  const auto launcher = std::find_if(program.begin(), own, phantom::IsLauncher);
  if (launcher != own || own == program.begin()) {
    const std::string title = TitleAt(program, own);
    return title.empty() ? std::filesystem::path(*launcher).filename().string() : title;
  }
  for (size_t i = 1; i < program.size(); ++i) {
    const std::string& word = program[i];
    if (word == "-c") break;
    if (word == "-m" && i + 1 < program.size()) return program[i + 1];
    if (word == "-W" || word == "-X") ++i;
    if (!word.starts_with('-')) return std::filesystem::path(word).filename().string();
  }
  return std::filesystem::path(program.front()).filename().string();
}

std::optional<int> ProcessesOfLauncher(const std::vector<std::string>& program) {
  constexpr std::array<std::string_view, 3> kNumbers = {"--nproc-per-node", "--num-processes", "--num-gpus"};
  constexpr int kMost = 64;
  const auto script = ProgramOf(program);
  if (std::none_of(program.begin(), script, phantom::IsLauncher)) return {};
  for (auto word = program.begin(); word != script; ++word) {
    const size_t equals = word->find('=');
    std::string name = word->substr(0, equals);
    std::ranges::replace(name, '_', '-');
    if (std::ranges::count(kNumbers, name) == 0) continue;
    const auto next = std::next(word);
    const std::string text = equals != std::string::npos ? word->substr(equals + 1)
                             : next == script            ? ""
                                                         : *next;
    int count = 1;  // "gpu" and "auto" take what there is
    std::from_chars(text.data(), text.data() + text.size(), count);
    return std::clamp(count, 1, kMost);
  }
  return 1;
}

}  // namespace tidemark::cli
