// The words of the window and of the lessons, each with its meaning: assets/lessons/glossary.md, a list of
//   - **word, other form**: What it means. Further sentences.
// Pure functions, but for the one that reads the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::lessons {

struct Term {
  std::vector<std::string> forms;  // the word first
  std::string meaning;
};

class Glossary {
 public:
  // Errors: the line that is no term, or explains a form for the second time.
  static Result<Glossary> FromMarkdown(std::string_view markdown, const std::string& file);
  static Result<Glossary> Load();

  const std::vector<Term>& terms() const { return terms_; }
  // Of a form or its plural, in small or large letters; none if it is no term.
  const Term* Find(std::string_view word) const;

  struct Place {
    size_t begin = 0;
    size_t end = 0;
    const Term* term = nullptr;
  };
  // Where terms stand in a text, whole words that are no part of a name (blocks.0), the longest form first;
  // ascending. O(text · forms).
  std::vector<Place> PlacesIn(std::string_view text) const;

 private:
  std::vector<Term> terms_;
};

// "peak: The moment of a step at which the most is allocated." of a word; "" if it is no term, or there is no
// glossary.
std::string MeaningOf(const Glossary* glossary, std::string_view word);

// Up to the first full stop.
std::string FirstSentence(std::string_view text);

}  // namespace tidemark::lessons
