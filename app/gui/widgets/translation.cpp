#include "app/gui/widgets/translation.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/base/digits.h"

namespace tidemark::gui {
namespace {

// Texts with a running number in them are ever new.
constexpr size_t kMostTranslated = 4096;

// A text of the table with "*" in it: what stands before, between and behind them.
struct Sentence {
  std::vector<std::string> parts;
  std::string translation;
};

struct TranslationsInUse {
  Translations table;
  std::vector<Sentence> sentences;
  std::map<std::string, std::optional<std::string>, std::less<>> known;  // none: it stays as it is
};

TranslationsInUse& InUse() {
  static TranslationsInUse in_use;
  return in_use;
}

// A text with its numbers taken out: "1,771 events" as "# events" and {"1,771"}.
struct Pattern {
  std::string text;
  std::vector<std::string> numbers;
};

Pattern PatternOf(std::string_view text) {
  Pattern pattern;
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      pattern.text += text[at++];
      continue;
    }
    size_t end = at + 1;
    const auto goes_on = [&] {
      const bool joins = end + 1 < text.size() && (text[end] == '.' || text[end] == ',');
      return end < text.size() && (IsDigit(text[end]) || (joins && IsDigit(text[end + 1])));
    };
    while (goes_on()) ++end;
    pattern.numbers.emplace_back(text.substr(at, end - at));
    pattern.text += '#';
    at = end;
  }
  return pattern;
}

std::string Filled(std::string_view translation, const std::vector<std::string>& numbers) {
  std::string text;
  auto number = numbers.begin();
  for (const char letter : translation) {
    if (letter == '#' && number != numbers.end()) {
      text += *number++;
    } else {
      text += letter;
    }
  }
  return text;
}

std::optional<std::string> WholeOf(const Translations& table, std::string_view text) {
  if (const auto exact = table.find(text); exact != table.end()) return exact->second;
  if (std::none_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  const Pattern pattern = PatternOf(text);
  const auto found = table.find(pattern.text);
  if (found == table.end()) return std::nullopt;
  return Filled(found->second, pattern.numbers);
}

// What a sentence's stars stand for in a text, and the numbers outside of them.
struct Words {
  std::vector<std::string> numbers;
  std::vector<std::string> any;
};

std::optional<Words> WordsOf(const Sentence& sentence, const Pattern& pattern) {
  const std::string_view text = pattern.text;
  Words words;
  auto number = pattern.numbers.begin();
  const auto numbers_of = [&](std::string_view part) {
    const auto count = std::ranges::count(part, '#');
    std::vector<std::string> taken(number, number + count);
    number += count;
    return taken;
  };
  const auto keep = [&](std::string_view part) {
    for (std::string& one : numbers_of(part)) words.numbers.push_back(std::move(one));
  };
  if (!text.starts_with(sentence.parts.front())) return std::nullopt;
  size_t at = sentence.parts.front().size();
  keep(sentence.parts.front());
  for (size_t i = 1; i < sentence.parts.size(); ++i) {
    const std::string& part = sentence.parts[i];
    const bool is_last = i + 1 == sentence.parts.size();
    if (is_last && !text.ends_with(part)) return std::nullopt;
    const size_t next = is_last ? text.size() - part.size() : text.find(part, at + 1);
    if (next == std::string_view::npos || next <= at) return std::nullopt;
    const std::string_view between = text.substr(at, next - at);
    words.any.push_back(Filled(between, numbers_of(between)));
    keep(part);
    at = next + part.size();
  }
  return words;
}

std::optional<std::string> SentenceOf(const TranslationsInUse& in_use, std::string_view text) {
  if (auto whole = WholeOf(in_use.table, text)) return whole;
  const Pattern pattern = PatternOf(text);
  for (const Sentence& sentence : in_use.sentences) {
    const std::optional<Words> words = WordsOf(sentence, pattern);
    if (!words) continue;
    std::string translated;
    auto any = words->any.begin();
    for (const char letter : Filled(sentence.translation, words->numbers)) {
      if (letter != '*' || any == words->any.end()) {
        translated += letter;
        continue;
      }
      translated += WholeOf(in_use.table, *any).value_or(*any);
      ++any;
    }
    return translated;
  }
  return std::nullopt;
}

// Where the next piece of a text ends, and how long what parts it from the one behind is.
std::pair<size_t, size_t> NextGap(std::string_view text, size_t from) {
  constexpr std::string_view kDot = " · ";
  const size_t dot = text.find(kDot, from);
  const size_t line = text.find('\n', from);
  if (dot == std::string_view::npos && line == std::string_view::npos) return {text.size(), 0};
  return dot < line ? std::pair(dot, kDot.size()) : std::pair(line, size_t{1});
}

std::optional<std::string> LookedUp(const TranslationsInUse& in_use, std::string_view text) {
  if (auto sentence = SentenceOf(in_use, text)) return sentence;
  std::string joined;
  bool knows_any = false;
  for (size_t at = 0; at < text.size();) {
    const auto [begin, length] = NextGap(text, at);
    const std::string_view piece = text.substr(at, begin - at);
    const std::optional<std::string> known = SentenceOf(in_use, piece);
    knows_any = knows_any || known;
    joined += known.value_or(std::string(piece));
    joined += text.substr(begin, length);
    at = begin + length;
  }
  return knows_any ? std::optional(joined) : std::nullopt;
}

}  // namespace

void UseTranslations(Translations translations) {
  TranslationsInUse& in_use = InUse();
  in_use = {};
  for (const auto& [text, translation] : translations) {
    Sentence sentence{{""}, translation};
    for (const char letter : text) {
      if (letter == '*') {
        sentence.parts.emplace_back();
      } else {
        sentence.parts.back() += letter;
      }
    }
    if (sentence.parts.size() > 1) in_use.sentences.push_back(std::move(sentence));
  }
  in_use.table = std::move(translations);
}

std::string_view Translated(std::string_view text) {
  TranslationsInUse& in_use = InUse();
  if (in_use.table.empty() || text.empty()) return text;
  auto known = in_use.known.find(text);
  if (known == in_use.known.end()) {
    if (in_use.known.size() >= kMostTranslated) in_use.known.clear();
    known = in_use.known.emplace(text, LookedUp(in_use, text)).first;
  }
  return known->second ? std::string_view(*known->second) : text;
}

std::string TranslatedLabel(std::string_view label) {
  const std::string_view shown = label.substr(0, label.find("##"));
  const std::string_view translated = Translated(shown);
  if (translated == shown) return std::string(label);
  const std::string_view name = shown.size() < label.size() ? label.substr(shown.size()) : label;
  return std::string(translated) + (shown.size() < label.size() ? "" : "###") + std::string(name);
}

// Dear ImGui shows a label up to its first "##": a blank of no width parts the two.
std::string WholeLabel(std::string_view text) {
  constexpr std::string_view kNoWidth = "\u200B";
  std::string label;
  label.reserve(text.size());
  for (const char letter : text) {
    if (letter == '#' && label.ends_with('#')) label += kNoWidth;
    label += letter;
  }
  return label;
}

}  // namespace tidemark::gui
