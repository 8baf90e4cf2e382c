// What every panel has in common: the title, the moment it tells of, tables with one look, and the reason
// when it is empty. UI thread, inside a frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/gui/widgets/text.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

// Title in bold, at the end of the row what the figures refer to ("at the peak of step 42"); `exact`, what
// that rounds, under the mouse.
void PanelTitle(std::string_view title, std::string_view aside, std::string_view exact = {});
// Of the latest item, which rounds a size: that to the byte, under the mouse. Of several, in words; "" where
// it rounds none.
void TellExactly(int64_t bytes);
void TellExactly(std::string_view exact);
// Why there is nothing to see yet, in the middle of what is left of the panel.
void EmptyReason(std::string_view text);

// What is left of the panel, or of a column in it, scrolled where it is not high enough; what goes on below
// is told by its fading away. What is in it ends before the scrollbar. End belongs to every Begin.
enum class Scrolled : uint8_t {
  kAsNeeded,
  kNever,      // it is known to be high enough
  kFromHeight  // as high as what is in it, and no higher than `size`
};
bool BeginScrolled(const char* id, ImVec2 size = {0, 0}, Scrolled scrolled = Scrolled::kAsNeeded);
void EndScrolled();
// Between Begin and End: how much that fading leaves at a height, from 0 to 1, of what is drawn beside the
// scrolled part, where it does not reach.
double LeftByFading(float y);

// The whole row of a table as a button under what is put into it next; true when it is clicked, and again
// with the second press of a double click.
bool SelectableRow(const char* id, bool lit);

// A table's header cell, explained as labels.h says of `label`, else of `text`. `shorter` stands there where
// there is no room for `text`; "" = it is cut.
void HeaderCell(std::string_view text, Align align = Align::kLeft, std::string_view label = {},
                std::string_view shorter = {});
// One that a click, or Enter, sorts by: true when it is pressed. `descending`: how the table is sorted by it;
// nothing = by another. `press`: what one presses it for.
bool SortableHeaderCell(std::string_view text, std::optional<bool> descending, Align align = Align::kLeft,
                        std::string_view label = {}, std::string_view shorter = {},
                        std::string_view press = "to sort by it");
// A number in a cell: right-aligned, exact bytes on hover, "–" when there is none.
void BytesCell(std::optional<int64_t> bytes, ByteUnit unit, bool strong = false);
void NumberCell(std::string_view text, bool strong = false);
// A bar of `share` (0..1), and beside it what that is in words.
void BarCell(double share, Color color, std::string_view text);

}  // namespace tidemark::gui
