#include "app/gui/widgets/terms.h"

#include <map>
#include <utility>

#include "app/gui/widgets/translation.h"

namespace tidemark::gui {
namespace {

// Titles with a running number in them are ever new.
constexpr size_t kMostRemembered = 512;

struct Terms {
  Dictionary dictionary;
  std::map<std::string, std::vector<ExplainedWord>, std::less<>> known;
};

Terms& TermsInUse() {
  static Terms terms;
  return terms;
}

const std::vector<ExplainedWord>& WordsOf(std::string_view text) {
  Terms& terms = TermsInUse();
  const auto found = terms.known.find(text);
  if (found != terms.known.end()) return found->second;
  if (terms.known.size() >= kMostRemembered) terms.known.clear();
  return terms.known.emplace(text, terms.dictionary(text)).first->second;
}

}  // namespace

void UseDictionary(Dictionary dictionary) { TermsInUse() = {std::move(dictionary), {}}; }

void MarkTerms(ImVec2 at, const TextStyle& style, std::string_view text, TermHint hint) {
  // In another language the words lie elsewhere.
  if (!TermsInUse().dictionary || Translated(text) != text) return;
  for (const ExplainedWord& word : WordsOf(text)) {
    const float left = at.x + Measure(style, text.substr(0, word.begin)).x;
    const float width = Measure(style, text.substr(word.begin, word.end - word.begin)).x;
    DrawTerm({left, at.y}, width, style, hint == TermHint::kNone ? std::string_view() : word.meaning);
  }
}

void DrawTerm(ImVec2 at, float width, const TextStyle& style, std::string_view meaning) {
  const float bottom = at.y + Pixels(style) + Px(1);
  ImGui::GetWindowDrawList()->AddLine({at.x, bottom}, {at.x + width, bottom},
                                      U32(Colors().accent.WithAlpha(0.5)));
  TooltipOver(at, {at.x + width, bottom}, meaning);
}

std::string MeaningOfTerm(std::string_view text) {
  if (!TermsInUse().dictionary) return "";
  const std::vector<ExplainedWord>& words = WordsOf(text);
  const bool is_one = words.size() == 1 && words.front().begin == 0 && words.front().end == text.size();
  return is_one ? words.front().meaning : "";
}

std::string MeaningsIn(std::string_view text) {
  std::string lines;
  if (!TermsInUse().dictionary) return lines;
  for (const ExplainedWord& word : WordsOf(text)) lines += (lines.empty() ? "" : "\n") + word.meaning;
  return lines;
}

void PutMeanings(std::string_view text) {
  if (const std::string lines = MeaningsIn(text); !lines.empty()) Put(SmallMuted(), lines);
}

}  // namespace tidemark::gui
