#include "app/cli/user_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
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
  for (size_t i = 1; i < program.size(); ++i) {
    const std::string& word = program[i];
    if (word == "-c") break;
    if (word == "-m" && i + 1 < program.size()) return program[i + 1];
    if (word == "-W" || word == "-X") ++i;
    if (!word.starts_with('-')) return std::filesystem::path(word).filename().string();
  }
  return std::filesystem::path(program.front()).filename().string();
}

}  // namespace tidemark::cli
