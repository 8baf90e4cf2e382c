#include "profiler/base/shell_words.h"

#include <optional>
#include <utility>

namespace tidemark {

std::string InShell(std::string_view word) {
  constexpr std::string_view kOfTheShell = " \t\r\n\"'$`\\&|;<>()[]{}*?~#!";
  if (!word.empty() && word.find_first_of(kOfTheShell) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::vector<std::string> OutOfShell(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string> words;
  std::optional<std::string> word;
  bool is_quoted = false;
  const auto add = [&word](std::string_view letters) {
    if (!word) word.emplace();
    word->append(letters);
  };
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'') {
      is_quoted = !is_quoted;
      add("");
    } else if (is_quoted || kBlanks.find(line[i]) == std::string_view::npos) {
      const bool is_escaped = !is_quoted && line[i] == '\\' && i + 1 < line.size();
      add(line.substr(is_escaped ? ++i : i, 1));
    } else if (word) {
      words.push_back(*std::exchange(word, std::nullopt));
    }
  }
  if (word) words.push_back(*word);
  return words;
}

}  // namespace tidemark
