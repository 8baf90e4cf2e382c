// Names that people type: what to say about one that is not known. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tidemark {

// What was typed, for a sentence: cut short where it goes on and on, and on one line.
std::string Quoted(std::string_view given);

// The known name that is nearest to `given` (by single-letter edits), or "" if none is near enough to be a
// slip.
std::string NearestChoice(std::string_view given, std::span<const std::string> known);
// What ends a sentence that has quoted it: "; did you mean 'adam'?", or ".".
std::string HintAt(std::string_view given, std::span<const std::string> known);

// "There is no optimizer 'adma'; did you mean 'adam'? Known: sgd, momentum, adam, adamw."
std::string UnknownChoice(std::string_view what, std::string_view given, std::span<const std::string> known);
// "--amp must be one of off, fp16, bf16, not 'fp61'; did you mean 'fp16'?"
std::string NotAmong(std::string_view option, std::string_view given, std::span<const std::string> known);

// Whether `name` is one of a list with commas between, as programs find what was chosen in their environment.
inline bool IsListed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view first = list.substr(0, list.find(','));
    if (first == name) return true;
    list.remove_prefix(first.size() < list.size() ? first.size() + 1 : first.size());
  }
  return false;
}

}  // namespace tidemark
