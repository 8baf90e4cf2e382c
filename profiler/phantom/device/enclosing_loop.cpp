#include "profiler/phantom/device/enclosing_loop.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tidemark::phantom::device {
namespace {

// The lines up to that one.
std::vector<std::string_view> LinesUntil(std::string_view source, int line) {
  std::vector<std::string_view> lines;
  while (static_cast<int>(lines.size()) < line && !source.empty()) {
    const size_t end = std::min(source.find('\n'), source.size());
    lines.push_back(source.substr(0, end));
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return lines;
}

bool BeginsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) &&
         (text.size() == word.size() || text[word.size()] == ' ' || text[word.size()] == '(');
}

}  // namespace

bool StandsInWhile(std::string_view source, int line) {
  const std::vector<std::string_view> lines = LinesUntil(source, line);
  size_t innermost = std::string_view::npos;  // indentation of what encloses it, so far
  for (auto at = lines.rbegin(); at != lines.rend() && innermost > 0; ++at) {
    const size_t indentation = at->find_first_not_of(" \t");
    if (indentation == std::string_view::npos || indentation >= innermost || (*at)[indentation] == '#')
      continue;
    innermost = indentation;
    std::string_view statement = at->substr(indentation);
    constexpr std::string_view kAsync = "async ";
    if (statement.starts_with(kAsync)) statement.remove_prefix(kAsync.size());
    if (BeginsWithWord(statement, "while")) return true;
    if (BeginsWithWord(statement, "def")) return false;
  }
  return false;
}

}  // namespace tidemark::phantom::device
