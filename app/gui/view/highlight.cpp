#include "app/gui/view/highlight.h"

#include "profiler/base/saturating.h"

namespace tidemark::gui {

BlockInStack LookIntoStack(const timeline::View& view, const presenters::StackedMoment& seen,
                           const timeline::LiveBlock& block) {
  return {block, view.StopsCountingAt(block.born).value_or(view.end()),
          presenters::OlderBlocks(view, seen, block)};
}

std::vector<HighlightSpan> HighlightOf(const presenters::TimelinePlot& plot, const BlockInStack& placed) {
  const timeline::LiveBlock& block = placed.block;
  std::vector<HighlightSpan> spans;
  for (const presenters::PlotColumn& column : plot.columns) {
    if (column.peak < block.born || column.peak >= placed.end) continue;
    int64_t bottom = 0;
    for (size_t category = 0; category < static_cast<size_t>(block.category); ++category)
      bottom = SaturatingSum(bottom, column.at_peak[category]);
    const int64_t ceiling = SaturatingSum(bottom, column.at_peak[static_cast<size_t>(block.category)]);
    bottom = SaturatingSum(bottom, placed.older.AliveAfter(column.peak));
    const int64_t top = SaturatingSum(bottom, block.rounded_bytes);
    // Before it was given this category, the block lies elsewhere in the stack.
    if (top > ceiling) continue;
    const HighlightSpan span{column.begin, column.end, bottom, top};
    if (!spans.empty() && spans.back().bottom_bytes == span.bottom_bytes && spans.back().end == span.begin) {
      spans.back().end = span.end;
    } else {
      spans.push_back(span);
    }
  }
  return spans;
}

}  // namespace tidemark::gui
