// Cells that the tables of several panels share. Each begins its own. UI thread only.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "app/gui/widgets/text.h"
#include "profiler/events/event.h"

namespace tidemark::gui {

// Cut where there is no room; whole under the mouse.
void TextCell(std::string_view text, const TextStyle& style);
// Its colour and its name; empty for none.
void CategoryCell(std::optional<events::Category> category);
// The operator, or the innermost line (profiler/events/stack.h); all that led there under the mouse.
void StackCell(std::string_view stack);

// Columns that a table leaves out where it is narrow are told at the end of its header, "+3"; which they are,
// under the mouse. The column for it is the last of a table, and one pixel wide where all have room.
float WidthOfLeftOut(std::span<const std::string_view> titles);
void LeftOutCell(std::span<const std::string_view> titles);

}  // namespace tidemark::gui
