#include "app/gui/widgets/translation.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::gui {
namespace {

// Texts with a running number in them are ever new.
constexpr size_t kMostTranslated = 4096;

struct TranslationsInUse {
  Translations table;
  std::map<std::string, std::optional<std::string>, std::less<>> known;  // none: it stays as it is
};

TranslationsInUse& InUse() {
  static TranslationsInUse in_use;
  return in_use;
}

bool IsDigit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

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

std::optional<std::string> LookedUp(const Translations& table, std::string_view text) {
  if (const auto exact = table.find(text); exact != table.end()) return exact->second;
  if (std::none_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  const Pattern pattern = PatternOf(text);
  const auto found = table.find(pattern.text);
  if (found == table.end()) return std::nullopt;
  return Filled(found->second, pattern.numbers);
}

}  // namespace

void UseTranslations(Translations translations) { InUse() = {std::move(translations), {}}; }

std::string_view Translated(std::string_view text) {
  TranslationsInUse& in_use = InUse();
  if (in_use.table.empty() || text.empty()) return text;
  auto known = in_use.known.find(text);
  if (known == in_use.known.end()) {
    if (in_use.known.size() >= kMostTranslated) in_use.known.clear();
    known = in_use.known.emplace(text, LookedUp(in_use.table, text)).first;
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

}  // namespace tidemark::gui
