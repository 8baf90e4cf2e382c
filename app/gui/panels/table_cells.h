// Cells that the tables of several panels share. Each begins its own. UI thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/text.h"
#include "profiler/events/event.h"

namespace tidemark::gui {

// Of the rows about one, from which its name is told apart where it is cut (FittedApart).
template <typename Rows, typename Name>
std::vector<std::string> NamesAbout(const Rows& rows, size_t index, Name name) {
  constexpr size_t kNeighbours = 24;
  const size_t first = index < kNeighbours ? 0 : index - kNeighbours;
  const size_t end = std::min(rows.size(), index + kNeighbours + 1);
  std::vector<std::string> names;
  names.reserve(end - first);
  for (size_t i = first; i < end; ++i) names.push_back(std::invoke(name, rows[i]));
  return names;
}

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
