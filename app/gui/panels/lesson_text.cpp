#include "app/gui/panels/lesson_text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/terms.h"
#include "app/gui/widgets/translation.h"

namespace tidemark::gui {
namespace {

using lessons::RichText;
using lessons::Span;
using lessons::SpanStyle;

// What is never broken: a word, or a figure with its unit.
struct Word {
  std::string_view text;
  TextStyle style;
  std::string hint;
  bool underlined = false;
  bool space_before = false;
};

TextStyle StyleOf(SpanStyle span, const TextStyle& style) {
  switch (span) {
    case SpanStyle::kStrong:
      return Strongly(style);
    case SpanStyle::kEmphasis:
      return Colored(style, Colors().accent);
    case SpanStyle::kCode:
      return Colored(Numbers(), style.color);
    case SpanStyle::kPlain:
      break;
  }
  return style;
}

// Words of text[begin, end), of which the first follows a space if `space` says so; returns whether the end
// is one.
bool AddWords(std::string_view text, const Word& like, bool space, std::vector<Word>* words) {
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ') {
      space = true;
      ++at;
      continue;
    }
    const size_t end = std::min(text.find(' ', at), text.size());
    Word word = like;
    word.text = text.substr(at, end - at);
    word.space_before = space;
    words->push_back(word);
    space = false;
    at = end;
  }
  return space;
}

std::string_view TextOf(const Span& span, const LessonTextContext& context) {
  if (context.figures == nullptr) return span.text;
  const auto here = context.figures->find(&span);
  return here == context.figures->end() ? std::string_view(span.text) : here->second;
}

std::vector<Word> WordsIn(const RichText& text, const TextStyle& style, LessonTextContext& context) {
  std::vector<Word> words;
  bool space = false;
  for (const Span& span : text) {
    Word like;
    like.style = StyleOf(span.style, style);
    const std::string_view all = TextOf(span, context);
    if (!span.expression.empty()) {
      like.text = all;
      like.hint = "Computed: " + span.expression;
      like.space_before = space;
      words.push_back(like);
      space = false;
      continue;
    }
    size_t at = 0;
    const bool explains = span.style != SpanStyle::kCode;
    for (const lessons::Glossary::Place& place :
         explains ? context.glossary->PlacesIn(all) : std::vector<lessons::Glossary::Place>()) {
      if (!context.explained.insert(place.term).second) continue;
      space = AddWords(all.substr(at, place.begin - at), like, space, &words);
      Word term = like;
      term.hint = lessons::MeaningOf(context.glossary, place.term->forms.front());
      term.underlined = true;
      space = AddWords(all.substr(place.begin, place.end - place.begin), term, space, &words);
      at = place.end;
    }
    space = AddWords(all.substr(at), like, space, &words);
  }
  return words;
}

// Of words[begin] and what follows it without a space: a bracket, a figure, a comma.
float WidthToSpace(const std::vector<Word>& words, size_t begin) {
  float width = 0;
  for (size_t i = begin; i < words.size() && (i == begin || !words[i].space_before); ++i)
    width += MeasureAsIs(words[i].style, words[i].text).x;
  return width;
}

void DrawWord(const Word& word, ImVec2 at, float width, float height) {
  DrawTextAsIs(ImGui::GetWindowDrawList(), at, word.style, word.text);
  if (word.underlined) return DrawTerm(at, width, word.style, word.hint);
  TooltipOver(at, {at.x + width, at.y + height}, word.hint);
}

// A column of figures stands at the right.
bool IsOfFigures(const lessons::Block& table, size_t column) {
  return column > 0 && std::all_of(table.rows.begin() + 1, table.rows.end(), [column](const auto& row) {
           const std::string text = lessons::PlainTextOf(row[column]);
           return !text.empty() &&
                  std::string_view("0123456789?").find(text.front()) != std::string_view::npos;
         });
}

void DrawTable(const lessons::Block& table, LessonTextContext& context) {
  const int columns = static_cast<int>(table.rows.front().size());
  if (columns == 0 || !ImGui::BeginTable("table", columns, ImGuiTableFlags_RowBg)) return;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    ImGui::TableNextRow();
    for (size_t column = 0; column < table.rows[row].size(); ++column) {
      ImGui::TableNextColumn();
      const RichText& cell = table.rows[row][column];
      const TextStyle style = row == 0 ? MutedWords() : Words();
      if (IsOfFigures(table, column)) {
        const TextStyle measured = cell.empty() ? style : StyleOf(cell.front().style, style);
        const float room = ImGui::GetContentRegionAvail().x - Measure(measured, lessons::PlainTextOf(cell)).x;
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room - Px(8)));
      }
      DrawRichText(cell, style, context);
    }
  }
  ImGui::EndTable();
}

}  // namespace

namespace {

float LineHeight(const TextStyle& style) { return Pixels(style) + Px(6); }

}  // namespace

float ExplainedHeight(const std::string& text, const TextStyle& style, float width) {
  return std::round(MeasureWrapped(style, text, width).y / Pixels(style)) * LineHeight(style);
}

void DrawRichText(const RichText& text, const TextStyle& style, LessonTextContext& context) {
  const std::string whole = lessons::PlainTextOf(text);
  if (Translated(whole) != whole) return PutWrapped(style, whole);  // its terms lie elsewhere
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float line = LineHeight(style);
  const float space = Measure(style, " ").x;
  ImVec2 at = origin;
  const std::vector<Word> words = WordsIn(text, style, context);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].space_before && at.x > origin.x) {
      at.x = std::ceil(at.x + space);  // from where it is drawn: words are never nearer than that
      if (at.x + WidthToSpace(words, i) > origin.x + width) at = {origin.x, at.y + line};
    }
    const float needs = MeasureAsIs(words[i].style, words[i].text).x;
    DrawWord(words[i], at, needs, line);
    at.x += needs;
  }
  ImGui::Dummy({width, at.y + line - origin.y});
}

void PutExplained(const std::string& text, const TextStyle& style, const lessons::Glossary* glossary) {
  LessonTextContext context{glossary, {}, nullptr};
  DrawRichText({{text, SpanStyle::kPlain, ""}}, style, context);
}

void DrawLessonBlock(const lessons::Block& block, LessonTextContext& context) {
  using Kind = lessons::Block::Kind;
  switch (block.kind) {
    case Kind::kParagraph:
      DrawRichText(block.text, Words(), context);
      break;
    case Kind::kItem:
      Put(MutedWords(), "•");
      ImGui::SameLine(0, Px(8));
      DrawRichText(block.text, Words(), context);
      break;
    case Kind::kFormula:
      ImGui::Indent(Px(16));
      PutWrapped(Numbers(), lessons::PlainTextOf(block.text));
      ImGui::Unindent(Px(16));
      ImGui::Dummy({0, Px(2)});
      break;
    case Kind::kTable:
      DrawTable(block, context);
      break;
  }
}

}  // namespace tidemark::gui
