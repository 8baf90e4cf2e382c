#include "app/gui/highlight.h"

#include <algorithm>

namespace tidemark::gui {
namespace {

struct OlderBlock {
  timeline::EventIndex end = 0;
  int64_t bytes = 0;
};

}  // namespace

std::vector<HighlightSpan> HighlightOf(const timeline::View& view, const presenters::TimelinePlot& plot,
                                       const presenters::BlockDescription& block,
                                       const timeline::State& seen) {
  std::vector<OlderBlock> older;
  for (const timeline::LiveBlock& other : seen.blocks) {
    if (other.category != block.category || other.born >= block.born) continue;
    older.push_back({view.FreedAt(other.born).value_or(view.end()), other.rounded_bytes});
  }
  const timeline::EventIndex end = view.FreedAt(block.born).value_or(view.end());
  std::vector<HighlightSpan> spans;
  for (const presenters::PlotColumn& column : plot.columns) {
    if (column.peak < block.born || column.peak >= end) continue;
    int64_t bottom = 0;
    for (size_t category = 0; category < static_cast<size_t>(block.category); ++category)
      bottom += column.at_peak[category];
    const int64_t ceiling = bottom + column.at_peak[static_cast<size_t>(block.category)];
    for (const OlderBlock& other : older) {
      if (other.end > column.peak) bottom += other.bytes;
    }
    // Before it was given this category, the block lies elsewhere in the stack.
    if (bottom + block.rounded_bytes > ceiling) continue;
    const HighlightSpan span{column.begin, column.end, bottom, bottom + block.rounded_bytes};
    if (!spans.empty() && spans.back().bottom_bytes == span.bottom_bytes && spans.back().end == span.begin) {
      spans.back().end = span.end;
    } else {
      spans.push_back(span);
    }
  }
  return spans;
}

}  // namespace tidemark::gui
