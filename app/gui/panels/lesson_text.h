// Text that explains its terms, of lessons and of what panels tell: words that wrap, with the glossary's
// terms underlined and explained on hover, and figures that tell what computes them. UI thread, inside a
// frame.
#pragma once

#include <set>
#include <string>

#include "app/gui/widgets/text.h"
#include "profiler/lessons/glossary.h"
#include "profiler/lessons/lesson.h"

namespace tidemark::gui {

// What a page's text is drawn with. `explained`: terms that were underlined on this page already; `figures`:
// null = all stand as written.
struct LessonTextContext {
  const lessons::Glossary* glossary = nullptr;
  std::set<const lessons::Term*> explained;
  const lessons::FiguresHere* figures = nullptr;
};

// At the cursor, as wide as there is room.
void DrawRichText(const lessons::RichText& text, const TextStyle& style, LessonTextContext& context);
// Plain text of a panel in the same way.
void PutExplained(const std::string& text, const TextStyle& style, const lessons::Glossary* glossary);
// How high that is at `width`, but for a word that falls into another line.
float ExplainedHeight(const std::string& text, const TextStyle& style, float width);
void DrawLessonBlock(const lessons::Block& block, LessonTextContext& context);

}  // namespace tidemark::gui
