#include "app/gui/widgets/terms.h"

#include <map>
#include <utility>

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
  if (!TermsInUse().dictionary) return;
  for (const ExplainedWord& word : WordsOf(text)) {
    const float left = at.x + Measure(style, text.substr(0, word.begin)).x;
    const float right = left + Measure(style, text.substr(word.begin, word.end - word.begin)).x;
    const float bottom = at.y + Pixels(style) + Px(1);
    ImGui::GetWindowDrawList()->AddLine({left, bottom}, {right, bottom}, U32(Colors().accent.WithAlpha(0.4)));
    if (hint == TermHint::kNone || !ImGui::IsMouseHoveringRect({left, at.y}, {right, bottom}) ||
        !ImGui::IsWindowHovered()) {
      continue;
    }
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(Px(360));
    Put(Words(), word.meaning);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

void PutMeanings(std::string_view text) {
  if (!TermsInUse().dictionary) return;
  for (const ExplainedWord& word : WordsOf(text)) Put(SmallMuted(), word.meaning);
}

}  // namespace tidemark::gui
