#include "app/gui/widgets/terms.h"

#include <algorithm>
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
  MarkTermsOfLine(at, style, text, text, hint);
}

std::vector<ExplainedWord> WordsInLine(std::string_view text, std::string_view line) {
  std::vector<ExplainedWord> words;
  if (!TermsInUse().dictionary) return words;
  const auto first = static_cast<size_t>(line.data() - text.data());
  for (const ExplainedWord& word : WordsOf(text)) {
    const size_t begin = std::max(word.begin, first);
    const size_t end = std::min(word.end, first + line.size());
    if (begin < end) words.push_back({begin - first, end - first, word.meaning});
  }
  return words;
}

bool MarkTermsOfLine(ImVec2 at, const TextStyle& style, std::string_view text, std::string_view line,
                     TermHint hint) {
  if (Translated(text) != text) return false;  // in another language the words lie elsewhere
  bool is_on_word = false;
  for (const ExplainedWord& word : WordsInLine(text, line)) {
    const float left = at.x + MeasureAsIs(style, line.substr(0, word.begin)).x;
    const float width = MeasureAsIs(style, line.substr(word.begin, word.end - word.begin)).x;
    DrawTerm({left, at.y}, width, style, hint == TermHint::kNone ? std::string_view() : word.meaning);
    is_on_word |= ImGui::IsMouseHoveringRect({left, at.y}, {left + width, at.y + Pixels(style) + Px(1)});
  }
  return is_on_word;
}

void PutWrappedTerms(const TextStyle& style, std::string_view text, std::string_view exact) {
  if (Translated(text) != text) {
    PutWrapped(style, text);
    return Tooltip(exact);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  float y = at.y;
  bool is_on_word = false;
  for (const std::string_view line : WrappedLines(style, text, width)) {
    DrawTextAsIs(ImGui::GetWindowDrawList(), {at.x, y}, style, line);
    is_on_word |= MarkTermsOfLine({at.x, y}, style, text, line);
    y += Pixels(style);
  }
  ImGui::Dummy({width, y - at.y});
  if (!is_on_word) Tooltip(exact);
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
  const std::string lines = MeaningsIn(text);
  if (lines.empty()) return;
  ImGui::PushTextWrapPos(WidthOfTooltip());
  Put(SmallMuted(), lines);
  ImGui::PopTextWrapPos();
}

}  // namespace tidemark::gui
