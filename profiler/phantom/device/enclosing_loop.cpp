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
  constexpr std::string_view kEnds = " (:";
  return text.starts_with(word) &&
         (text.size() == word.size() || kEnds.find(text[word.size()]) != kEnds.npos);
}

constexpr size_t kEmpty = std::string_view::npos;

size_t IndentationOf(std::string_view line) {
  const size_t indentation = line.find_first_not_of(" \t");
  return indentation == kEmpty || line[indentation] == '#' ? kEmpty : indentation;
}

// What encloses the last line, from the innermost outwards, until `take` has seen enough.
template <typename Take>
void ReadEnclosing(const std::vector<std::string_view>& lines, size_t innermost, const Take& take) {
  for (auto at = lines.rbegin(); at != lines.rend() && innermost > 0; ++at) {
    const size_t indentation = IndentationOf(*at);
    if (indentation == kEmpty || indentation >= innermost) continue;
    innermost = indentation;
    std::string_view statement = at->substr(indentation);
    constexpr std::string_view kAsync = "async ";
    if (statement.starts_with(kAsync)) statement.remove_prefix(kAsync.size());
    if (take(statement)) return;
  }
}

bool Leaves(std::string_view statement) {
  return BeginsWithWord(statement, "break") || BeginsWithWord(statement, "return");
}

std::string_view Stripped(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Whether what depends on the `if` in the last of the lines leaves, on that line or among those after it.
bool BodyLeaves(std::string_view statement, size_t indentation, std::string_view after) {
  const size_t colon = statement.rfind(':');
  if (colon == kEmpty) return false;
  if (const std::string_view body = Stripped(statement.substr(colon + 1)); !body.empty()) return Leaves(body);
  while (!after.empty()) {
    const size_t end = std::min(after.find('\n'), after.size());
    const size_t inner = IndentationOf(after.substr(0, end));
    if (inner != kEmpty && inner <= indentation) return false;
    if (inner != kEmpty && Leaves(Stripped(after.substr(0, end)))) return true;
    after.remove_prefix(std::min(end + 1, after.size()));
  }
  return false;
}

}  // namespace

bool StandsInWhile(std::string_view source, int line) {
  bool is_in = false;
  ReadEnclosing(LinesUntil(source, line), kEmpty, [&](std::string_view statement) {
    is_in = BeginsWithWord(statement, "while");
    return is_in || BeginsWithWord(statement, "def");
  });
  return is_in;
}

LoopEnd EndOfFor(std::string_view source, int line) {
  const std::vector<std::string_view> lines = LinesUntil(source, line);
  if (static_cast<int>(lines.size()) < line || lines.empty()) return LoopEnd::kNone;
  const size_t indentation = IndentationOf(lines.back());
  if (indentation == kEmpty) return LoopEnd::kNone;
  const std::string_view statement = Stripped(lines.back());
  constexpr std::string_view kIf = "if";
  const auto has = [&](std::string_view word) { return statement.find(word) != kEmpty; };
  if (!BeginsWithWord(statement, kIf) || has(" and ") || has(" or ")) return LoopEnd::kNone;
  const auto end = static_cast<size_t>(lines.back().end() - source.begin());
  if (!BodyLeaves(statement, indentation, source.substr(std::min(end + 1, source.size()))))
    return LoopEnd::kNone;
  bool is_in_for = false;
  ReadEnclosing(lines, indentation, [&](std::string_view outer) {
    is_in_for = BeginsWithWord(outer, "for");
    return is_in_for || BeginsWithWord(outer, "while") || BeginsWithWord(outer, "def");
  });
  if (!is_in_for) return LoopEnd::kNone;
  const bool is_denied = BeginsWithWord(Stripped(statement.substr(kIf.size())), "not");
  return is_denied ? LoopEnd::kWhenFalse : LoopEnd::kWhenTrue;
}

}  // namespace tidemark::phantom::device
