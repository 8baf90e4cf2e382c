#include "app/cli/user_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "profiler/base/unique_fd.h"
#include "profiler/trace/output_file.h"

namespace tidemark::cli {
namespace {

// As a shell reads it.
std::string InShellQuotes(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

bool IsLauncher(const std::string& word) {
  constexpr std::array<std::string_view, 6> kLaunchers = {"torchrun",
                                                          "accelerate",
                                                          "deepspeed",
                                                          "torch.distributed.run",
                                                          "torch.distributed.launch",
                                                          "accelerate.commands.launch"};
  return std::ranges::count(kLaunchers, std::filesystem::path(word).filename().string()) > 0;
}

// Where the script of a launcher begins; the end if none does.
std::vector<std::string>::const_iterator ScriptOf(const std::vector<std::string>& program) {
  return std::ranges::find_if(program, [](const std::string& word) { return word.ends_with(".py"); });
}

}  // namespace

Status CanBeWritten(const std::string& file) {
  std::error_code not_there;
  const bool existed = std::filesystem::exists(file, not_there);
  if (file.empty() || (existed && !std::filesystem::is_regular_file(file, not_there))) return Done{};
  const UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) return trace::CannotWrite(file, errno);
  if (!existed) unlink(file.c_str());
  return Done{};
}

std::string CommandLineOf(const std::vector<std::string>& program) {
  constexpr size_t kLongest = 1000;
  std::string line;
  for (const std::string& word : program) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'$`\\&|;<>()*?") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : InShellQuotes(word));
  }
  if (line.size() <= kLongest) return line;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80) --end;  // a letter is not cut
  return line.substr(0, end) + "...";
}

std::string TitleOf(const std::vector<std::string>& program) {
  const auto script = ScriptOf(program);
  if (std::any_of(program.begin(), script, IsLauncher) && script != program.end()) {
    return std::filesystem::path(*script).filename().string();
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
  const auto script = ScriptOf(program);
  if (std::none_of(program.begin(), script, IsLauncher)) return {};
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
