// Text in the window's few styles, drawn freely or as an item of ImGui's layout. UI thread, inside a frame.
#pragma once

#include <imgui.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/window/theme.h"

namespace tidemark::gui {

struct TextStyle {
  ImFont* face = nullptr;
  float size = kTextSize;  // design pixels
  Color color;
};

TextStyle Words();
TextStyle MutedWords();
TextStyle SmallMuted();  // consequence lines, axis labels
TextStyle StrongWords();
TextStyle TitleWords();
TextStyle Numbers();  // monospaced
TextStyle MutedNumbers();
TextStyle Colored(TextStyle style, Color color);
TextStyle Strongly(TextStyle style);

enum class Align { kLeft, kCenter, kRight };

// The height in screen pixels: ImGui draws items at whole sizes only, and what is drawn freely must match.
float Pixels(const TextStyle& style);
ImVec2 Measure(const TextStyle& style, std::string_view text);
// `at` is the top left, top centre or top right corner.
void DrawText(ImDrawList* list, ImVec2 at, const TextStyle& style, std::string_view text,
              Align align = Align::kLeft);
// What is laid out word by word: untranslated, for a table has whole texts.
ImVec2 MeasureAsIs(const TextStyle& style, std::string_view text);
void DrawTextAsIs(ImDrawList* list, ImVec2 at, const TextStyle& style, std::string_view text);
// Measure and DrawText on as many lines as it takes at `width`.
ImVec2 MeasureWrapped(const TextStyle& style, std::string_view text, float width);
void DrawWrapped(ImDrawList* list, ImVec2 at, const TextStyle& style, std::string_view text, float width);
// A text as it is, in lines that fit into `width`, without the blanks between them.
std::vector<std::string_view> WrappedLines(const TextStyle& style, std::string_view text, float width);
// Cut to `width` with an ellipsis when it is longer: at its end, or at its beginning where it is a path, the
// name of a layer or a tensor, or a line of code, whose ends tell most.
std::string Fitted(const TextStyle& style, std::string_view text, float width);
// The same for whatever tells as much at its end as at its beginning, such as a run's name: without its
// middle.
std::string FittedEnds(const TextStyle& style, std::string_view text, float width);
// As Fitted, and without that part of it, wherever it lies, that leaves it unlike each of `others` cut so:
// names of cards begin alike. Where none does, cut as ever.
std::string FittedApart(const TextStyle& style, std::string_view text, std::span<const std::string> others,
                        float width);

// Facts, of which some may be "", parted by " · ".
std::string JoinedFacts(std::initializer_list<std::string_view> facts);
// Of facts that " · " parts as many as there is room for, the first ones: all of each, but of a single one.
std::string FittedFacts(const TextStyle& style, std::string_view facts, float width);

// With a new line behind one of its marks where a word, such as the name of a setting, is wider than a line:
// else it would be cut anywhere.
std::string BrokenAtMarks(const TextStyle& style, std::string_view text, float width);

// Without its middle where it is longer than `most` bytes: names of kernels and C++ functions begin with what
// they do and end with what they do it on.
std::string WithoutMiddle(std::string_view text, size_t most);

// As items at the cursor.
void Put(const TextStyle& style, std::string_view text);
void PutWrapped(const TextStyle& style, std::string_view text);
// In a tooltip, which grows with what is in it: wrapped at `width`, and without its middle where it would
// fill the screen.
void PutNarrow(const TextStyle& style, std::string_view text, float width);
// Right-aligned in what is left of the row (a table's cell, or the panel).
void PutRight(const TextStyle& style, std::string_view text);
// On the current row, ending at the content's right edge.
void PutAtRowEnd(const TextStyle& style, std::string_view text);

// A line of sight for a value: a tooltip with the item's help, after a short pause.
void Tooltip(std::string_view text);
// The same beside the item, not below it: of a row whose neighbours are read next.
void TooltipAside(std::string_view text);
// At once, of a place in the window that is no item.
void TooltipOver(ImVec2 from, ImVec2 to, std::string_view text);
// The same of a place that is known to be under the mouse.
void TooltipBeside(ImVec2 from, ImVec2 to, std::string_view text);
// The same of what is told without the mouse, as why a field does not take what is typed: under it, instead
// of all that the mouse would tell.
void TellBeside(ImVec2 from, ImVec2 to, std::string_view text);
// How wide a line may be in one, in pixels.
float WidthOfTooltip();
// The tooltip that begins next lies below a place, or else above or beside it, where there is room: never
// over what it explains.
void PlaceTooltip(ImVec2 from, ImVec2 to);

}  // namespace tidemark::gui
