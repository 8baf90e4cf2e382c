#include "profiler/lessons/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "profiler/base/paths.h"
#include "profiler/base/whole_file.h"

namespace tidemark::lessons {
namespace {

char Small(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
bool IsWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Whether what stands there belongs to the word before: parts of a name, as of the layer blocks.0.mlp, are no
// words.
bool GoesOnAt(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  return IsWordLetter(text[at]) || (text[at] == '.' && at + 1 < text.size() && IsWordLetter(text[at + 1]));
}

bool BeginsWith(std::string_view text, std::string_view form) {
  return text.size() >= form.size() && std::equal(form.begin(), form.end(), text.begin(),
                                                  [](char a, char b) { return Small(a) == Small(b); });
}

// How much of the text the form takes, its plural too; 0 = it does not stand there as a word.
size_t LengthOf(std::string_view text, std::string_view form) {
  if (!BeginsWith(text, form)) return 0;
  size_t length = form.size();
  if (length < text.size() && text[length] == 's') ++length;
  return GoesOnAt(text, length) ? 0 : length;
}

Result<Term> TermFromLine(std::string_view line) {
  const size_t end = line.find("**: ");
  if (!line.starts_with("- **") || end == std::string_view::npos || end + 4 >= line.size()) {
    return Error{"is no term; write - **word, other form**: What it means."};
  }
  Term term;
  std::istringstream forms{std::string(line.substr(4, end - 4))};
  for (std::string form; std::getline(forms >> std::ws, form, ',');) term.forms.push_back(form);
  term.meaning = line.substr(end + 4);
  std::erase(term.meaning, '`');  // code in Markdown; people read it as plain text
  return term;
}

}  // namespace

Result<Glossary> Glossary::FromMarkdown(std::string_view markdown, const std::string& file) {
  Glossary glossary;
  std::istringstream lines{std::string(markdown)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    Result<Term> term = TermFromLine(line);
    if (!term) return Error{fmt::format("{}:{}: This line {}", file, number, term.error().message)};
    for (const std::string& form : term->forms) {
      for (const Term& other : glossary.terms_) {
        if (std::ranges::find(other.forms, form) == other.forms.end()) continue;
        return Error{fmt::format("{}:{}: '{}' is explained twice.", file, number, form)};
      }
    }
    glossary.terms_.push_back(std::move(*term));
  }
  return glossary;
}

Result<Glossary> Glossary::Load() {
  const std::filesystem::path file = AssetsFolder() / "lessons" / "glossary.md";
  const Result<std::string> markdown = ReadWholeFile(file);
  if (!markdown) return Error{fmt::format("The glossary {} cannot be read.", file.string())};
  return FromMarkdown(*markdown, file.string());
}

const Term* Glossary::Find(std::string_view word) const {
  for (const Term& term : terms_) {
    for (const std::string& form : term.forms) {
      if (LengthOf(word, form) == word.size()) return &term;
    }
  }
  return nullptr;
}

std::vector<Glossary::Place> Glossary::PlacesIn(std::string_view text) const {
  std::vector<Place> places;
  for (size_t at = 0; at < text.size();) {
    Place place{at, at, nullptr};
    for (const Term& term : terms_) {
      for (const std::string& form : term.forms) {
        const size_t length = LengthOf(text.substr(at), form);
        if (at + length > place.end) place = {at, at + length, &term};
      }
    }
    if (place.term != nullptr) {
      at = place.end;
      places.push_back(place);
    } else {
      while (GoesOnAt(text, at)) ++at;
      while (at < text.size() && !IsWordLetter(text[at])) ++at;
    }
  }
  return places;
}

std::string MeaningOf(const Glossary* glossary, std::string_view word) {
  const Term* term = glossary == nullptr ? nullptr : glossary->Find(word);
  return term == nullptr ? "" : term->forms.front() + ": " + FirstSentence(term->meaning);
}

std::string FirstSentence(std::string_view text) {
  const size_t stop = text.find(". ");
  return std::string(stop == std::string_view::npos ? text : text.substr(0, stop + 1));
}

}  // namespace tidemark::lessons
