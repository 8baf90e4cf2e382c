// Words that have a meaning which can be looked up, in whatever text of the window they stand: underlined,
// and explained on hover. Who knows the meanings is told once; texts without such words are left as they are.
// UI thread, inside a frame; O(text) where a text was asked about lately, else what the dictionary takes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/text.h"

namespace tidemark::gui {

struct ExplainedWord {
  size_t begin = 0;  // in bytes of the text
  size_t end = 0;
  std::string meaning;
};
using Dictionary = std::function<std::vector<ExplainedWord>(std::string_view)>;
// From then on; an empty one explains nothing.
void UseDictionary(Dictionary dictionary);

enum class TermHint { kOnHover, kNone };  // none: the item has a tooltip of its own, which tells the meaning

// Marks the words in a line of text that was drawn with its top left corner at `at`.
void MarkTerms(ImVec2 at, const TextStyle& style, std::string_view text, TermHint hint = TermHint::kOnHover);

// The words in a line of a text that is wrapped, which is a part of it; one that goes on in the next line is
// in both.
std::vector<ExplainedWord> WordsInLine(std::string_view text, std::string_view line);
// Marks those; true where the mouse is on one.
bool MarkTermsOfLine(ImVec2 at, const TextStyle& style, std::string_view text, std::string_view line,
                     TermHint hint = TermHint::kOnHover);
// A text as PutWrapped writes it, with its words marked. `exact`, what it rounds, under the mouse beside
// them.
void PutWrappedTerms(const TextStyle& style, std::string_view text, std::string_view exact = {});

// Underlines a word that was drawn at `at`; `meaning` is what hovering it tells, "" = nothing.
void DrawTerm(ImVec2 at, float width, const TextStyle& style, std::string_view meaning);

// What the dictionary tells of a text that is one of its words; "" if it is none.
std::string MeaningOfTerm(std::string_view text);

// A line for each of the text's words, with its meaning; "" where none is explained.
std::string MeaningsIn(std::string_view text);
// In a tooltip: the same.
void PutMeanings(std::string_view text);

}  // namespace tidemark::gui
