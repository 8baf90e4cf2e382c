#include "profiler/base/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "profiler/base/utf8.h"

namespace tidemark {
namespace {

// Longer input is no slip of the finger, and is not worth quoting in full.
constexpr size_t kLongestQuoted = 60;

// Letters inserted, left out, replaced, or swapped with their neighbour (optimal string alignment).
size_t EditDistance(std::string_view from, std::string_view to) {
  const size_t columns = to.size() + 1;
  std::vector<size_t> distance((from.size() + 1) * columns);
  const auto at = [&](size_t i, size_t j) -> size_t& { return distance[i * columns + j]; };
  for (size_t i = 0; i <= from.size(); ++i) at(i, 0) = i;
  for (size_t j = 0; j <= to.size(); ++j) at(0, j) = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = at(i - 1, j - 1) + (from[i - 1] == to[j - 1] ? 0 : 1);
      at(i, j) = std::min({replaced, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return distance.back();
}

}  // namespace

std::string Quoted(std::string_view given) {
  std::string text(FirstLetters(given, kLongestQuoted));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; }, '?');
  return text.size() < given.size() ? text + "…" : text;
}

std::string NearestChoice(std::string_view given, std::span<const std::string> known) {
  if (given.size() > kLongestQuoted) return "";
  std::string nearest;
  size_t smallest = 0;
  for (const std::string& name : known) {
    const size_t distance = EditDistance(given, name);
    const bool near = distance * 3 <= std::max(name.size(), given.size());
    if (near && (nearest.empty() || distance < smallest)) {
      nearest = name;
      smallest = distance;
    }
  }
  return nearest;
}

std::string HintAt(std::string_view given, std::span<const std::string> known) {
  const std::string nearest = NearestChoice(given, known);
  return nearest.empty() ? "." : fmt::format("; did you mean '{}'?", nearest);
}

std::string UnknownChoice(std::string_view what, std::string_view given, std::span<const std::string> known) {
  return fmt::format("There is no {} '{}'{} Known: {}.", what, Quoted(given), HintAt(given, known),
                     fmt::join(known, ", "));
}

std::string NotAmong(std::string_view option, std::string_view given, std::span<const std::string> known) {
  return fmt::format("{} must be one of {}, not '{}'{}", option, fmt::join(known, ", "), Quoted(given),
                     HintAt(given, known));
}

}  // namespace tidemark
