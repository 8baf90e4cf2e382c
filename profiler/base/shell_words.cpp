#include "profiler/base/shell_words.h"

namespace tidemark {

std::string InShell(std::string_view word) {
  constexpr std::string_view kOfTheShell = " \t\r\n\"'$`\\&|;<>()[]{}*?~#!";
  if (!word.empty() && word.find_first_of(kOfTheShell) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace tidemark
